// Owns a strict reader of the text format of Prometheus (version 0.0.4): it throws at whatever a scraper would have to guess.

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly ParsedSample[];
}

export interface ParsedSample {
  /** With the suffix of a histogram. */
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** @throws Error at the first line that is not exactly of the format, and at families or series that are there twice */
export function parseExposition(text: string): ReadonlyMap<string, MetricFamily> {
  if (!text.endsWith("\n")) throw new Error("the last line does not end");
  const families = new Map<string, MetricFamily & { samples: ParsedSample[] }>();
  const series = new Set<string>();
  let help: readonly [name: string, text: string] | null = null;
  let family: (MetricFamily & { samples: ParsedSample[] }) | null = null;
  for (const line of text.slice(0, -1).split("\n")) {
    const [, helpOf, helpText = ""] = /^# HELP ([a-z_:][a-z0-9_:]*) (\S.*)$/.exec(line) ?? [];
    const [, typeOf, type] = /^# TYPE ([a-z_:][a-z0-9_:]*) (counter|gauge|histogram)$/.exec(line) ?? [];
    if (line === "") continue;
    if (helpOf !== undefined) {
      help = [helpOf, helpText];
      family = null;
    } else if (typeOf !== undefined) {
      if (help?.[0] !== typeOf || families.has(typeOf)) throw new Error(`wrong place: ${line}`);
      family = { name: typeOf, help: help[1], type: type as MetricFamily["type"], samples: [] };
      families.set(typeOf, family);
    } else {
      const sample = parseSample(line);
      const named = `${sample.name} ${JSON.stringify(Object.entries(sample.labels).toSorted())}`;
      if (family === null || !namesOf(family).includes(sample.name)) throw new Error(`no family: ${line}`);
      if (series.has(named)) throw new Error(`twice: ${line}`);
      series.add(named);
      family.samples.push(sample);
    }
  }
  for (const each of families.values()) checkFamily(each);
  return families;
}

function namesOf({ name, type }: MetricFamily): readonly string[] {
  return type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];
}

function parseSample(line: string): ParsedSample {
  const [, name, inner, value = ""] =
    /^([a-z_:][a-z0-9_:]*)(?:\{(.*)\})? (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)$/.exec(line) ?? [];
  if (name === undefined) throw new Error(`not a sample: ${line}`);
  const labels: Record<string, string> = {};
  let rest = inner ?? "";
  if (inner === "") throw new Error(`empty labels: ${line}`);
  while (rest !== "") {
    const [whole, label, escaped = ""] =
      /^([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,(?=.)|$)/.exec(rest) ?? [];
    if (whole === undefined || label === undefined || label in labels) throw new Error(`labels: ${line}`);
    labels[label] = escaped.replaceAll(/\\(["\\n])/g, (_, one: string) => (one === "n" ? "\n" : one));
    rest = rest.slice(whole.length);
  }
  return { name, labels, value: Number(value) };
}

function checkFamily({ name, type, samples }: MetricFamily): void {
  if ((type === "counter") !== name.endsWith("_total")) throw new Error(`${name} is a ${type}`);
  if (type === "counter" && samples.some(({ value }) => value < 0)) throw new Error(`${name} is negative`);
  if (type !== "histogram") return;
  const groups = Map.groupBy(samples, ({ labels: { le: _, ...others } }) => JSON.stringify(others));
  for (const group of groups.values()) checkHistogram(name, group);
}

/** Buckets ascend and end with +Inf, which equals the count. */
function checkHistogram(name: string, samples: readonly ParsedSample[]): void {
  const buckets = samples.filter((sample) => sample.name === `${name}_bucket`);
  const bounds = buckets.map(({ labels: { le = "" } }) => (le === "+Inf" ? Infinity : Number(le)));
  const counts = buckets.map(({ value }) => value);
  const isAscending = (values: readonly number[], strictly: boolean) =>
    values.every(
      (value, at) =>
        at === 0 || (strictly ? value > Number(values[at - 1]) : value >= Number(values[at - 1])),
    );
  const count = samples.find((sample) => sample.name === `${name}_count`)?.value;
  const sum = samples.find((sample) => sample.name === `${name}_sum`)?.value;
  const isWhole = samples.length === buckets.length + 2 && bounds.at(-1) === Infinity;
  if (!isWhole || !isAscending(bounds, true) || !isAscending(counts, false))
    throw new Error(`buckets of ${name}`);
  if (count !== counts.at(-1) || sum === undefined || sum < 0) throw new Error(`count or sum of ${name}`);
}

/** The value of the series with exactly these labels; null: there is none. @param name with the suffix of a histogram */
export function sampleValue(
  families: ReadonlyMap<string, MetricFamily>,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number | null {
  const wanted = JSON.stringify(Object.entries(labels).toSorted());
  const samples = [...families.values()].flatMap((family) => family.samples);
  const found = samples.find(
    (sample) => sample.name === name && JSON.stringify(Object.entries(sample.labels).toSorted()) === wanted,
  );
  return found?.value ?? null;
}

// Owns the text of a recording: sections under the name of an operation, in which everything that differs from run to run has a name.
// Within a section the same value gets the same name, so that a new value changes no other section.

import type { Json } from "./product.ts";

export interface Recording {
  /** Gives a value its name in all sections, such as the id of a memory. */
  know(value: string, name: string): void;
  /** Adds an observation to the section of an operation. */
  observe(operation: string, title: string, ...lines: readonly string[]): void;
  /** Sections by the name of the operation, in the order in which they began. */
  sections(): ReadonlyMap<string, string>;
}

export function createRecording(): Recording {
  const known = new Map<string, string>();
  const observed = new Map<string, string[]>();
  return {
    know(value, name) {
      known.set(value, `<${name}>`);
    },
    observe(operation, title, ...lines) {
      const section = observed.get(operation) ?? [];
      observed.set(operation, section);
      section.push(`### ${title}\n${lines.filter((line) => line !== "").join("\n")}\n`);
    },
    sections: () =>
      new Map([...observed].map(([operation, texts]) => [operation, normalise(texts.join("\n"), known)])),
  };
}

/** A run may begin on one day and end on the next. Other dates, such as those of protocols, are no variables. */
function dayFromNow(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
}

/** What differs from run to run, by its name. A name without a number stands for all values: two times may be equal in one run only. */
const variable: readonly (readonly [name: string, form: RegExp])[] = [
  ["time", /\b20[2-8]\d-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?/],
  ["date", new RegExp([-1, 0, 1].map(dayFromNow).join("|"))],
  ["secret #", /\bml[a-z]?_[A-Za-z0-9_.-]{16,}/],
  ["session of MCP", /(?<=mcp-session-id: )\S+/],
  ["id of the signing key", /(?<=memledger\+)[0-9a-f]{8}\b/],
  // Of a checkpoint.
  ["size", /(?<=memledger\/[0-9a-f]{32}\/\d+(\n|\\n))\d+/],
  ["hash #", /\b[0-9a-f]{64}\b/],
  ["commit", /\b[0-9a-f]{40}\b/],
  ["id #", /\b[0-9a-f]{32}\b|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/],
  [
    "text in Base64 #",
    /(?<=\\n|^|[^A-Za-z0-9+/=_\\-])(?=[a-z0-9+/_-]*[A-Z])([A-Za-z0-9+/_-]{40,}|(?=[A-Za-z+/_-]*\d)[A-Za-z0-9+/_-]{22,39}|(?<=")[A-Za-z0-9_-]{22}(?="))={0,2}/,
  ],
  ["port", /(?<=(127\.0\.0\.1|localhost|\[::1\]|session_|port":? ?))\d{4,5}\b/],
  ["figure", /(?<=\b(bytes|duration|os_uid) {2,}|\bok {2,}user )[\d.]+|\b\d+(?= (MiB free|bytes, <))/],
  ["milliseconds", /\b1[789]\d{11}\b/],
];
const forms = new RegExp(variable.map(([, { source }], at) => `(?<v${at}>${source})`).join("|"), "g");

function normalise(text: string, known: ReadonlyMap<string, string>): string {
  const longestFirst = [...known].toSorted(([one], [other]) => other.length - one.length);
  const named = longestFirst.reduce((left, [value, name]) => left.replaceAll(value, name), text);
  const numbers = new Map<string, Map<string, number>>();
  return named.replaceAll(forms, (value, ...more) => {
    const groups: Record<string, string | undefined> = more.at(-1);
    const name = variable.find((_, at) => groups[`v${at}`] !== undefined)?.[0] ?? "";
    if (!name.endsWith("#")) return `<${name}>`;
    const seen = numbers.get(name) ?? new Map<string, number>();
    numbers.set(name, seen);
    if (!seen.has(value)) seen.set(value, seen.size + 1);
    return `<${name.slice(0, -1)}${seen.get(value)}>`;
  });
}

/**
 * Figures of the machine and its user, positions that move with every record before them, and what is written in the background, by the names
 * of their fields, also in JSON within a text of JSON.
 */
const figures =
  /(\\*")(duration|duration_ms|os_uid|os_user|sudo_user|pid|seq|last_accessed_at|salt|bytes|bytes_estimate)\1:(?:-?\d[\d.e+-]*|null|\1[^"\\]*\1)/g;
const decimals = /(?<![\w.]|\d:)-?\d+\.\d{3,}(?:e-?\d+)?/g;

function withoutFigures(text: string): string {
  return text
    .replaceAll(figures, "$1$2$1:$1<$2>$1")
    .replaceAll(decimals, (figure) => String(Number(Number(figure).toFixed(2))));
}

/** JSON as lines, each short value on one of them. */
export function printJson(value: Json): string {
  return layOut(JSON.parse(withoutFigures(JSON.stringify(value))), "");
}

function layOut(value: Json, indent: string): string {
  const flat = JSON.stringify(value);
  if (indent.length + flat.length <= 140 || typeof value !== "object" || value === null) return flat;
  const inside = `${indent}  `;
  const lines = Array.isArray(value)
    ? value.map((each) => `${inside}${layOut(each, inside)}`)
    : Object.entries(value).map(([name, each]) => `${inside}"${name}": ${layOut(each, inside)}`);
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  return `${open}\n${lines.join(",\n")}\n${indent}${close}`;
}

/** A body as it came: JSON as lines, other texts as they are. */
export function printBody(text: string): string {
  try {
    return printJson(JSON.parse(text));
  } catch {
    return withoutFigures(text);
  }
}

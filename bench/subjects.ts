// Measures memory for many subjects of one project: that nothing is lost, shared or leaked, how long a search for one takes beside a search
// in a small project, and what an erasure takes and what others notice of it. subjects-fill.ts fills the projects.

import { Database } from "bun:sqlite";
import { compare } from "./bootstrap.ts";
import { median, ms } from "./figures.ts";
import type { FillingProject } from "./filling-store.ts";
import {
  type BenchOptions,
  copyAlone,
  expectStatuses,
  loadOne,
  type Measure,
  measureTable,
  progress,
  startLoad,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import type { PlannedCall, StreamResult } from "./load-generator.ts";
import { count, p50, searchCall, searches, steady } from "./scale-load.ts";
import {
  erasable,
  type FilledSubjects,
  fillSubjects,
  nameOf,
  ofProject,
  type SubjectProject,
  textOf,
} from "./subjects-fill.ts";
import { tailOf } from "./tail.ts";

const bars = { ratio: 1.5, firstMs: 20, eraseMs: 2_000, tail: 3 };
/** Subjects that are searched for, one after another. */
const searched = 500;
/** Subjects whose first search after a start is measured. */
const firstSearches = 200;
/** Of the subjects, one in so many is listed and searched for. */
const sampled = 10;
const warmUp = 50;
const idleSeconds = 20;

export async function subjects(options: BenchOptions): Promise<readonly Table[]> {
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const dataDir = `${folder.path}/data`;
  const filled = await fillSubjects(dataDir, options);
  const { apart, large } = filled;
  const measures: Measure[] = [];
  measures.push(await measureFirst(executable, dataDir, filled, options));
  {
    await using server = await startServer(executable, dataDir);
    measures.push(await measureSearches(server.port, filled, options));
    measures.push(...(await measureSample(server.port, apart)));
    measures.push(...(await measureErasures(server.port, filled)));
  }
  measures.push(...[apart, large].map((project) => measureRows(`${dataDir}/memledger.db`, project)));
  const note = `One project with ${count(large.subjects)} subjects of ${large.each} memories each and ${count(ofProject)} of its own, one with ${count(apart.subjects)} subjects of ${apart.each} each, and one with ${count(options.records)} records of ${count(filled.ledger.subjects)} subjects. 30 % of the texts are those of several subjects.`;
  return [measureTable("Subjects", note, measures)];
}

const headersOf = (subject: string) => ({ "Memledger-Subject": subject });

function searchEach(port: number, key: string, names: readonly (string | null)[]): Promise<StreamResult> {
  const calls = names.map((name) => (name === null ? searchCall() : searchCall("semantic", headersOf(name))));
  return loadOne(port, 600, { name: "searches", clients: 1, key, repeat: false, calls }, 200);
}

/** Each round starts the server. Its model has answered before, for another project, so that only the subject is new. */
async function measureFirst(
  executable: string,
  dataDir: string,
  { large, small }: FilledSubjects,
  { rounds }: BenchOptions,
): Promise<Measure> {
  const firsts: StreamResult[] = [];
  const others: StreamResult[] = [];
  for (let round = 0; round < rounds; round++) {
    progress(`subjects: first searches, round ${round + 1}`);
    await using server = await startServer(executable, dataDir);
    await searchEach(server.port, small.key, Array(warmUp).fill(null));
    const names = Array.from({ length: firstSearches }, (_, at) => nameOf(at * rounds + round));
    firsts.push(await searchEach(server.port, large.key, names.slice(0, 1)));
    others.push(await searchEach(server.port, large.key, names.slice(1)));
  }
  const figure = p50(firsts);
  const { name, values } = tailOf(others);
  return {
    what: "the first search of a subject after a start, p50 of the starts",
    figure: ms(figure),
    comparedTo: `of the next ${firstSearches - 1} subjects: p50 ${ms(p50(others))}, ${name} ${ms(values[0] ?? Number.NaN)}`,
    bar: `≤ ${bars.firstMs} ms`,
    reached: figure <= bars.firstMs,
  };
}

async function measureSearches(
  port: number,
  { large, small }: FilledSubjects,
  { rounds }: BenchOptions,
): Promise<Measure> {
  const names = Array.from({ length: searched }, (_, at) => nameOf(at));
  const nobody = names.map(() => null);
  const own: StreamResult[] = [];
  const alone: StreamResult[] = [];
  for (let round = 0; round <= rounds; round++) {
    progress(`subjects: searches, round ${round} of ${rounds}`);
    const found = [
      await searchEach(port, large.key, names),
      await searchEach(port, small.key, nobody),
    ] as const;
    if (round === 0) continue; // The first one is the warm-up.
    own.push(found[0]);
    alone.push(found[1]);
  }
  const logs = (results: readonly StreamResult[]) => results.map((result) => Math.log(p50([result])));
  const difference = compare(logs(own), logs(alone));
  const [ratio, low, high] = [difference.mean, difference.low, difference.high].map(Math.exp);
  return {
    what: "search for a subject, p50",
    figure: ms(p50(own)),
    comparedTo: `in a project of ${count(ofProject)} memories: ${ms(p50(alone))}, ratio ${ratio?.toFixed(2)} (95 %: ${low?.toFixed(2)} to ${high?.toFixed(2)})`,
    bar: `ratio ≤ ${bars.ratio}`,
    reached: (ratio ?? Number.NaN) <= bars.ratio,
  };
}

/** Lists and searches of every tenth subject: its memories are all there, and none of another one. */
async function measureSample(port: number, project: SubjectProject): Promise<Measure[]> {
  progress("subjects: lists and searches of a sample");
  const chosen = Array.from({ length: Math.ceil(project.subjects / sampled) }, (_, at) => at * sampled);
  let [wrong, leaked, hits] = [0, 0, 0];
  for (const at of chosen) {
    const subject = nameOf(at);
    const of = encodeURIComponent(subject);
    const listed = await ask(port, project, "GET", `/v1/memories?page_size=100&subject=${of}`);
    const memories = listed.memories as readonly Remembered[];
    wrong += difference(
      memories.filter((memory) => memory.subject === subject).map(({ content }) => content),
      textsOf(project, at),
    );
    wrong += memories.filter((memory) => memory.subject !== subject).length;
    // A sentence that others have, too.
    const query = textOf(project, 0, 0);
    const body = { query, subject, mode: "hybrid", top_k: 50, min_similarity: 0, rerank: "off" };
    const { results } = await ask(port, project, "POST", "/v1/memories/search", body);
    const texts = new Set(textsOf(project, at));
    const found = (results as readonly { readonly memory: Remembered }[]).map(({ memory }) => memory);
    hits += found.length;
    leaked += found.filter((memory) => memory.subject !== subject || !texts.has(memory.content)).length;
  }
  return [
    isNone(
      `memories that are lost or belong to another one, in lists of ${count(chosen.length)} subjects`,
      wrong,
      `${count(chosen.length * project.each)} that were stored`,
    ),
    isNone(
      `memories of another one, in searches for ${count(chosen.length)} subjects`,
      leaked,
      `${count(hits)} found`,
    ),
  ];
}

interface Remembered {
  readonly content: string;
  readonly subject?: string;
}

/** Reads the rows of all subjects while no server does. */
function measureRows(file: string, project: SubjectProject): Measure {
  progress(`subjects: rows of ${project.name}`);
  using database = new Database(file, { readonly: true });
  const rows = database.query<{ subject: string; contents: string }, [string]>(
    `SELECT s.name AS subject, json_group_array(m.content) AS contents FROM project p JOIN project o ON o.parent = p.serial
     JOIN pseudonym s ON s.id = o.id JOIN memory m ON m.project = o.serial WHERE p.name = ? GROUP BY o.serial`,
  );
  const stored = new Map<string, readonly string[]>();
  for (const { subject, contents } of rows.iterate(project.name)) stored.set(subject, JSON.parse(contents));
  let wrong = 0;
  for (let at = 0; at < project.subjects; at++) {
    wrong += difference(stored.get(nameOf(at)) ?? [], textsOf(project, at));
    stored.delete(nameOf(at));
  }
  for (const contents of stored.values()) wrong += contents.length;
  return isNone(
    `memories that are lost or belong to another one, in the rows of all ${count(project.subjects)} subjects`,
    wrong,
    `${count(project.subjects * project.each)} that were stored`,
  );
}

const textsOf = (project: SubjectProject, at: number) =>
  Array.from({ length: project.each }, (_, number) => textOf(project, at, number));

/** Texts that only one of the lists has. */
function difference(found: readonly string[], expected: readonly string[]): number {
  const [some, others] = [new Set(found), new Set(expected)];
  return some.symmetricDifference(others).size + (found.length - some.size);
}

function isNone(what: string, wrong: number, comparedTo: string): Measure {
  return { what, figure: String(wrong), comparedTo, bar: "0", reached: wrong === 0 };
}

/** Erasures, and the calls of another project that are sent during one of them. */
async function measureErasures(port: number, { ledger, small }: FilledSubjects): Promise<Measure[]> {
  progress("subjects: searches of those that are erased");
  const names = Array.from({ length: erasable.subjects }, (_, at) => erasable.nameOf(at));
  for (const name of names)
    await searchEach(port, ledger.key, Array(erasable.records - erasable.memories).fill(name));
  const append: PlannedCall = {
    method: "POST",
    path: "/v1/audit/logs",
    body: { action: "gateway.chat", http_status: 200, output_content: "The release is on Tuesday." },
  };
  const probes = [
    steady("lists", small.key, 20, [{ method: "GET", path: "/v1/memories?page_size=20" }]),
    steady("searches", small.key, 40, searches(2)),
    steady("records", small.key, 20, [append]),
  ];
  const erasureOf = (name: string): PlannedCall => {
    return { method: "POST", path: `/v1/subjects/${encodeURIComponent(name)}/erase`, body: {} };
  };
  const held = await ask(port, ledger, "POST", erasureOf(names[0] ?? "").path, { dry_run: true });
  await startLoad({ port, seconds: 3, streams: probes });
  const idle = await startLoad({ port, seconds: idleSeconds, streams: probes });
  const busy: StreamResult[] = [];
  for (const name of names) {
    progress(`subjects: erasing ${name}`);
    const calls = [erasureOf(name)];
    const erasure = { name: "erasure", clients: 1, key: ledger.key, repeat: false, calls };
    busy.push(
      ...(await startLoad({ port, seconds: 600, streams: [...probes, erasure], until: erasure.name })),
    );
  }
  const erased = busy.filter(({ name }) => name === "erasure");
  for (const each of erased) expectStatuses(each, 200);
  const tookMs = erased.flatMap(({ latenciesMs }) => latenciesMs);
  const took = median(tookMs);
  return [
    {
      what: `erasing a subject with ${held.memories} memories and ${held.records} records, p50 of ${names.length}`,
      figure: ms(took),
      comparedTo: `longest ${ms(Math.max(...tookMs))}`,
      bar: `≤ ${bars.eraseMs} ms`,
      reached: took <= bars.eraseMs,
    },
    ...probes.map(({ name }) => compareTails(name, idle, busy)),
  ];
}

function compareTails(name: string, idle: readonly StreamResult[], busy: readonly StreamResult[]): Measure {
  const [before, during] = [idle, busy].map((results) => results.filter((result) => result.name === name));
  const { name: part, values } = tailOf(before ?? [], during ?? []);
  const [idleMs = Number.NaN, duringMs = Number.NaN] = values;
  const ratio = duringMs / idleMs;
  const failed = (during ?? []).reduce(
    (sum, { calls, statuses }) => sum + calls - (statuses[200] ?? 0) - (statuses[201] ?? 0),
    0,
  );
  return {
    what: `${name} of another project meanwhile, ${part} (${failed} failed)`,
    figure: ms(duringMs),
    comparedTo: `idle ${part} ${ms(idleMs)}, ratio ${ratio.toFixed(1)}`,
    bar: `ratio ≤ ${bars.tail}`,
    reached: ratio <= bars.tail && failed === 0,
  };
}

async function ask(
  port: number,
  { key }: FillingProject,
  method: string,
  path: string,
  body?: object,
): Promise<Record<string, unknown>> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    ...(body === undefined ? null : { body: JSON.stringify(body) }),
  });
  const { data, message } = (await response.json()) as { data: Record<string, unknown>; message: string };
  if (!response.ok) throw new Error(`${method} ${path}: ${message}`);
  return data;
}

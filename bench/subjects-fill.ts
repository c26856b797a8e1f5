// Fills a data directory with the memories and the records of many subjects in minutes: through `Store.commit` with their audit records, with
// random unit vectors instead of embedded texts. Must run while no server uses the directory.

import type { Store } from "../src/calls/storage/store.ts";
import { contentKey } from "../src/memory/memory.ts";
import type { Subject } from "../src/memory/owner.ts";
import { readModelConfig } from "../src/models/embedding/model.ts";
import { defaultModel } from "../src/models/embedding/model-directory.ts";
import { randomId } from "../src/platform/ids.ts";
import { addProject, callOf, commitOrThrow, type FillingProject, withFillingStore } from "./filling-store.ts";
import { progress } from "./harness.ts";
import { madeBodies, toCall } from "./ledger-fill.ts";
import { createRandom, sentence } from "./texts.ts";
import { unitVector } from "./unit-vector.ts";

export interface SubjectProject extends FillingProject {
  /** Their number. */
  readonly subjects: number;
  /** Memories of each; 0: it has none. */
  readonly each: number;
}

export interface FilledSubjects {
  readonly apart: SubjectProject;
  readonly large: SubjectProject;
  readonly ledger: SubjectProject;
  /** Without subjects. */
  readonly small: FillingProject;
}

/** The project's own memories of the large project, and all of the small one. */
export const ofProject = 1_000;
/** Subjects of the ledger that can be erased. Their memories are filled, the other records are those of searches. */
export const erasable = { subjects: 40, memories: 50, records: 500, nameOf: (at: number) => `erased:${at}` };
export const nameOf = (at: number) => `user:${at}`;

/** Of ten texts, three are those of several subjects. */
const sharedOfTen = 3;
const recordsOfSubject = 100;
/** Calls on their way to the writer at a time. */
const window = 128;

/** `memories`: of the large project; the other one with memories of subjects has a twentieth. */
export function fillSubjects(
  dataDir: string,
  { memories, records }: { readonly memories: number; readonly records: number },
): Promise<FilledSubjects> {
  return withFillingStore(dataDir, async (store) => {
    const add = async (name: string, subjects: number, each: number) => ({
      ...(await addProject(store, name)),
      subjects: Math.ceil(subjects),
      each,
    });
    const small = await add("small", 1, ofProject);
    const apart = await add("apart", memories / 100, 5);
    const large = await add("large", memories / 10, 10);
    const ledger = await add("ledger", records / recordsOfSubject, 0);
    await addMemories(store, small, null);
    await addMemories(store, { ...large, subjects: 1, each: ofProject }, null);
    for (const project of [apart, large]) await addMemories(store, project, nameOf);
    const erased = { ...ledger, subjects: erasable.subjects, each: erasable.memories };
    await addMemories(store, erased, erasable.nameOf, 1);
    await addRecords(store, ledger, records);
    return { small, apart, large, ledger };
  });
}

/** The text of a memory of a subject, by their numbers: either that of other subjects, too, or of this one alone. */
export function textOf({ each }: Pick<SubjectProject, "each">, subject: number, number: number): string {
  const all = subject * each + number;
  return all % 10 < sharedOfTen
    ? sentence(createRandom(number), number)
    : sentence(createRandom(all), 1_000 + all);
}

/** @param subjectOf name of a subject; null: the memories are the project's own @param batch memories of a call */
async function addMemories(
  store: Store,
  project: SubjectProject,
  subjectOf: ((at: number) => string) | null,
  batch = 10,
): Promise<void> {
  const { name, keyId, subjects, each } = project;
  progress(`filling the project ${name} with ${subjects * each} memories`);
  const random = createRandom(subjects);
  const { dimensions } = readModelConfig(defaultModel());
  await inWindow(subjects, async (at) => {
    const subject = subjectOf === null ? null : { id: randomId(), name: subjectOf(at) };
    for (let from = 0; from < each; from += batch) {
      const numbers = Array.from({ length: Math.min(batch, each - from) }, (_, index) => from + index);
      const texts = numbers.map((number) => textOf(project, at, number));
      await create(store, keyId, subject, texts, () => unitVector(random, dimensions));
    }
  });
}

async function create(
  store: Store,
  keyId: string,
  subject: Subject | null,
  texts: readonly string[],
  vectorOf: () => Float32Array,
): Promise<void> {
  const given = { importance: 0.5, expiresAt: null, tags: [], metadata: null, active: true, sourceId: null };
  const prepared = texts.map((content) => ({
    refused: null,
    item: { content, type: "fact", ...given },
    contentKey: contentKey(content),
    id: null,
    exportedId: null,
    vector: vectorOf(),
  }));
  const memories = texts.map((content) => ({ content, memory_type: "fact" }));
  const call = callOf("memory.create_batch", keyId, { memories }, prepared);
  const { created } = await commitOrThrow(store, subject === null ? call : { ...call, subject });
  if (created !== texts.length) throw new Error(`Only ${created} of ${texts.length} memories were created.`);
}

/** Those of the subjects come in turn. */
async function addRecords(store: Store, { keyId, subjects }: SubjectProject, records: number): Promise<void> {
  progress(`filling the ledger with ${records} records`);
  const bodies = madeBodies();
  const all = Array.from({ length: subjects }, (_, at) => ({ id: randomId(), name: nameOf(at) }));
  // The first call of each subject stores its name; another one on its way would be too early.
  await inWindow(Math.min(subjects, records), (at) => append(at));
  await inWindow(Math.max(0, records - subjects), (at) => append(subjects + at));
  async function append(number: number): Promise<void> {
    const subject = all[number % subjects];
    const call = toCall(keyId, number, bodies);
    await commitOrThrow(store, subject === undefined ? call : { ...call, subject });
  }
}

async function inWindow(total: number, work: (at: number) => Promise<void>): Promise<void> {
  let next = 0;
  const each = async () => {
    for (let at = next++; at < total; at = next++) {
      await work(at);
      if (total >= 10_000 && (at + 1) % Math.ceil(total / 10) === 0) progress(`${at + 1} of ${total}`);
    }
  };
  await Promise.all(Array.from({ length: window }, each));
}

// Fills a data directory with a million memories in minutes: batches through `Store.commit` with their audit records, random unit vectors
// instead of embedded texts, sentences with common and rare words, importances, types, tags and expiries. Must run while no server uses
// the directory.

import type { Store } from "../src/calls/storage/store.ts";
import { contentKey, type MemoryType } from "../src/memory/memory.ts";
import { readModelConfig } from "../src/models/embedding/model.ts";
import { defaultModel } from "../src/models/embedding/model-directory.ts";
import { addProject, callOf, commitOrThrow, type FillingProject, withFillingStore } from "./filling-store.ts";
import { progress } from "./harness.ts";
import { createRandom, question, sentence } from "./texts.ts";
import { unitVector } from "./unit-vector.ts";

export interface ScaleProject extends FillingProject {
  readonly size: number;
}

export interface WantedProject {
  readonly name: string;
  readonly size: number;
}

/** Items of a call. Larger ones would let the writer and this thread wait for each other. */
const batchItems = 500;
/** Calls on their way to the writer at a time. */
const callsAtOnce = 3;
const yearMs = 365 * 86_400_000;
/** Made-up words; the one of rank r is in about one of r * ln(words) memories. */
const words = 50_000;
const syllables = [
  "ba",
  "de",
  "fi",
  "go",
  "lu",
  "ma",
  "ne",
  "pi",
  "ro",
  "su",
  "ta",
  "ve",
  "wi",
  "xo",
  "zu",
  "ky",
];

/** Adds the projects in their order. @returns how many memories were stored per second, too */
export async function fillScale(
  dataDir: string,
  wanted: readonly WantedProject[],
): Promise<{ readonly projects: readonly ScaleProject[]; readonly memoriesPerSecond: number }> {
  const start = performance.now();
  const { dimensions } = readModelConfig(defaultModel());
  const projects = await withFillingStore(dataDir, async (store) => {
    const filled: ScaleProject[] = [];
    for (const [index, { name, size }] of wanted.entries()) {
      if (size >= 10_000 || index % 100 === 0) progress(`filling the project ${name} with ${size} memories`);
      const project = await addProject(store, name);
      await addMemories(store, project, size, dimensions, createRandom(size + index));
      filled.push({ ...project, size });
    }
    return filled;
  });
  const memories = wanted.reduce((sum, { size }) => sum + size, 0);
  return { projects, memoriesPerSecond: (1_000 * memories) / (performance.now() - start) };
}

async function addMemories(
  store: Store,
  { keyId }: FillingProject,
  size: number,
  dimensions: number,
  random: () => number,
): Promise<void> {
  let next = 0;
  const work = async () => {
    while (next < size) {
      const from = next;
      next = Math.min(size, from + batchItems);
      const items = Array.from({ length: next - from }, (_, at) => makeItem(random, from + at, dimensions));
      const memories = items.map(({ body }) => body);
      const prepared = items.map(({ identified }) => identified);
      const { created } = await commitOrThrow(
        store,
        callOf("memory.create_batch", keyId, { memories }, prepared),
      );
      if (created !== items.length)
        throw new Error(`Only ${created} of ${items.length} memories were created.`);
      if (next % 100_000 < batchItems && size > 100_000) progress(`${next.toLocaleString("en")} memories`);
    }
  };
  await Promise.all(Array.from({ length: callsAtOnce }, work));
}

/** The item as a client sends it, and as the operation has prepared it. */
function makeItem(random: () => number, number: number, dimensions: number) {
  const content = scaleText(random, number);
  const type: MemoryType = number % 20 === 0 ? "rule" : number % 20 < 4 ? "context" : "fact";
  const importance = random();
  const active = number % 100 !== 7;
  const expiresAt = number % 50 === 9 ? Date.now() + yearMs : null;
  const tags = [`sprint ${number % 500}`, `team ${number % 4}`];
  const item = { content, type, importance, expiresAt, tags, active, sourceId: null };
  const body = {
    content,
    memory_type: type,
    importance,
    tags,
    ...(active ? null : { is_active: false }),
    ...(expiresAt === null ? null : { expires_at: new Date(expiresAt).toISOString() }),
  };
  const vector = unitVector(random, dimensions);
  return {
    body,
    identified: { refused: null, item, contentKey: contentKey(content), id: null, exportedId: null, vector },
  };
}

/** A memory of common words, and one from a large vocabulary. */
export function scaleText(random: () => number, number: number): string {
  return `${sentence(random, number).slice(0, -1)}, code name ${madeUpWord(random)}.`;
}

/** A question of common words, and one that is in many memories or in few. */
export function scaleQuestion(random: () => number, number: number): string {
  return `${question(random, number).slice(0, -1)} with the code name ${madeUpWord(random)}?`;
}

/** Common and rare words, as in texts: the frequency of a word is inverse to its rank. */
export function madeUpWord(random: () => number): string {
  let left = Math.floor(words ** random()) + 4_096;
  let word = "";
  while (left > 0) {
    word += syllables[left % syllables.length] ?? "";
    left = Math.floor(left / syllables.length);
  }
  return word;
}

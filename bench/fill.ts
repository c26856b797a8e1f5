// Fills a data directory with many memories in seconds: through `Store.commit` with their audit records, but with
// random unit vectors instead of embedded texts. Must run while no server uses the directory.

import type { Store } from "../src/calls/storage/store.ts";
import { contentKey } from "../src/memory/memory.ts";
import { readModelConfig } from "../src/models/embedding/model.ts";
import { defaultModel } from "../src/models/embedding/model-directory.ts";
import { addProject, callOf, commitOrThrow, withFillingStore } from "./filling-store.ts";
import { progress } from "./harness.ts";
import { createRandom, sentence } from "./texts.ts";
import { unitVector } from "./unit-vector.ts";

export interface FilledProject {
  readonly key: string;
  /** Of all its memories. */
  readonly ids: readonly string[];
}

/** Calls on their way to the writer at a time. */
const window = 512;

/**
 * Makes one project per number, with that many facts of random importance, in a data directory without a server. `tagsOf` gives the tags
 * of a memory by its number in its project, and `textOf` its content.
 */
export function fill(
  dataDir: string,
  sizes: readonly number[],
  tagsOf: (number: number) => readonly string[] = () => [],
  textOf = sentence,
): Promise<readonly FilledProject[]> {
  const { dimensions } = readModelConfig(defaultModel());
  return withFillingStore(dataDir, async (store) => {
    const filled: FilledProject[] = [];
    for (const size of sizes) {
      progress(`filling a project with ${size} memories`);
      const { keyId, key } = await addProject(store, `memories ${size} ${filled.length}`);
      filled.push({ key, ids: await create(store, keyId, size, dimensions, tagsOf, textOf) });
    }
    return filled;
  });
}

async function create(
  store: Store,
  keyId: string,
  size: number,
  dimensions: number,
  tagsOf: (number: number) => readonly string[],
  textOf: typeof sentence,
): Promise<string[]> {
  const random = createRandom(size);
  const ids: string[] = [];
  for (let from = 0; from < size; from += window) {
    const count = Math.min(window, size - from);
    const calls = Array.from({ length: count }, (_, at) => {
      const number = from + at;
      const content = textOf(random, number);
      const tags = tagsOf(number);
      const body = {
        content,
        memory_type: "fact",
        importance: random(),
        ...(tags.length === 0 ? null : { tags }),
      };
      const prepared = { vector: unitVector(random, dimensions), contentKey: contentKey(content) };
      return commitOrThrow(store, callOf("memory.create", keyId, body, prepared));
    });
    for (const { id } of await Promise.all(calls)) ids.push(String(id));
  }
  return ids;
}

// Performs work in a transaction of the SQLite engine as its writer does, beside the calls of a server that may have the database open: for
// what no operation of today does alone.

import type { NewMemory } from "../../../src/calls/storage/memory-store.ts";
import type { Transaction } from "../../../src/calls/storage/store.ts";
import { openWriting } from "../../../src/engines/sqlite/database-file/connection.ts";
import { createMemoryTransaction } from "../../../src/engines/sqlite/memories/memory.ts";
import { createRevisions } from "../../../src/engines/sqlite/memories/revisions.ts";
import { createSubjectTransaction } from "../../../src/engines/sqlite/subjects.ts";
import { WriterState } from "../../../src/engines/sqlite/threads/writer-state.ts";
import { createWordWriter, defineWords } from "../../../src/engines/sqlite/words/words.ts";
import { contentKey } from "../../../src/memory/memory.ts";
import type { Owner } from "../../../src/memory/owner.ts";
import { runtime } from "../../calls/storage/seam.ts";

type Direct = Pick<Transaction, "memories" | "subjects">;

export async function inTransaction<Result>(
  path: string,
  work: (transaction: Direct) => Promise<Result>,
): Promise<Result> {
  const database = openWriting({ path, runtime });
  try {
    defineWords(database);
    const state = new WriterState();
    const revisions = createRevisions(database);
    const writeWords = createWordWriter(database, state);
    const memories = createMemoryTransaction(database, state, revisions);
    database.exec("BEGIN IMMEDIATE");
    const result = await work({ memories, subjects: createSubjectTransaction(database, state) });
    writeWords();
    revisions.write();
    database.exec("COMMIT");
    return result;
  } finally {
    database.close();
  }
}

/** What an extraction stores of a message. */
export function passage(content: string, vector: Float32Array, more: Partial<NewMemory> = {}): NewMemory {
  return {
    content,
    contentKey: contentKey(content, { passage: true }),
    type: "context",
    passage: true,
    importance: 0.3,
    expiresAt: null,
    tags: [],
    vector,
    ...more,
  };
}

/** @returns the ids of the passages */
export function storePassages(
  path: string,
  owner: Owner,
  passages: readonly NewMemory[],
  now = Date.now(),
): Promise<string[]> {
  return inTransaction(path, async ({ memories }) => {
    const ids: string[] = [];
    for (const each of passages) ids.push((await memories.insert(owner, each, now)).id);
    return ids;
  });
}

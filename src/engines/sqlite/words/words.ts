// Owns writes to the word index, and the row numbers of a memory's words. Calls only collect their changes: FTS5 closes a segment at
// every savepoint, so all changes of a group are written together, before it commits.

import { splitWords } from "../../../memory/ranking/words.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { searchedText } from "../memories/memory-row.ts";
import { inWritingOrder, type WordState } from "./changes.ts";

/** Registers the SQL function words(text), which migrations and the purge need. */
export function defineWords(database: Database): void {
  database.function("words", { deterministic: true }, (text: unknown) => splitWords(String(text)).join(" "));
}

/** @returns a function that writes what the calls of the transaction have collected; call it right before the commit. */
export function createWordWriter(database: Database, state: WordState): () => void {
  const add = database.prepare("INSERT INTO memory_word (rowid, words) VALUES ((? << 40) + ?, words(?))");
  const remove = database.prepare(
    "INSERT INTO memory_word (memory_word, rowid, words) VALUES ('delete', (? << 40) + ?, words(?))",
  );
  return () => {
    if (state.wordChanges.length === 0) return;
    for (const { kind, project, contentRevision, text } of inWritingOrder(state.wordChanges)) {
      (kind === "add" ? add : remove).run(project, contentRevision, text);
      if (kind === "remove") state.wordRemovals += 1;
    }
    state.wordMergeIsDue = true;
    state.wordChanges.length = 0;
  };
}

/** @returns a function that removes the words of memories which are about to be removed themselves. */
export function createWordRemoval(
  database: Database,
  state: WordState,
): (serials: readonly number[]) => void {
  const remove = database.prepare(
    `INSERT INTO memory_word (memory_word, rowid, words)
     SELECT 'delete', (project << 40) + content_revision, words(${searchedText}) FROM memory m WHERE serial = ?`,
  );
  return (serials) => {
    for (const serial of serials) remove.run(serial);
    if (serials.length === 0) return;
    state.wordRemovals += 1;
    state.wordMergeIsDue = true;
  };
}

// Owns reading the word index: which memories of a project have a word, or match several. Must read no more of a long list than is asked for.

import type { Database } from "../../../platform/native/sqlite.ts";

/**
 * Reads the content revisions of a project's memories that match a query of FTS5, ascending: those from one revision on, at most `limit`. One text
 * with all numbers takes a third of the time of a row for each. Numbers of JavaScript arrive as REAL, and FTS5 seeks to an INTEGER only:
 * without the cast it would read every list from its beginning.
 */
export function createMatchReader(database: Database) {
  const holders = database
    .prepare<[Record<string, unknown>], Uint8Array | null>(
      `SELECT CAST(group_concat(revision) AS BLOB) FROM (
         SELECT rowid - (:project << 40) AS revision FROM memory_word
         WHERE memory_word MATCH :match
           AND rowid BETWEEN (:project << 40) + CAST(:from AS INTEGER) AND (:project << 40) + 0xFFFFFFFFFF
         ORDER BY rowid LIMIT :limit)`,
    )
    .pluck();
  return (project: number, match: string, from: number, limit: number): Float64Array =>
    parseNumbers(holders.get({ project, match, from, limit }) ?? new Uint8Array(0));
}

/** As createMatchReader, of the memories that have a word, or any of several with a space between two. */
export function createWordReader(database: Database) {
  const read = createMatchReader(database);
  /** Inside quotation marks nothing is query syntax, and no word contains one. */
  return (project: number, words: string, from: number, limit: number): Float64Array =>
    read(project, `"${words.replaceAll(" ", '" OR "')}"`, from, limit);
}

const comma = 0x2c;
const zero = 0x30;

/** Natural numbers with a comma between two of them. */
function parseNumbers(text: Uint8Array): Float64Array {
  if (text.length === 0) return new Float64Array(0);
  let count = 1;
  for (const character of text) if (character === comma) count += 1;
  const numbers = new Float64Array(count);
  let at = 0;
  let number = 0;
  for (const character of text) {
    if (character !== comma) {
      number = number * 10 + character - zero;
      continue;
    }
    numbers[at++] = number;
    number = 0;
  }
  numbers[at] = number;
  return numbers;
}

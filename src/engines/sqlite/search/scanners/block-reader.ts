// Owns reading memories from the database into a part of a row block, in a thread that performs tasks. Each task reads in a transaction of
// its own: index-build.ts says why the index is exact nevertheless.

import type { RowBlock } from "../../../../memory/ranking/scan/row-block.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { createModelLookup } from "../../schema/model-binding.ts";
import { createIndexStatements } from "../index/index-statements.ts";
import { writeValues, writeVector } from "../index/row-writing.ts";

export interface ReadRange {
  /** Serial of the project. */
  readonly project: number;
  /** SHA-256 of the model that the vectors must belong to. */
  readonly model: string;
  /** The first row to write, and the revisions to read: after `after`, up to `through`. */
  readonly firstRow: number;
  readonly after: number;
  readonly through: number;
}

export interface ReadRows {
  readonly firstRow: number;
  readonly rows: number;
  /** JSON texts of tags: the number that a row has is the position of its tags + 1. */
  readonly tagTexts: readonly string[];
  /** 0: no row. */
  readonly newestContentRevision: number;
}

/** @returns a function that returns null when another model is bound; then nothing was written */
export function createBlockReader(
  database: Database,
): (range: ReadRange, block: RowBlock) => ReadRows | null {
  const bound = createModelLookup(database);
  const { changes } = createIndexStatements(database);
  return database.transaction(({ project, model, firstRow, after, through }: ReadRange, block: RowBlock) => {
    if (bound()?.sha256 !== model) return null;
    const tagNumbers = new Map<string, number>();
    const tagNumberOf = (text: string): number => {
      const number = tagNumbers.get(text) ?? tagNumbers.size + 1;
      tagNumbers.set(text, number);
      return number;
    };
    let rows = 0;
    let newestContentRevision = 0;
    for (const memory of changes(project, after, through)) {
      const row = firstRow + rows;
      writeVector(block, row, memory);
      writeValues(block, row, memory, memory.tags === null ? 0 : tagNumberOf(memory.tags));
      newestContentRevision = Math.max(newestContentRevision, memory.content_revision);
      rows += 1;
    }
    return { firstRow, rows, tagTexts: [...tagNumbers.keys()], newestContentRevision };
  });
}

// Owns the SQL of exports, and their cursors. A cursor contains the serial of a memory, which counts the memories of all projects, so it is
// encrypted: a client must not learn how many others there are.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { kindsOf } from "../../../memory/kind.ts";
import { type Owner, ownerId } from "../../../memory/owner.ts";
import type { ExportPage, ExportQuery } from "../../../memory/search/export-query.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { ownerSetsOf } from "../project-serials.ts";
import { boundModel } from "../schema/model-binding.ts";
import {
  aliveJoin,
  type MemoryRow,
  memoryColumns,
  ofKinds,
  toKindsParameter,
  toMemory,
  toVector,
} from "./memory-row.ts";
import { selectedMemories } from "./selected-memories.ts";

interface ExportRow extends MemoryRow {
  embedding: Uint8Array | null;
}

/** @returns a function that reads one page; null: the cursor is not one of this list and this process. */
export function createMemoryExport(
  database: Database,
): (owner: Owner, query: ExportQuery) => ExportPage | null {
  const serialsOf = ownerSetsOf(database);
  const cursors = createCursors();
  return database.transaction((owner: Owner, query: ExportQuery) => {
    const { type, origin, tags, metadata = null, withVectors, cursor, limit, withProject = false } = query;
    const kinds = toKindsParameter(kindsOf(type, origin));
    const list = JSON.stringify([ownerId(owner), kinds, tags?.tags ?? null, metadata, withProject]);
    const after = cursor === null ? 0 : cursors.read(list, cursor);
    if (after === null) return null;
    const selected = selectedMemories(query);
    const statement = database.prepare<[Record<string, unknown>], ExportRow>(
      `SELECT ${memoryColumns}, ${withVectors ? "v.embedding" : "NULL AS embedding"} FROM memory m ${aliveJoin}
         ${withVectors ? "JOIN memory_vector v ON v.memory = m.serial" : ""}
         WHERE m.project = :project AND m.serial > :after AND ${ofKinds("m")}
           ${selected === null ? "" : `AND m.serial IN (${selected.sql})`}
         ORDER BY m.serial LIMIT :limit`,
    );
    const wanted = { ...selected?.parameters, after, kinds, limit };
    const rows = serialsOf(owner, withProject)
      .flatMap((project) => statement.all({ ...wanted, project }))
      .sort((one, other) => one.serial - other.serial)
      .slice(0, limit);
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      memories: rows.map(toMemory),
      vectors: withVectors ? vectorsOf(database, rows) : null,
      next: last === undefined ? null : cursors.write(list, last.serial),
    };
  });
}

function vectorsOf(database: Database, rows: readonly ExportRow[]): ExportPage["vectors"] {
  const model = boundModel(database);
  if (model === null) throw new Error("the database has vectors of no model");
  return { model, vectors: rows.map(({ embedding }) => toVector(embedding ?? new Uint8Array())) };
}

const algorithm = "aes-128-ecb";
const blockBytes = 16;

/** One block: the serial, and a digest of the list to which it belongs. The key ends with the thread. */
function createCursors() {
  const key = randomBytes(16);
  const digestOf = (list: string) => createHash("sha256").update(list).digest().subarray(0, 8);
  return {
    write(list: string, serial: number): string {
      const block = Buffer.alloc(blockBytes);
      block.writeBigUInt64BE(BigInt(serial));
      digestOf(list).copy(block, 8);
      const cipher = createCipheriv(algorithm, key, null).setAutoPadding(false);
      return Buffer.concat([cipher.update(block), cipher.final()]).toString("base64url");
    },
    /** Null: it is not a cursor of this list and this process. */
    read(list: string, cursor: string): number | null {
      const encrypted = Buffer.from(cursor, "base64url");
      if (encrypted.length !== blockBytes) return null;
      const decipher = createDecipheriv(algorithm, key, null).setAutoPadding(false);
      const block = Buffer.concat([decipher.update(encrypted), decipher.final()]);
      return block.subarray(8).equals(digestOf(list)) ? Number(block.readBigUInt64BE()) : null;
    },
  };
}

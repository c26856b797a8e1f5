// Writes cache files for tests as a server does, of the memories that a database has, and reads them.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { boundModel } from "../../../../src/engines/sqlite/schema/model-binding.ts";
import { createCacheFacts } from "../../../../src/engines/sqlite/search-cache/cache-facts.ts";
import type { CacheWriter } from "../../../../src/engines/sqlite/search-cache/cache-writer.ts";
import {
  imageBytes,
  openCacheFiles,
  readCachedBlock,
} from "../../../../src/engines/sqlite/search-cache/project-files.ts";
import { createRowBlock, setRowValues, viewRowBlock } from "../../../../src/memory/ranking/scan/row-block.ts";
import type { Database } from "../../../../src/platform/native/sqlite.ts";

const dimensions = 384;

interface Row {
  serial: number;
  content_revision: number;
  tags: string | null;
}

/** The codes of a memory in `imagesOf`, which follow from its serial. */
function codeOf(serial: number): number {
  return 1 + (serial % 250);
}

/** The buffers of the blocks of an index of all memories, some in each. */
export function imagesOf(
  database: Database,
  project: string,
  capacities: readonly number[],
): SharedArrayBuffer[] {
  const rows = rowsOf(database, project);
  const numbers = new Map(tagSetsOf(rows).map(([number, text]) => [text, number]));
  const share = Math.ceil(rows.length / capacities.length);
  return capacities.map((capacity, index) => {
    const block = createRowBlock(dimensions, capacity);
    for (const [row, { serial, content_revision, tags }] of rows
      .slice(index * share, (index + 1) * share)
      .entries()) {
      const values = {
        serial,
        contentRevision: content_revision,
        importance: 0.5,
        expiresAt: 0,
        tagSet: numbers.get(tags ?? "") ?? 0,
        state: 1,
      };
      setRowValues(block, row, values);
      block.codes.fill(codeOf(serial), row * dimensions, (row + 1) * dimensions);
    }
    return block.buffer;
  });
}

function rowsOf(database: Database, project: string): readonly Row[] {
  return database
    .prepare<[string], Row>(
      "SELECT m.serial, m.content_revision, m.tags FROM memory m JOIN project p ON p.serial = m.project WHERE p.id = ? ORDER BY m.serial",
    )
    .all(project);
}

function tagSetsOf(rows: readonly Row[]): [number: number, text: string][] {
  const texts = new Set(rows.flatMap(({ tags }) => tags ?? []));
  return [...texts].map((text, index) => [index + 1, text]);
}

/** What an index says about its state now. */
export function stateNow(database: Database, project: string) {
  const facts = createCacheFacts(database);
  const found = facts.project(project);
  if (found === null) throw new Error("there is no such project");
  const head = facts.newestHead(found.serial);
  if (head === null) throw new Error("the project has no record");
  const epochs = facts.epochs(found.serial);
  const draft = { project, dimensions, revision: found.revision, epochs };
  const model = boundModel(database)?.sha256 ?? "";
  const tagSets = tagSetsOf(rowsOf(database, project));
  return { draft, manifest: { ...draft, model, head, newestRevision: found.revision, tagSets } };
}

/** Writes cache files of the state now. @returns how many blocks they have; null: they were not published */
export function writeCacheFiles(
  writer: CacheWriter,
  database: Database,
  project: string,
  capacities: readonly number[],
): number | null {
  const { draft, manifest } = stateNow(database, project);
  if (writer.begin(draft) === null) return null;
  const images = imagesOf(database, project, capacities);
  const [only = null] = images.length === 1 ? images : [];
  const ids = only === null ? images.map((image) => writer.write(project, image) ?? "") : [];
  return writer.publish(project, manifest, ids, only)?.length ?? null;
}

/** Serials in the files of a project, verified and in their order; null: there are no files. */
export function cachedSerials(path: string): number[] | null {
  if (!existsSync(path)) return null;
  const files = openCacheFiles(path);
  const serials = files.manifest.blocks.flatMap((_, index) => {
    const image = new SharedArrayBuffer(imageBytes(files.manifest, index));
    readCachedBlock(files, index, new Uint8Array(image));
    return [...viewRowBlock(image, dimensions).serials].filter((serial) => serial > 0);
  });
  return serials.toSorted((a, b) => a - b);
}

/** Whether any file below the folder has the codes of this memory, published or not. */
export function hasVector(folder: string, serial: number): boolean {
  return hasBytes(folder, Buffer.alloc(dimensions, codeOf(serial)));
}

/** Whether any file below the folder has these bytes, or this text. */
export function hasBytes(folder: string, bytes: Buffer | string): boolean {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(bytes));
}

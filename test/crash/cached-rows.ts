// Looks into the cache files of a search index. Must never change them.

import { Database } from "bun:sqlite";
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  cacheFolderOf,
  imageBytes,
  openCacheFiles,
  readCachedBlock,
} from "../../src/engines/sqlite/search-cache/project-files.ts";
import { viewRowBlock } from "../../src/memory/ranking/scan/row-block.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";

/** Serials of the memories in the cache files of a project, verified; null: there are no files. @throws when they are damaged */
export function readCachedSerials(dataDir: string, projectId: string): readonly number[] | null {
  const folder = join(cacheFolderOf(locate(dataDir).database), projectId);
  if (!existsSync(join(folder, "index"))) return null;
  const files = openCacheFiles(folder);
  return files.manifest.blocks.flatMap((_, at) => {
    const image = new SharedArrayBuffer(imageBytes(files.manifest, at));
    readCachedBlock(files, at, new Uint8Array(image));
    return [...viewRowBlock(image, files.manifest.dimensions).serials].filter((serial) => serial > 0);
  });
}

/** @returns one sentence per fault: a memory that was deleted is in the cache files, or they cannot be read */
export function findDeletedInCache(dataDir: string, projectId: string): string[] {
  try {
    const cached = readCachedSerials(dataDir, projectId) ?? [];
    const database = new Database(locate(dataDir).database, { readonly: true });
    const rows = database.query<{ serial: number }, []>("SELECT serial FROM memory").all();
    database.close();
    const stored = new Set(rows.map(({ serial }) => serial));
    return cached
      .filter((serial) => !stored.has(serial))
      .map((serial) => `memory ${serial} is deleted, but in the cache files`);
  } catch (error) {
    return [`the cache files cannot be read: ${String(error)}`];
  }
}

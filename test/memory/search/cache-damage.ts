// Owns what happens to the cache files of search indexes in the proof of searches over HTTP. Must never touch another file.

import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { pick, type Random } from "../ranking/adversarial-vectors.ts";

/** The folder of a data directory that may be removed at any time. */
export function cacheOf(dataDir: string): string {
  return join(dataDir, "cache");
}

/** Paths of the files in the cache; empty when there is none. */
export function cacheFiles(cache: string): string[] {
  if (!existsSync(cache) || !statSync(cache).isDirectory()) return [];
  return readdirSync(cache, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

export function removeCache(cache: string): void {
  rmSync(cache, { recursive: true, force: true });
}

export function keepCopy(cache: string, copy: string): void {
  removeCache(copy);
  if (existsSync(cache)) cpSync(cache, copy, { recursive: true });
}

export function putCopyBack(copy: string, cache: string): void {
  removeCache(cache);
  if (existsSync(copy)) cpSync(copy, cache, { recursive: true });
}

/** No file of the cache can be changed, created or removed by its owner, except by root. */
export function makeReadOnly(cache: string): () => void {
  if (!existsSync(cache)) return () => {};
  const entries = [
    cache,
    ...readdirSync(cache, { recursive: true }).map((name) => join(cache, String(name))),
  ];
  const modes = entries.map((path) => ({ path, mode: statSync(path).mode & 0o7777 }));
  for (const { path, mode } of modes.toReversed()) chmodSync(path, mode & 0o555);
  return () => {
    for (const { path, mode } of modes) if (existsSync(path)) chmodSync(path, mode);
  };
}

/** A file where the folder should be, so that root cannot write into it either. */
export function replaceByFile(cache: string): void {
  removeCache(cache);
  writeFileSync(cache, "not a folder");
}

/** Every file has some other bytes in the middle. */
export function damageFiles(cache: string, random: Random): void {
  for (const path of cacheFiles(cache)) {
    const file = openSync(path, "r+");
    const size = statSync(path).size;
    for (let count = 0; count < 20 && size > 0; count++)
      writeSync(file, Buffer.from([Math.floor(random() * 256)]), 0, 1, Math.floor(random() * size));
    closeSync(file);
  }
}

export function fillWithGarbage(cache: string, random: Random): void {
  for (const path of cacheFiles(cache)) {
    const bytes = Uint8Array.from({ length: 10_000 }, () => Math.floor(random() * 256));
    writeFileSync(path, bytes);
  }
}

export function cutFiles(cache: string, random: Random): void {
  for (const path of cacheFiles(cache)) truncateSync(path, Math.floor(statSync(path).size * random()));
}

/** Two files have each other's content. */
export function swapFiles(cache: string, random: Random): void {
  const files = cacheFiles(cache).filter((path) => statSync(path).size > 10_000);
  if (files.length < 2) return;
  const first = pick(random, files);
  const second = pick(
    random,
    files.filter((path) => path !== first),
  );
  const copy = `${first}.swapped`;
  cpSync(first, copy);
  cpSync(second, first);
  cpSync(copy, second);
  rmSync(copy);
}

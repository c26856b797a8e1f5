// Lists the files that a server may leave in its data directory when it ends in order. Everything else is left over.

import { Database } from "bun:sqlite";
import { type Dirent, existsSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { locate } from "../../src/server/data-directory/data-directory.ts";

/** Names below the data directory, besides the files of exports. */
const lasting = [
  /^memledger\.(db|lock|toml|backup)$/,
  /^audit\.(key|pub|rotations)$/,
  /^checkpoints\/[0-9a-f]{32}\.notes$/,
  // Search indexes; a project without a manifest has none.
  /^cache\/search\/[0-9a-f]{32}\/(index|[0-9a-f]{32}\.block)$/,
  // The libraries of one version; from source there are none.
  /^runtime\/[0-9a-f]{16}\/[\w.-]+\.(node|so|so\.\d+|dylib|dll)$/,
];

/** @returns one sentence for each file that nobody needs any more, and for each empty folder that does not belong there */
export function findLeftovers(dataDir: string): string[] {
  // Listed first: whoever reads the database makes files beside it.
  const entries = readdirSync(dataDir, { recursive: true, withFileTypes: true });
  const exports = readExports(dataDir);
  const isExpected = (name: string) => lasting.some((pattern) => pattern.test(name)) || exports.has(name);
  const names = new Set(entries.map((entry) => nameBelow(dataDir, entry)));
  const sets = new Set<string>();
  const faults: string[] = [];
  for (const entry of entries) {
    const name = nameBelow(dataDir, entry);
    if (entry.isDirectory()) continue;
    const [, set] = /^runtime\/([0-9a-f]{16})\//.exec(name) ?? [];
    if (set !== undefined) sets.add(set);
    const isOfNoIndex = name.endsWith(".block") && !names.has(join(dirname(name), "index"));
    if (!entry.isFile() || !isExpected(name) || isOfNoIndex) faults.push(`${name} is left over`);
  }
  if (sets.size > 1) faults.push(`the libraries of ${sets.size} versions are left over`);
  return faults;
}

/** In a folder with backups alone: more than `keep` of them, and everything that is none. */
export function findBackupLeftovers(folder: string, keep: number): string[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder);
  const others = names.filter((name) => !/^[\w-][\w.-]*\.tar\.zst$/.test(name));
  const backups = names.length - others.length;
  return [
    ...others.map((name) => `${name} is left in the folder of backups`),
    ...(backups > keep ? [`${backups} backups are kept, and not ${keep}`] : []),
  ];
}

/** Every file below a folder that must be empty. */
export function findFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true }).map(
    (entry) => `${nameBelow(folder, entry)} is left in ${folder}`,
  );
}

function nameBelow(folder: string, entry: Dirent): string {
  return relative(folder, join(entry.parentPath, entry.name));
}

/** Both files of each export that the database still offers. */
function readExports(dataDir: string): Set<string> {
  const database = new Database(locate(dataDir).database, { readonly: true });
  const rows = database
    .query<{ name: string }, []>(
      "SELECT id || '.' || format AS name FROM audit_export WHERE status = 'completed'",
    )
    .all();
  database.close();
  return new Set(rows.flatMap(({ name }) => [`exports/${name}`, `exports/${name}.manifest`]));
}

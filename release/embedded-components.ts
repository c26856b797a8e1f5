// Collects the names and versions of what an executable contains, for `memledger version --json`.

import { readFileSync } from "node:fs";
import type { EmbeddedComponents } from "../src/platform/native/embedded.ts";
import { nativeLibraries } from "../src/platform/native/platform.ts";
import { prepareRuntime } from "../src/platform/native/runtime.ts";
import { loadVec, openDatabase } from "../src/platform/native/sqlite.ts";
import { installedLibrary } from "./embedded-files.ts";
import { installedPackage, packagesOf } from "./packages.ts";
import { root } from "./source.ts";
import type { Target } from "./targets.ts";

/** @param modules paths of the modules of the program, as `bundledModules` returns them */
export function embeddedComponents(target: Target, modules: readonly string[]): EmbeddedComponents {
  const { sqlite, sourceId, vec } = sqliteVersions();
  const library = readFileSync(installedLibrary(nativeLibraries(target.platform).sqliteAddon, target));
  if (!library.includes(sourceId))
    throw new Error(`SQLite for ${target.name} is not version ${sqlite}. Run: bun install --frozen-lockfile`);
  const packages = packagesOf(modules);
  return {
    target: target.name,
    sqlite,
    sqliteVec: vec,
    onnxRuntime: installedPackage("onnxruntime-node").version,
    apiReference: installedPackage("@scalar/api-reference").version,
    packages: packages.map(({ name, version }) => `${name}@${version}`),
  };
}

type SqliteVersions = Readonly<{ sqlite: string; sourceId: string; vec: string }>;

/** Asks the libraries of this machine. Packages have the same versions for all platforms. */
function sqliteVersions(): SqliteVersions {
  const runtime = prepareRuntime(root);
  const database = openDatabase(":memory:", runtime);
  try {
    loadVec(database, runtime);
    const ask = (name: string) => String(database.prepare(`SELECT ${name}()`).pluck().get());
    const vec = ask("vec_version").replace(/^v/, "");
    return { sqlite: ask("sqlite_version"), sourceId: ask("sqlite_source_id"), vec };
  } finally {
    database.close();
  }
}

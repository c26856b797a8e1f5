// Owns the native libraries on disk: unpacks those of the executable and says where each one lies.
// Must never use a shared temporary folder, and never hand out a library whose hash was not checked.

import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { explainSystemError } from "../files/system-error.ts";
import { type EmbeddedLibrary, embedded } from "./embedded.ts";
import { hashFile } from "./file-hash.ts";
import { currentPlatform, libraryPath, nativeLibraries } from "./platform.ts";
import { disableTelemetry } from "./telemetry.ts";

/** Absolute paths of the native libraries; plain data, so every worker gets a copy. */
export type RuntimeFiles = Readonly<{
  sqliteAddon: string;
  vecExtension: string;
  onnxAddon: string;
  /** The addon loads it by itself. */
  onnxLibrary: string;
}>;

/**
 * Makes the native libraries loadable and returns their paths. Nobody can load one without these paths, so telemetry is
 * switched off here, too, for those who do not come from the command line. From source these are the files in node_modules; the
 * executable unpacks its own into `<directory>/<hash of the set>/` (0700) on its first start and checks their hashes on
 * every start.
 *
 * Why not let Bun load embedded `.node` files by itself: it copies each one to the shared temporary folder, under a
 * name that others can predict, and leaves it there.
 */
export function prepareRuntime(directory: string): RuntimeFiles {
  disableTelemetry();
  const libraries = nativeLibraries(currentPlatform());
  if (embedded === null) {
    return {
      sqliteAddon: libraryPath(libraries.sqliteAddon),
      vecExtension: libraryPath(libraries.vecExtension),
      onnxAddon: libraryPath(libraries.onnxAddon),
      onnxLibrary: libraryPath(libraries.onnxLibrary),
    };
  }
  const folder = unpackLibraries(directory, embedded.libraries);
  return {
    sqliteAddon: join(folder, libraries.sqliteAddon.name),
    vecExtension: join(folder, libraries.vecExtension.name),
    onnxAddon: join(folder, libraries.onnxAddon.name),
    onnxLibrary: join(folder, libraries.onnxLibrary.name),
  };
}

/** Returns the folder that now holds the libraries, each checked by hash. Throws an Error that says what to do. */
export function unpackLibraries(directory: string, libraries: readonly EmbeddedLibrary[]): string {
  const folder = resolve(directory, setName(libraries));
  for (const path of [directory, folder]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  }
  for (const library of libraries) unpack(library, join(folder, library.name));
  return folder;
}

/** One folder per set of libraries: a newer executable never overwrites what a running server may still load. */
function setName(libraries: readonly EmbeddedLibrary[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const library of libraries) hash.update(`${library.name}:${library.sha256}\n`);
  return hash.digest("hex").slice(0, 16);
}

function unpack(library: EmbeddedLibrary, target: string): void {
  if (isIntact(library, target)) return;
  const temporary = `${target}.${process.pid}.${crypto.randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, "", { mode: 0o700, flag: "wx" });
    for (const part of library.parts) {
      appendFileSync(temporary, Bun.zstdDecompressSync(readFileSync(part)));
    }
    renameSync(temporary, target);
  } catch (cause) {
    rmSync(temporary, { force: true });
    const { cause: reason = String(cause), remedy = "Free disk space or make the folder writable." } =
      explainSystemError(cause) ?? {};
    throw new Error(`The native library ${target} cannot be unpacked: ${reason}. ${remedy}`, { cause });
  }
  if (!isIntact(library, target))
    throw new Error(`${target} is not what this executable carries; download the executable again.`);
}

function isIntact(library: EmbeddedLibrary, path: string): boolean {
  const info = statSync(path, { throwIfNoEntry: false });
  return info?.size === library.size && hashFile(path) === library.sha256;
}

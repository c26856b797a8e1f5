// Owns the native libraries on disk: unpacks those of the executable and returns their paths.
// Must never use a shared temporary folder, and never return the path of a library whose hash was not checked.

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

/** Absolute paths of the native libraries. Plain data, so that each worker thread receives a copy. */
export type RuntimeFiles = Readonly<{
  sqliteAddon: string;
  vecExtension: string;
  onnxAddon: string;
  /** Loaded by the addon. */
  onnxLibrary: string;
}>;

/**
 * Prepares the native libraries and returns their paths. From source these are the files in node_modules. The executable unpacks its
 * own into `<directory>/<hash of the set>/` (0700) at its first start, and checks their hashes at every start. Telemetry is disabled
 * here as well as by the command line, because no library can be loaded without these paths.
 *
 * Bun could load embedded `.node` files itself, but it copies each one to the shared temporary folder, under a predictable name, and
 * does not delete it.
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

/** Unpacks the libraries and checks their hashes. @returns their folder. @throws Error that says what to do */
export function unpackLibraries(directory: string, libraries: readonly EmbeddedLibrary[]): string {
  const folder = resolve(directory, setName(libraries));
  for (const path of [directory, folder]) {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    chmodSync(path, 0o700);
  }
  for (const library of libraries) unpack(library, join(folder, library.name));
  return folder;
}

/** One folder for each set of libraries: a newer executable never overwrites a file that a running server may still load. */
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
    throw new Error(
      `The unpacked library ${target} has a wrong hash. Check the disk, then download the executable again.`,
    );
}

function isIntact(library: EmbeddedLibrary, path: string): boolean {
  const info = statSync(path, { throwIfNoEntry: false });
  return info?.size === library.size && hashFile(path) === library.sha256;
}

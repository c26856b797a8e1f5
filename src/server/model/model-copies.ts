// Owns the copies of embedding models in the data directory. A model that a database was changed to is kept there, so that the next
// start needs neither a setting nor the directory that it came from. Must never change a copy that is complete.

import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  findBuiltInModel,
  type ModelSource,
  readModelDirectory,
  readParts,
} from "../../models/embedding/model-directory.ts";
import { makeFolder, syncFile, syncFolder, writeWhole } from "../../platform/files/durable.ts";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { hashFile } from "../../platform/native/file-hash.ts";

const folderName = "models";
/** Other names in the folder are not ours, such as a model that the operator put there. */
const copyName = /^[0-9a-f]{64}$/;

/** Where the copies of a data directory are; each has the SHA-256 of its model as its name. */
export function modelCopiesFolder(root: string): string {
  return join(root, folderName);
}

/** The copies in the data directory, by the SHA-256 of their models. */
export function listModelCopies(root: string): string[] {
  const folder = modelCopiesFolder(root);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => copyName.test(name))
    .toSorted();
}

/** A built-in model, or its copy in the data directory. @throws Error when the copy is damaged */
export function findModelCopy(root: string, sha256: string): ModelSource | null {
  const builtIn = findBuiltInModel(sha256);
  if (builtIn !== null) return builtIn;
  const path = join(modelCopiesFolder(root), sha256);
  if (!existsSync(path)) return null;
  const found = tryToRead(path);
  if (found?.sha256 === sha256) return found;
  throw new Error(
    `The copy of the embedding model in ${path} was changed or cannot be read. To copy it again, run memledger reembed --model with the directory of the model.`,
  );
}

function tryToRead(path: string): ModelSource | null {
  try {
    return readModelDirectory(path);
  } catch {
    return null;
  }
}

/**
 * Copies a model into the data directory, unless it is there or built in.
 * @throws Error that says what to do when a file changes meanwhile or cannot be read or written
 */
export function saveModelCopy(root: string, source: ModelSource): ModelSource {
  const path = join(modelCopiesFolder(root), source.sha256);
  if (existsSync(path)) {
    const kept = tryToFind(root, source.sha256);
    if (kept !== null) return kept;
    rmSync(path, { recursive: true, force: true });
  }
  const builtIn = findBuiltInModel(source.sha256);
  if (builtIn !== null) return builtIn;
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    copyModel(source, temporary);
    if (readModelDirectory(temporary).sha256 !== source.sha256) throw changedMeanwhile();
    renameSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    rmSync(temporary, { recursive: true, force: true });
    const cause = explainSystemError(error);
    if (cause === null) throw error;
    throw new Error(`The embedding model cannot be copied to ${path}: ${cause.cause}. ${cause.remedy}`, {
      cause: error,
    });
  }
  return readModelDirectory(path);
}

/** Removes the copy of a model that no database belongs to. */
export function removeModelCopy(root: string, sha256: string): void {
  rmSync(join(modelCopiesFolder(root), sha256), { recursive: true, force: true });
}

/** Removes the copies of other models. Call it only while no other process may use or make one. */
export function removeOtherModels(root: string, sha256: string): void {
  for (const kept of listModelCopies(root)) if (kept !== sha256) removeModelCopy(root, kept);
}

function tryToFind(root: string, sha256: string): ModelSource | null {
  try {
    return findModelCopy(root, sha256);
  } catch {
    return null;
  }
}

function copyModel({ id, files }: ModelSource, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  makeFolder(folder);
  const hashes: Record<string, { sha256: string }> = {};
  for (const [name, parts] of Object.entries(files)) {
    const to = join(folder, name);
    makeFolder(dirname(to));
    writeFileSync(to, readParts(parts), { mode: 0o600 });
    syncFile(to);
    syncFolder(dirname(to));
    hashes[name] = { sha256: hashFile(to) };
  }
  writeWhole(join(folder, "manifest.json"), `${JSON.stringify({ name: id, files: hashes }, null, 2)}\n`);
}

function changedMeanwhile(): Error {
  return new Error("The files of the model changed while they were copied. Run the command again.");
}

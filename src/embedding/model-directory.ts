// Owns the Hugging Face layout of a model directory: which files count, their hash, and what they say about the model.
// Must never run the model, and never accept a directory whose files differ from its manifest.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { embedded, type ModelFiles } from "../native/embedded.ts";
import { hashFile } from "../native/file-hash.ts";

/** Where a model's files are, on disk or inside the executable; plain data, so the worker gets a copy. */
export type ModelSource = ModelFiles;

const defaultDirectory = "models/memledger-embed-v1";
const requiredFiles = ["config.json", "tokenizer.json", "tokenizer_config.json"];
const optionalFiles = [
  "1_Pooling/config.json",
  "config_sentence_transformers.json",
  "modules.json",
  "sentence_bert_config.json",
];
const preferredGraphs = ["model_quantized.onnx", "model.onnx"];

/** The model inside the executable; from source, the one in `models/`. */
export function defaultModel(): ModelSource {
  return embedded?.model ?? readModelDirectory(join(import.meta.dir, "../..", defaultDirectory));
}

/**
 * Finds, checks and hashes the files of a model directory. `id` is the name in the manifest, else the directory's name; `sha256` covers
 * the names and contents of all files that the embedder reads. Throws an Error that says what to do about the directory.
 */
export function readModelDirectory(directory: string): ModelSource {
  const root = resolve(directory);
  if (!isDirectory(root))
    throw new Error(`There is no model directory at ${root}; give --model an existing one.`);
  const missing = requiredFiles.filter((name) => !isFile(join(root, name)));
  if (missing.length > 0) {
    throw new Error(
      `${root} lacks ${missing.join(", ")}; export the model in the Hugging Face layout, for example with optimum-cli.`,
    );
  }
  const names = [
    ...requiredFiles,
    ...optionalFiles.filter((name) => isFile(join(root, name))),
    graphFile(root),
  ];
  const hashes = new Map(names.map((name): [string, string] => [name, hashFile(join(root, name))]));
  const manifest = readManifest(root);
  for (const [name, expected] of manifest.files) {
    const actual = hashes.get(name) ?? (isFile(join(root, name)) ? hashFile(join(root, name)) : "missing");
    if (actual !== expected) {
      throw new Error(
        `${join(root, name)} is not the file its manifest.json describes; copy the model directory again.`,
      );
    }
  }
  return {
    id: manifest.id ?? basename(root),
    sha256: hashOfHashes(hashes),
    files: Object.fromEntries(names.map((name) => [name, join(root, name)])),
  };
}

function graphFile(root: string): string {
  const folder = join(root, "onnx");
  const graphs = isDirectory(folder)
    ? readdirSync(folder)
        .filter((name) => /^model.*\.onnx$/.test(name))
        .sort()
    : [];
  const graph = preferredGraphs.find((name) => graphs.includes(name)) ?? graphs[0];
  if (graph === undefined) {
    throw new Error(
      `${folder} holds no model*.onnx; export the model to ONNX first, for example with optimum-cli.`,
    );
  }
  if (isFile(join(folder, `${graph}_data`))) {
    throw new Error(
      `${join(folder, graph)} keeps its weights in ${graph}_data; export it as one file below 2 GB.`,
    );
  }
  return `onnx/${graph}`;
}

/** The manifest is ours, and optional: `{ name, files: { path: { sha256 } } }`. */
function readManifest(root: string): { id: string | undefined; files: [string, string][] } {
  const path = join(root, "manifest.json");
  if (!isFile(path)) return { id: undefined, files: [] };
  const { name: id, files } = readJson(path, "manifest.json");
  const broken = new Error(
    `${path} must look like { "name": ..., "files": { path: { "sha256": ... } } }; copy the model directory again.`,
  );
  if (!isRecord(files)) throw broken;
  const entries = Object.entries(files).map(([name, value]): [string, string] => {
    const sha256 = isRecord(value) ? value.sha256 : undefined;
    if (typeof sha256 !== "string") throw broken;
    return [name, sha256.toLowerCase()];
  });
  return { id: typeof id === "string" ? id : undefined, files: entries };
}

/**
 * Throws when the files are no longer those that were hashed: a worker that is restarted after somebody replaced the model
 * must not mix vectors of two models.
 */
export function assertUnchanged(source: ModelSource): void {
  // The executable's own files cannot change, and cannot be opened in slices.
  if (source.sha256 === embedded?.model.sha256) return;
  const hashes = Object.entries(source.files).map(([name, path]): [string, string] => [name, hashFile(path)]);
  if (hashOfHashes(hashes) !== source.sha256) {
    throw new Error("The model's files changed while it was in use; start the server again.");
  }
}

function hashOfHashes(hashes: Iterable<readonly [string, string]>): string {
  const lines = [...hashes].map(([name, sha256]) => `${sha256}  ${name}\n`).sort();
  return new Bun.CryptoHasher("sha256").update(lines.join("")).digest("hex");
}

/** Parses a JSON object; `name` is for the error message. */
export function readJson(path: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new Error(`The model's ${name} is not JSON; copy the model directory again.`, { cause });
  }
  throw new Error(`The model's ${name} is not a JSON object; copy the model directory again.`);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

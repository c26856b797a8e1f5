// Owns the Hugging Face layout of a model directory: its required and optional files, and their hash. The head of a reranker has the same
// layout, without a tokenizer.
// Must never run the model, and never accept a directory whose files differ from its manifest.

import { readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { embedded, type ModelFiles } from "../../platform/native/embedded.ts";
import { hashFile } from "../../platform/native/file-hash.ts";

/** The paths of a model's files, on disk or inside the executable. Plain data, so that the worker receives a copy. */
export type ModelSource = ModelFiles;

/** The first one is that of new data directories. */
const modelDirectories = [
  "models/memledger-embed-v3",
  "models/memledger-embed-v2",
  "models/memledger-embed-v1",
] as const;
/** Each belongs to other embedding models (head.ts). */
const headDirectories = ["models/memledger-rerank-v2", "models/memledger-rerank-v1"];
const headFiles = ["config.json"];
const requiredFiles = ["config.json", "tokenizer.json", "tokenizer_config.json"];
const optionalFiles = [
  "1_Pooling/config.json",
  "config_sentence_transformers.json",
  "modules.json",
  "sentence_bert_config.json",
];
const preferredGraphs = ["model_quantized.onnx", "model.onnx"];

let fromSource: readonly ModelSource[] | undefined;

/** The models inside the executable; from source, those in `models/`, which are hashed once. */
export function builtInModels(): readonly ModelSource[] {
  if (embedded !== null) return embedded.models;
  fromSource ??= modelDirectories.map((name) => readModelDirectory(join(import.meta.dir, "../../..", name)));
  return fromSource;
}

/** The built-in model with this hash; null: none has it. */
export function findBuiltInModel(sha256: string): ModelSource | null {
  return builtInModels().find((model) => model.sha256 === sha256) ?? null;
}

/** The built-in model of new data directories. */
export function defaultModel(): ModelSource {
  return embedded?.models[0] ?? readModelDirectory(join(import.meta.dir, "../../..", modelDirectories[0]));
}

/** The heads inside the executable; from source, those in `models/`. */
export function builtInHeads(): readonly ModelSource[] {
  return (
    embedded?.heads ??
    headDirectories.map((name) => readHeadDirectory(join(import.meta.dir, "../../..", name)))
  );
}

/** As readModelDirectory, for the head of a reranker. @throws Error that says what to do */
export function readHeadDirectory(directory: string): ModelSource {
  return readDirectory(resolve(directory), headFiles);
}

/**
 * Finds, checks and hashes the files of a model directory. `id` is the name in the manifest, or the name of the directory; `sha256`
 * covers the names and contents of all files that the embedder reads.
 * @throws Error that says what to do
 */
export function readModelDirectory(directory: string): ModelSource {
  const root = resolve(directory);
  try {
    return readDirectory(root, requiredFiles);
  } catch (error) {
    const found = explainSystemError(error);
    if (found === null) throw error;
    throw new Error(`The model directory ${root} cannot be read: ${found.cause}. ${found.remedy}`, {
      cause: error,
    });
  }
}

function readDirectory(root: string, required: readonly string[]): ModelSource {
  if (!isDirectory(root)) {
    const found = isFile(root)
      ? "is a file. Set --model to the directory that contains config.json and the folder onnx."
      : "does not exist. Correct --model.";
    throw new Error(`The model directory ${root} ${found}`);
  }
  const missing = required.filter((name) => !isFile(join(root, name)));
  if (missing.length > 0) {
    throw new Error(
      `The model directory ${root} has no ${missing.join(", ")}. Export the model in the Hugging Face layout, for example with optimum-cli.`,
    );
  }
  const graph = graphFile(root);
  const names = [...required, ...optionalFiles.filter((name) => isFile(join(root, name))), graph];
  const hashes = new Map(names.map((name): [string, string] => [name, hashFile(join(root, name))]));
  const manifest = readManifest(root);
  for (const [name, expected] of manifest.files) {
    const actual = hashes.get(name) ?? (isFile(join(root, name)) ? hashFile(join(root, name)) : "missing");
    if (actual !== expected) {
      throw new Error(
        `${join(root, name)} does not match its hash in manifest.json. Copy the model directory again.`,
      );
    }
  }
  return {
    id: manifest.id ?? basename(root),
    sha256: hashOfHashes(hashes),
    graphSha256: hashes.get(graph) ?? "",
    files: Object.fromEntries(names.map((name) => [name, [join(root, name)]])),
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
      `${folder} contains no file model*.onnx. Export the model to ONNX, for example with optimum-cli.`,
    );
  }
  if (isFile(join(folder, `${graph}_data`))) {
    throw new Error(
      `${join(folder, graph)} stores its weights in ${graph}_data, which is not supported. Export the model as one file below 2 GB.`,
    );
  }
  return `onnx/${graph}`;
}

/** The optional manifest of memledger: `{ name, files: { path: { sha256 } } }`. */
function readManifest(root: string): { id: string | undefined; files: [string, string][] } {
  const path = join(root, "manifest.json");
  if (!isFile(path)) return { id: undefined, files: [] };
  const { name: id, files } = parseObject(readFileSync(path, "utf8"), "manifest.json");
  const broken = new Error(
    `${path} must look like { "name": ..., "files": { path: { "sha256": ... } } }. Copy the model directory again.`,
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
 * A restarted worker must not mix vectors of two models.
 * @throws Error when the files have changed since they were hashed
 */
export function assertUnchanged(source: ModelSource): void {
  // The files of the executable cannot change, and cannot be read in parts.
  if (embedded?.models.some(({ sha256 }) => sha256 === source.sha256) === true) return;
  const hashes = Object.entries(source.files).map(([name, parts]): [string, string] => [
    name,
    hashFile(...parts),
  ]);
  if (hashOfHashes(hashes) !== source.sha256) {
    throw new Error("The files of the model changed while the server was running. Restart the server.");
  }
}

function hashOfHashes(hashes: Iterable<readonly [string, string]>): string {
  const lines = [...hashes].map(([name, sha256]) => `${sha256}  ${name}\n`).sort();
  return new Bun.CryptoHasher("sha256").update(lines.join("")).digest("hex");
}

/** The bytes of the ONNX graph. */
export function readGraph({ files }: ModelSource): Uint8Array {
  const graph = Object.entries(files).find(([name]) => name.endsWith(".onnx"));
  if (graph === undefined) throw new Error("The model has no ONNX graph. Copy the model directory again.");
  return readParts(graph[1]);
}

/** The bytes of a file of a model. */
export function readParts(parts: readonly string[]): Buffer {
  const [only, ...others] = parts.map((part) => readFileSync(part));
  return only !== undefined && others.length === 0
    ? only
    : Buffer.concat([only ?? Buffer.alloc(0), ...others]);
}

/** Parses a file of a model that is a JSON object. @throws Error that says what to do */
export function readJson(
  { files }: Pick<ModelSource, "files">,
  name: string,
): Readonly<Record<string, unknown>> {
  return parseObject(readParts(files[name] ?? []).toString("utf8"), name);
}

function parseObject(text: string, name: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    if (isRecord(value)) return value;
  } catch (cause) {
    throw new Error(`The model's ${name} is not valid JSON. Copy the model directory again.`, { cause });
  }
  throw new Error(`The model's ${name} is not a JSON object. Copy the model directory again.`);
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

// Owns the list of files inside the executable. release/embedded-files.ts replaces this module; from source there are none.
// Must never read a file, so that importing it is fast.

/**
 * A file that is unpacked before use. `parts` are files inside the executable, each compressed separately with zstd, so that unpacking
 * 46 MB needs little memory.
 */
export type EmbeddedLibrary = Readonly<{
  name: string;
  parts: readonly string[];
  size: number;
  sha256: string;
}>;

/**
 * A verified model directory. `files` maps names in it (`onnx/model.onnx`) to the paths of their parts, in order: one part on disk, and inside
 * the executable several where two models have parts in common.
 */
export type ModelFiles = Readonly<{
  id: string;
  sha256: string;
  /** SHA-256 of the ONNX graph alone, by which a head names the model that it belongs to. */
  graphSha256: string;
  files: Readonly<Record<string, readonly string[]>>;
}>;

/** Versions of what is in the executable. `packages` are the npm packages of the program, as `name@version`. */
export type EmbeddedComponents = Readonly<{
  target: string;
  sqlite: string;
  sqliteVec: string;
  onnxRuntime: string;
  apiReference: string;
  packages: readonly string[];
}>;

/** A file of the console. `gzip` and `brotli` are paths inside the executable, each the whole content. */
export type EmbeddedConsoleFile = Readonly<{ name: string; type: string; gzip: string; brotli: string }>;

export type Embedded = Readonly<{
  libraries: readonly EmbeddedLibrary[];
  /** Embedding models; the first one is that of new data directories. */
  models: readonly [ModelFiles, ...ModelFiles[]];
  /** Heads of rerankers. */
  heads: readonly ModelFiles[];
  /** The browser bundle of the API reference, gzip-compressed. */
  apiReference: string;
  console: readonly EmbeddedConsoleFile[];
  components: EmbeddedComponents;
}>;

export const embedded: Embedded | null = null;

// Lists the files that travel inside the executable: nothing when run from source, as here; build.ts replaces this module.
// Must never read a file, so that importing it costs nothing.

/**
 * A file that is unpacked before use. `parts` are files inside the executable, each zstd-compressed by itself, so that 46 MB
 * can be unpacked without holding them in memory.
 */
export type EmbeddedLibrary = Readonly<{
  name: string;
  parts: readonly string[];
  size: number;
  sha256: string;
}>;

/** A checked model directory; `files` maps names in it (`onnx/model.onnx`) to paths, here inside the executable. */
export type ModelFiles = Readonly<{ id: string; sha256: string; files: Readonly<Record<string, string>> }>;

export type Embedded = Readonly<{
  libraries: readonly EmbeddedLibrary[];
  model: ModelFiles;
  /** The API reference's browser bundle, gzip. */
  apiReference: string;
}>;

export const embedded: Embedded | null = null;

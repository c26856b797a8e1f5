// Owns the check that the disk has room for the vectors of a new model beside the previous ones.

import { statfsSync, statSync } from "node:fs";
import type { ModelBinding } from "../../storage/model-change-store.ts";
import { bytesPerVector, spareDiskBytes } from "./limits.ts";

const bytesPerMb = 1024 * 1024;

/**
 * The previous vectors are deleted only after the change, and the copy of the model is made before.
 * @throws Error that says how much space is needed
 */
export function requireDiskSpace(
  root: string,
  memories: number,
  { files }: { readonly files: Readonly<Record<string, readonly string[]>> },
  { dimensions }: ModelBinding,
): void {
  const model = Object.values(files)
    .flat()
    .reduce((sum, path) => sum + statSync(path).size, 0);
  const vectors = memories * (dimensions * Float32Array.BYTES_PER_ELEMENT + bytesPerVector);
  const needed = model + vectors + spareDiskBytes;
  const { bavail, bsize } = statfsSync(root);
  const free = bavail * bsize;
  if (free >= needed) return;
  throw new Error(
    `The change of the model needs ${Math.ceil(needed / bytesPerMb)} MiB beside the present embeddings, but ${root} has ${Math.floor(free / bytesPerMb)} MiB free. Free disk space, then try again. Nothing was changed.`,
  );
}

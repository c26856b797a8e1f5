// Owns the static files that the server sends to browsers. Must never download a file.

import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { embedded } from "./embedded.ts";

/** The script of the API reference, gzip-compressed: send it with `Content-Encoding: gzip`. */
export async function apiReferenceScript(): Promise<Uint8Array<ArrayBuffer>> {
  if (embedded !== null) return Bun.file(embedded.apiReference).bytes();
  return compressApiReference();
}

/** Compresses the browser bundle of the installed package. */
export async function compressApiReference(): Promise<Uint8Array<ArrayBuffer>> {
  const manifest = createRequire(import.meta.url).resolve("@scalar/api-reference/package.json");
  const script = await Bun.file(join(dirname(manifest), "dist/browser/standalone.js")).bytes();
  return new Uint8Array(await promisify(gzip)(script, { level: 9 }));
}

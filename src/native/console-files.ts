// Owns access to the browser files of the console: embedded in an executable, built once when the program runs from source.

import { gunzipSync } from "node:zlib";
import { buildConsole } from "./console-build.ts";
import { type EmbeddedConsoleFile, embedded } from "./embedded.ts";

export type ContentCoding = "br" | "gzip" | "identity";

export interface ConsoleFile {
  /** Such as `main-1a2b3c4d.js`; `index.html` is the page. */
  readonly name: string;
  /** Media type. */
  readonly type: string;
  readonly read: (coding: ContentCoding) => Promise<Uint8Array<ArrayBuffer>>;
}

/** By their names. @throws Error when the source does not build */
export async function consoleFiles(): Promise<ReadonlyMap<string, ConsoleFile>> {
  const files = embedded === null ? await built() : embedded.console.map(embeddedFile);
  return new Map(files.map((file) => [file.name, file]));
}

async function built(): Promise<ConsoleFile[]> {
  const { files } = await buildConsole();
  return files.map(({ name, type, bytes, gzip, brotli }) => {
    const forms = { br: brotli, gzip, identity: bytes };
    return { name, type, read: async (coding) => forms[coding] };
  });
}

function embeddedFile({ name, type, gzip, brotli }: EmbeddedConsoleFile): ConsoleFile {
  return {
    name,
    type,
    async read(coding) {
      const bytes = await Bun.file(coding === "br" ? brotli : gzip).bytes();
      return coding === "identity" ? new Uint8Array(gunzipSync(bytes)) : bytes;
    },
  };
}

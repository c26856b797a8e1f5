// Owns access to the browser files of the console: embedded in an executable, built once when the program runs from source.

import { gunzipSync } from "node:zlib";
import { type EmbeddedConsoleFile, embedded } from "../../../platform/native/embedded.ts";
import { version } from "../../../platform/version.ts";
import { buildConsole } from "./console-build.ts";

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

/** Of `consoleFiles`: the page that verifies exports without a server. */
export const verifierName = "verifier.html";
/** In executables: the licence of memledger, and those of all components. */
export const licenceName = "licence.txt";
export const noticesName = "notices.txt";
/** How the page is named when it is saved. All executables of one version have the same page. */
export const verifierFileName = `memledger-verifier-${version}.html`;

/** The page that verifies exports without a server. */
export async function verifierPage(): Promise<ConsoleFile> {
  const page = (await consoleFiles()).get(verifierName);
  if (page === undefined) throw new Error("the console has no page to save");
  return page;
}

async function built(): Promise<ConsoleFile[]> {
  const { files } = await buildConsole(null);
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

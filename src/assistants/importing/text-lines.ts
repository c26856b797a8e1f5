// Owns the lines of a source as texts, with their numbers. A line that is too long or not UTF-8 is a fault of this line only.

import { splitLines } from "../../platform/text/byte-lines.ts";
import { recordMaxBytes } from "./limits.ts";

export type TextLine = { readonly line: number } & ({ readonly text: string } | { readonly fault: string });

/** Removes a byte order mark at the beginning. */
const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Without their ends, LF or CRLF. */
export async function* readTextLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<TextLine> {
  let line = 0;
  for await (const bytes of splitLines(stream, recordMaxBytes)) {
    line += 1;
    yield bytes === null ? { line, fault: tooLong } : { line, ...decode(bytes) };
  }
}

/** Those of a text that is read already. */
export async function* linesOfText(text: string): AsyncGenerator<TextLine> {
  for (const [at, each] of text.split(/\r?\n/).entries()) yield { line: at + 1, text: each };
}

export const tooLong = `is longer than ${recordMaxBytes / 1024 / 1024} MiB; shorten it`;

export function decode(bytes: Uint8Array): { readonly text: string } | { readonly fault: string } {
  try {
    return { text: utf8.decode(bytes).replace(/\r$/, "") };
  } catch {
    return { fault: "is not valid UTF-8; convert the file to UTF-8" };
  }
}

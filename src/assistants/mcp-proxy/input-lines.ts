// Owns the lines of stdin as texts. Knows nothing of what they contain.

import { splitLines } from "../../platform/text/byte-lines.ts";

/** A line without its end; null: it was too long, or not UTF-8, and is dropped. */
export type InputLine = string | null;

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** The last line needs no line feed. */
export async function* readLines(
  stream: AsyncIterable<Uint8Array>,
  lineMaxBytes: number,
): AsyncGenerator<InputLine> {
  for await (const line of splitLines(stream, lineMaxBytes)) yield line === null ? null : decode(line);
}

function decode(line: Uint8Array): InputLine {
  try {
    return utf8.decode(line);
  } catch {
    return null;
  }
}

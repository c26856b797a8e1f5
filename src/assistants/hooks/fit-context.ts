// Owns the choice of the lines of a prompt section that a hook prints: those that the conversation does not have yet, as many as the client
// accepts. Pure. Must never shorten or change a line; docs/user/PROMPT-FORMAT.md describes them.

import { contextMaxBytes } from "./limits.ts";

export interface FittedContext {
  /** A prompt section in the same form; empty when no line is left. */
  readonly text: string;
  /** The lines of the memories in it. */
  readonly lines: readonly string[];
  /** Lines that were left out because of the size. */
  readonly omitted: number;
}

const memoryLine = /^- \(/;

/** Takes the lines in their order, rules first, and skips each that does not fit, so shorter ones after a long one may still fit. */
export function fitContext(
  section: string,
  isPrinted: (line: string) => boolean,
  maxBytes = contextMaxBytes,
): FittedContext {
  const all = section.split("\n");
  let bytes = all.reduce(
    (left, line) => (memoryLine.test(line) ? left - sizeOf(line) : left),
    Buffer.byteLength(section),
  );
  let omitted = 0;
  const kept = all.filter((line) => {
    if (!memoryLine.test(line)) return true;
    if (isPrinted(line)) return false;
    if (bytes + sizeOf(line) > maxBytes) {
      omitted += 1;
      return false;
    }
    bytes += sizeOf(line);
    return true;
  });
  const lines = kept.filter((line) => memoryLine.test(line));
  return { text: lines.length === 0 ? "" : withoutEmptyParts(kept).join("\n"), lines, omitted };
}

/** With its line feed. */
function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}

/** Without `<rules>` directly before `</rules>`, and so on. */
function withoutEmptyParts(lines: readonly string[]): string[] {
  return lines.filter((line, index) => {
    const isEmptyStart = `</${line.slice(1)}` === lines[index + 1];
    const isEmptyEnd = line.startsWith("</") && lines[index - 1] === `<${line.slice(2)}`;
    return !isEmptyStart && !isEmptyEnd;
  });
}

// Owns the stored lines of the parts of a payload of version 2: where each one is, and the value of a text. Must never correct anything.

import { type Json, readJson } from "../../platform/json/json.ts";
import { hashBytes } from "./cryptography.ts";
import { partMaxCount } from "./entry-version-2.ts";
import type { PartHeader } from "./part-header.ts";

/** A payload as it is stored, decompressed. */
export interface StoredParts {
  /** One line for each part. */
  readonly content: Uint8Array;
  /** One after another: the salt of a part that has its text, the text hash of an erased one, the part hash of a withheld one. */
  readonly salt: Uint8Array;
}

/** Where a part is in the stored bytes. */
export interface PartLine {
  readonly start: number;
  /** Of the line feed. */
  readonly end: number;
  /** Of the tab before the text; `end` for a part without its text. */
  readonly headerEnd: number;
  readonly saltStart: number;
}

export interface ParsedParts extends StoredParts {
  readonly lines: readonly PartLine[];
  /** Null: the part is withheld. */
  readonly headers: readonly (PartHeader | null)[];
}

export const saltBytes = 16;
const tab = 0x09;
const lineFeed = 0x0a;
/** `{}`, which is not a header. */
const withheldBytes = 2;

/** Null when lines, salts and number disagree, a text is empty, or bytes are left over. */
export function findLines({ content, salt }: StoredParts, count: number): PartLine[] | null {
  if (count < 1 || count > partMaxCount) return null;
  const lines: PartLine[] = [];
  let saltStart = 0;
  // Of the first tab that is not before the line, so that lines without a text are not searched again and again.
  let nextTab = -1;
  for (let start = 0; start < content.length; ) {
    const end = content.indexOf(lineFeed, start);
    if (end === -1 || lines.length === count) return null;
    if (nextTab < start) {
      const found = content.indexOf(tab, start);
      nextTab = found === -1 ? content.length : found;
    }
    const headerEnd = Math.min(nextTab, end);
    if (headerEnd === end - 1) return null;
    lines.push({ start, end, headerEnd, saltStart });
    saltStart += headerEnd === end ? hashBytes : saltBytes;
    start = end + 1;
  }
  return lines.length === count && saltStart === salt.length ? lines : null;
}

/** Whether a part has no text: it is erased or withheld. */
export function isErased({ headerEnd, end }: PartLine): boolean {
  return headerEnd === end;
}

/** Whether a part has no header either. No valid header is as short. */
export function isWithheld({ start, headerEnd, end }: PartLine): boolean {
  return headerEnd === end && end - start === withheldBytes;
}

/** The indices of the parts that are erased and not withheld. */
export function erasedParts({ lines }: Pick<ParsedParts, "lines">): number[] {
  const erased: number[] = [];
  for (const [index, line] of lines.entries()) if (isErased(line) && !isWithheld(line)) erased.push(index);
  return erased;
}

/** Keeps a byte order mark, so that it is refused. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Null for bytes that are not UTF-8. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes);
  } catch {
    return null;
  }
}

/** Null for bytes that are not UTF-8. */
export function readHeaderText(content: Uint8Array, { start, headerEnd }: PartLine): string | null {
  return decodeText(content.subarray(start, headerEnd));
}

/** Null for bytes that are not UTF-8. */
export function readText(content: Uint8Array, { headerEnd, end }: PartLine): string | null {
  return decodeText(content.subarray(headerEnd + 1, end));
}

/** A new copy of the value of a text; undefined: it is not JSON. */
export function readValue(content: Uint8Array, line: PartLine): Json | undefined {
  const text = readText(content, line);
  return text === null ? undefined : readJson(text);
}

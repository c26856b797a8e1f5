// Owns the cursor of the list of audit records: where the next page begins, the total of the first page, and which list it belongs to.
// For clients the cursor is an opaque text.

import { fieldRefusal } from "../platform/errors.ts";

export interface Position {
  /** The next page begins with the newest record below this seq. */
  readonly below: number;
  /** Number of matching records on all pages when the first page was read. */
  readonly total: number;
}

/** A short name of a list: the same project and filters give the same name. 64 bits of SHA-256 in hexadecimal. */
export function nameList(...parts: readonly (string | number | null)[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

export function toCursor(list: string, { below, total }: Position): string {
  return Buffer.from(`${list} ${below} ${total}`).toString("base64url");
}

/** @throws Refusal 1400 when the text is not a cursor, or belongs to another list. */
export function fromCursor(list: string, cursor: string): Position {
  const text = Buffer.from(cursor, "base64url").toString();
  const [, name, below, total] = /^([0-9a-f]{16}) ([1-9]\d{0,14}) (\d{1,15})$/.exec(text) ?? [];
  if (name === list) return { below: Number(below), total: Number(total) };
  if (name === undefined)
    throw fieldRefusal("cursor", "is not a valid cursor", "Send next_cursor exactly as it was returned");
  throw fieldRefusal(
    "cursor",
    "belongs to another list",
    "Send it with the same filters and a key of the same project",
  );
}

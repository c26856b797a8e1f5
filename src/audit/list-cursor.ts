// Owns the cursor of the list of audit records: where the next page begins, how many records the first page counted, and which list it
// belongs to. Clients see an opaque text.

import { Refusal } from "../errors.ts";

export interface Position {
  /** The next page begins with the newest record below this seq. */
  readonly below: number;
  /** Records that matched when the first page was read, on all pages. */
  readonly total: number;
}

/** A short name of a list: the same project and filters give the same name. 64 bits of SHA-256 in hexadecimal. */
export function nameList(...parts: readonly (string | number | null)[]): string {
  return new Bun.CryptoHasher("sha256").update(JSON.stringify(parts)).digest("hex").slice(0, 16);
}

export function toCursor(list: string, { below, total }: Position): string {
  return Buffer.from(`${list} ${below} ${total}`).toString("base64url");
}

/** @throws Refusal 1400 when it is no cursor, or one of another list. */
export function fromCursor(list: string, cursor: string): Position {
  const text = Buffer.from(cursor, "base64url").toString();
  const [, name, below, total] = /^([0-9a-f]{16}) ([1-9]\d{0,14}) (\d{1,15})$/.exec(text) ?? [];
  if (name === list) return { below: Number(below), total: Number(total) };
  if (name === undefined) throw refuse("is not a cursor of this list", "Send next_cursor as it was answered");
  throw refuse("belongs to another list", "Send it with the filters and the key's project that it came from");
}

function refuse(reason: string, advice: string): Refusal {
  return new Refusal(1400, `Field "cursor" ${reason}. ${advice}.`, { field: "cursor", reason });
}

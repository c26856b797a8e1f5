// Owns the cursor of the list of memories. It contains the serial of a memory, which counts the memories of all projects, so it is
// encrypted: a client must not learn how many others there are. It stays valid after a restart, so a page has an address that can be kept.

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Database } from "../../../native/sqlite.ts";

/** The place in a list behind which a page begins. */
export interface ListPosition {
  /** What the list is sorted by, of the last memory before; null: it has no such date. */
  readonly value: number | null;
  readonly serial: number;
  /** Number of matching memories when the first page was read. */
  readonly total: number;
  /** Number of memories on the pages before. */
  readonly before: number;
}

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** @param list names the project, the filters and the order; a cursor of another list is not accepted */
export interface ListCursors {
  write(list: string, position: ListPosition): string;
  /** Null: it is not a cursor of this list. */
  read(list: string, cursor: string): ListPosition | null;
}

export function createListCursors(database: Database): ListCursors {
  const stored = database
    .prepare<[], string>("SELECT value FROM installation WHERE name = 'cursor_key'")
    .pluck();
  let known: Buffer | null = null;
  const key = (): Buffer => {
    known ??= Buffer.from(stored.get() ?? "", "hex");
    return known;
  };
  return {
    write(list, { value, serial, total, before }) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key(), nonce).setAAD(Buffer.from(list));
      const text = cipher.update(JSON.stringify({ value, serial, total, before }));
      return Buffer.concat([nonce, text, cipher.final(), cipher.getAuthTag()]).toString("base64url");
    },
    read(list, cursor) {
      const bytes = Buffer.from(cursor, "base64url");
      if (bytes.length < nonceBytes + tagBytes) return null;
      const decipher = createDecipheriv(algorithm, key(), bytes.subarray(0, nonceBytes));
      decipher.setAAD(Buffer.from(list)).setAuthTag(bytes.subarray(-tagBytes));
      try {
        const text = decipher.update(bytes.subarray(nonceBytes, -tagBytes));
        // What was written: nobody else has the key.
        return JSON.parse(Buffer.concat([text, decipher.final()]).toString());
      } catch {
        return null;
      }
    },
  };
}

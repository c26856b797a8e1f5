// Owns the cursors of lists of memories and of tags. That of memories contains the serial of one, which counts the memories of all projects,
// so cursors are encrypted: a client must not learn how many others there are. They stay valid after a restart, so a page has an address that
// can be kept.

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { Database } from "../../../platform/native/sqlite.ts";
import type { PagePlace } from "../../../platform/schema/page.ts";

const algorithm = "aes-256-gcm";
const nonceBytes = 12;
const tagBytes = 16;

/** @param list names the project, the filters and the order; a cursor of another list is not accepted */
export interface ListCursors<Position> {
  write(list: string, position: ListPosition<Position>): string;
  /** Null: it is not a cursor of this list. */
  read(list: string, cursor: string): ListPosition<Position> | null;
}

/** The item behind which a page begins, and what the page before says about the list. */
export type ListPosition<Position> = Position & Pick<PagePlace, "total" | "before">;

export function createListCursors<Position extends object>(database: Database): ListCursors<Position> {
  const stored = database
    .prepare<[], string>("SELECT value FROM installation WHERE name = 'cursor_key'")
    .pluck();
  let known: Buffer | null = null;
  const key = (): Buffer => {
    known ??= Buffer.from(stored.get() ?? "", "hex");
    return known;
  };
  return {
    write(list, position) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv(algorithm, key(), nonce).setAAD(Buffer.from(list));
      const text = cipher.update(JSON.stringify(position));
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

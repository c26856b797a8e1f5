// Owns the id of a memory that has an id at its source. The same source id gives the same memory of an owner, so that a repeated import
// stores nothing twice.

import { createHash } from "node:crypto";
import type { Owner } from "./owner.ts";

/**
 * A UUIDv8 (RFC 9562, section 5.8) as 32 lower-case hexadecimal characters. It depends on the owner, because ids of memories are unique
 * in a database, and no owner may find out which ids another one has.
 */
export function idOfSource({ project, subject }: Owner, sourceId: string): string {
  const owner = subject === null ? project : `${project}\0${subject}`;
  const bytes = createHash("sha256")
    .update(`memledger/memory-id/v1\0${owner}\0${sourceId}`)
    .digest()
    .subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString("hex");
}

/** The id of the memory that `memledger memory export` has written with this source id; null: the source is another one. */
export function idInExport(sourceId: string): string | null {
  return /^memledger:([0-9a-f]{32})$/.exec(sourceId)?.[1] ?? null;
}

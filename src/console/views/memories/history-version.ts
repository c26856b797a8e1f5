// Owns reading the version of a memory out of a record of the ledger: the answer that the caller of the change has received.

import type { Memledger } from "../../../../clients/typescript/src/client.ts";
import { isFields, type MemoryFields } from "./memory-fields.ts";

/** The actions whose record has the memory as it is after them. */
export const versionActions: ReadonlySet<string> = new Set(["memory.create", "memory.update"]);

export interface Version {
  /** Null: the record has no version, or its payload is gone. */
  readonly fields: MemoryFields | null;
  /** The program that called; null: it did not say. */
  readonly client: string | null;
}

/** @throws MemledgerError */
export async function readVersion(client: Memledger, record: string, signal: AbortSignal): Promise<Version> {
  const { response_body, client_name, user_agent } = await client.audit.read(record, { signal });
  return { fields: fieldsOf(response_body), client: client_name ?? user_agent };
}

function fieldsOf(body: Record<string, unknown> | null): MemoryFields | null {
  const data = body?.data;
  if (typeof data !== "object" || data === null) return null;
  // Memories without tags have no field `tags`.
  const memory: unknown = { tags: [], ...data };
  if (!isFields(memory)) return null;
  const { content, memory_type, importance, is_active, expires_at, tags } = memory;
  return { content, memory_type, importance, is_active, expires_at, tags };
}

// Erases the payload of a record while a server is recorded, so that no later power loss may bring it back.

import { Database } from "bun:sqlite";
import type { Load, Target } from "./load.ts";
import type { TraceEvent } from "./trace.ts";

/** What was erased, and the call that was sent after the erasure had been reported. */
export interface Erasure {
  /** Random bytes that stood beside the erased text, uncompressed. */
  readonly salt: Buffer;
  readonly before: number;
}

/** @throws Error when the program reports no success. */
export async function eraseRecord(
  command: readonly string[],
  { dataDir, database }: { dataDir: string; database: string },
  load: Load,
  target: Target,
): Promise<Erasure> {
  const made = await load.send(target, "gateway.chat");
  const opened = new Database(database, { readonly: true });
  const row = opened
    .query<{ id: string; salt: Uint8Array }, [string]>(
      "SELECT e.id, p.salt FROM audit_entry e JOIN audit_payload p ON p.entry = e.number WHERE e.id = ?",
    )
    .get(String(made.data.audit_id ?? made.data.id));
  opened.close();
  if (row === null) throw new Error("the record to erase is not there");
  const words = [...command, "audit", "redact", "--record", row.id, "--data-dir", dataDir, "--yes", "--json"];
  const child = Bun.spawn(words, { stdout: "pipe", stderr: "pipe" });
  const [code, log] = await Promise.all([child.exited, new Response(child.stderr).text()]);
  if (code !== 0) throw new Error(`audit redact ended with ${code}: ${log}`);
  // Its record does not say any more which call it was.
  made.status = null;
  const after = await load.send(target, "memory.list");
  return { salt: Buffer.from(row.salt), before: after.number };
}

/** The moment of the program's answer that the erasure is done: the last one to a request without a number, before the next call. */
export function momentOf({ before }: Erasure, events: readonly TraceEvent[]): number {
  const numbered = new Set<string>();
  let found = Number.POSITIVE_INFINITY;
  for (const [moment, event] of events.entries()) {
    if (event.kind === "request") numbered.add(event.socket);
    if (event.kind === "request" && event.call === before) return found;
    if (event.kind === "answer" && !numbered.has(event.socket)) found = moment;
  }
  return Number.POSITIVE_INFINITY;
}

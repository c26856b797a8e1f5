// Compares a database with what clients were told: every answered call has its one record, and the memories are exactly what the
// records say, no more and no less. Must never write to the database.

import { Database } from "bun:sqlite";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { checkChains } from "../audit/chain-check.ts";
import { type PayloadRow, readPayload } from "../audit/read-payload.ts";
import type { Call } from "./load.ts";

interface RecordRow extends PayloadRow {
  readonly action: string;
  readonly status: number;
  readonly memory: string | null;
}

interface MemoryState {
  readonly content: Json;
  readonly memory_type: Json;
  readonly importance: Json;
  readonly is_active: Json;
  /** Null: none. */
  readonly tags: Json;
}

/**
 * @param calls of the project whose name is "default"; those without an answer may have happened or not.
 * @returns one sentence per fault.
 */
export function findFaults(path: string, calls: readonly Call[]): string[] {
  try {
    if (!holdsErased(path)) checkChains(path);
  } catch (error) {
    return [`the chain does not hold: ${error instanceof Error ? error.message : String(error)}`];
  }
  const database = new Database(path, { readonly: true });
  try {
    const records = readRecords(database);
    return [
      ...damage(database),
      ...compareCalls(records, calls),
      ...compareMemories(database, replay(records)),
      ...countWrong(database),
    ];
  } finally {
    database.close();
  }
}

/** Compares the answered calls of a project with its records only. @returns one sentence per fault */
export function findLostCalls(path: string, calls: readonly Call[], project: string): string[] {
  const database = new Database(path, { readonly: true });
  try {
    return compareCalls(readRecords(database, project), calls);
  } finally {
    database.close();
  }
}

/** Payloads that are gone are for the program's own verification to judge. */
function holdsErased(path: string): boolean {
  const database = new Database(path, { readonly: true });
  const missing = database
    .query("SELECT 1 FROM audit_entry e LEFT JOIN audit_payload p ON p.entry = e.number WHERE p.text IS NULL")
    .get();
  database.close();
  return missing !== null;
}

function damage(database: Database): string[] {
  const found = database.query<{ integrity_check: string }, []>("PRAGMA integrity_check(5)").all();
  return found.map((row) => row.integrity_check).filter((line) => line !== "ok");
}

interface ReadRecord extends Omit<RecordRow, keyof PayloadRow> {
  readonly payload: JsonObject;
}

function readRecords(database: Database, project = "default"): ReadRecord[] {
  const rows = database
    .query<RecordRow, [string]>(
      `SELECT e.action, e.status, e.entry ->> '$.memory' AS memory, p.salt, p.text FROM audit_entry e
       JOIN audit_chain c ON c.number = e.chain JOIN project ON project.serial = c.project AND project.name = ?
       JOIN audit_payload p ON p.entry = e.number ORDER BY e.seq`,
    )
    .all(project);
  return rows.map(({ salt, text, ...row }) => ({ ...row, payload: readPayload({ salt, text }) }));
}

/** An answered call has one record with its outcome. One that was refused as unavailable has none, or one that says so: the
 * writer may have been well when only the reader was not. Others may have one. */
function compareCalls(records: readonly ReadRecord[], calls: readonly Call[]): string[] {
  const byCall = new Map<number, ReadRecord[]>();
  for (const record of records) {
    const number = toObject(record.payload.metadata ?? {}).call;
    if (typeof number === "number") byCall.set(number, [...(byCall.get(number) ?? []), record]);
  }
  const faults: string[] = [];
  for (const call of calls) {
    const found = byCall.get(call.number) ?? [];
    const name = `call ${call.number} (${call.action}, answered ${call.status ?? "nothing"})`;
    const [record] = found;
    if (found.length > 1) faults.push(`${name} has ${found.length} records`);
    else if (call.status === 503 && record !== undefined && record.status !== 503)
      faults.push(`${name} has a record, although nothing was done`);
    else if (call.status === null || (call.status === 503 && record === undefined)) continue;
    else if (record === undefined) faults.push(`${name} has no record`);
    else if (record.status !== call.status || record.action !== call.action)
      faults.push(`${name} is recorded as ${record.action} ${record.status}`);
    else if (call.action === "memory.create" && call.status === 201 && record.memory !== call.data.id)
      faults.push(`${name} is recorded with another memory`);
  }
  return faults;
}

/** The memories that there must be, from the records alone. */
function replay(records: readonly ReadRecord[]): Map<string, MemoryState> {
  const memories = new Map<string, MemoryState>();
  for (const { action, status, memory, payload } of records) {
    if (status >= 300) continue;
    if (action === "memory.create" || action === "memory.update") {
      const { data } = toObject(payload.response_body ?? {});
      const { id, ...state } = toObject(data ?? {});
      memories.set(String(id), toState(state));
    } else if (action === "memory.delete") {
      memories.delete(String(memory));
    } else if (action === "memory.delete_all") {
      const { memory_type, tags = [] } = toObject(payload.request_body ?? {});
      for (const [id, state] of memories) {
        const isTagged = [tags].flat().every((tag) => [state.tags].flat().includes(tag));
        if (isTagged && (memory_type === undefined || state.memory_type === memory_type)) memories.delete(id);
      }
    }
  }
  return memories;
}

interface MemoryRow {
  readonly id: string;
  readonly content: string;
  readonly memory_type: string;
  readonly importance: number;
  readonly is_active: number;
  readonly tags: string | null;
  readonly vector: number | null;
}

const alive =
  "JOIN pool ON pool.project = m.project AND pool.memory_type = m.memory_type AND pool.epoch = m.epoch JOIN project ON project.serial = m.project AND project.name = 'default'";

function compareMemories(database: Database, expected: ReadonlyMap<string, MemoryState>): string[] {
  const rows = database
    .query<MemoryRow, []>(
      `SELECT m.id, m.content, m.memory_type, m.importance, m.is_active, m.tags, v.memory AS vector
       FROM memory m ${alive} LEFT JOIN memory_vector v ON v.memory = m.serial`,
    )
    .all();
  const faults: string[] = [];
  for (const { id, is_active, tags, vector, ...row } of rows) {
    const shown = { ...row, is_active: is_active === 1, tags: tags === null ? null : JSON.parse(tags) };
    const state = expected.get(id);
    if (state === undefined) faults.push(`memory ${id} has no record`);
    else if (!Bun.deepEquals(state, shown)) faults.push(`memory ${id} is not what its newest record says`);
    if (vector === null) faults.push(`memory ${id} has no vector`);
  }
  const found = new Set(rows.map(({ id }) => id));
  for (const id of expected.keys()) if (!found.has(id)) faults.push(`memory ${id} is lost`);
  return faults;
}

const tagsOfMemories =
  "SELECT m.project, t.value, m.memory_type, m.epoch, m.serial FROM memory m, json_each(m.tags) t";
const tagRows = "SELECT project, tag, memory_type, epoch, memory FROM memory_tag";

/** Counters, the rows of tags and the purge's list commit with what they count. */
function countWrong(database: Database): string[] {
  const row = database
    .query<{ counted: number; found: number; leaked: number; untagged: number }, []>(
      `SELECT (SELECT TOTAL(memories) FROM pool JOIN project ON serial = project AND name = 'default') AS counted,
         (SELECT COUNT(*) FROM memory m ${alive}) AS found,
         (SELECT COUNT(*) FROM memory m JOIN pool USING (project, memory_type) WHERE m.epoch <> pool.epoch AND NOT EXISTS
           (SELECT 1 FROM dead_pool d WHERE (d.project, d.memory_type, d.epoch) = (m.project, m.memory_type, m.epoch))) AS leaked,
         (SELECT COUNT(*) FROM (${tagsOfMemories} EXCEPT ${tagRows}))
           + (SELECT COUNT(*) FROM (${tagRows} EXCEPT ${tagsOfMemories})) AS untagged`,
    )
    .get();
  if (row === null) return ["nothing can be counted"];
  const faults: string[] = [];
  if (row.counted !== row.found) faults.push(`${row.counted} memories are counted, ${row.found} are there`);
  if (row.leaked > 0) faults.push(`${row.leaked} deleted memories wait for no purge`);
  if (row.untagged > 0) faults.push(`${row.untagged} tags are not those of their memories`);
  return faults;
}

function toState(fields: JsonObject): MemoryState {
  const { content = null, memory_type = null, importance = null, is_active = null, tags = null } = fields;
  return { content, memory_type, importance, is_active, tags };
}

function toObject(value: unknown): JsonObject {
  if (!isObject(value)) throw new Error("a record holds no object where one belongs");
  return value;
}

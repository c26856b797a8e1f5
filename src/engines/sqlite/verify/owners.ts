// Owns the checks of what belongs to which project. The genesis of a chain proves only the id of its project; records show the name, the
// keys and the memories that belong to this id. What has no row any more, or no record, is not compared.

import { parseEntry } from "../../../audit/verify/entry-parser.ts";
import { joinParts } from "../../../audit/verify/part-places.ts";
import { parseParts } from "../../../audit/verify/parts.ts";
import { parsePayload } from "../../../audit/verify/record-checks.ts";
import type { Failure } from "../../../audit/verify/verdict.ts";
import { isObject, type Json, type JsonObject } from "../../../platform/json/json.ts";
import { unpackPayload } from "./payload.ts";
import { isDamage, type LedgerSource } from "./source.ts";

/**
 * SQL: the project of a memory `m`, which may be one of a subject. @param hasSubjects whether the database has pseudonyms
 */
function projectOf(hasSubjects: boolean): string {
  if (!hasSubjects) return "m.project";
  return `COALESCE((SELECT s.project FROM project o NOT INDEXED JOIN pseudonym s ON s.id = o.id WHERE o.serial = m.project), m.project)`;
}

/** A column of a record `e` with the value Foreign. The chain of the installation has no project, so nothing is foreign to it. */
export function foreignColumn(hasSubjects: boolean): string {
  return `CASE WHEN k.project <> c.project THEN 'key' WHEN ${projectOf(hasSubjects)} <> c.project THEN 'memory' END AS "foreign"`;
}
/** The success of these actions shows that the project had the memory in the entry. Others may name one that does not exist. */
export const ownersJoined = `LEFT JOIN audit_chain c ON c.number = e.chain
  LEFT JOIN api_key k ON k.id = e.key
  LEFT JOIN memory m ON m.id = e.memory AND e.status BETWEEN 200 AND 299
    AND e.action IN ('memory.create', 'memory.read', 'memory.update', 'memory.put')`;

/** Actions whose answer lists memories of the project, and the member that has the list. */
const lists: ReadonlyMap<string, string> = new Map([
  ["memory.create_batch", "results"],
  ["memory.extract", "extracted"],
]);

interface ListingRecord {
  readonly chain: number;
  readonly action: string;
  readonly status: number;
}

/** Whether an answer lists a memory that belongs to another project than the chain. What cannot be read is not compared. */
export function listsForeignMemory(
  source: LedgerSource,
  { chain, action, status }: ListingRecord,
  answer: () => JsonObject,
  hasSubjects: boolean,
): boolean {
  const member = lists.get(action);
  if (member === undefined || status < 200 || status > 299) return false;
  const items = answer()[member];
  const ids = (Array.isArray(items) ? items : [])
    .map((item) => (isObject(item) ? item.id : null))
    .filter((id) => typeof id === "string");
  const sql = `SELECT 1 FROM memory m WHERE m.id IN (SELECT value FROM json_each(?1))
    AND ${projectOf(hasSubjects)} <> (SELECT project FROM audit_chain WHERE number = ?2) LIMIT 1`;
  try {
    return ids.length > 0 && source.all(sql, JSON.stringify(ids), chain).length > 0;
  } catch (error) {
    if (!isDamage(error)) throw error;
    return false;
  }
}

const recordsAtOnce = 500;

/** Actions of the installation whose answer has id and name of a project. A name never changes. */
const namingActions = ["project.create", "project.update"];

/** Reads records through an index, which the check of the tables compares with them. */
export function findForeignName(source: LedgerSource): Failure | null {
  const projects = source.all("SELECT id, name FROM project NOT INDEXED") as { id: Json; name: string }[];
  const names = new Map(projects.map(({ id, name }) => [id, name]));
  for (const action of namingActions) {
    for (const { seq, ...record } of readRecords(source, action)) {
      const { id = null, name } = answerOf(payloadOf(record));
      if (name === undefined || (names.get(id) ?? name) === name) continue;
      const message = `the project ${id} has another name in this database than in record ${seq} of the installation (${action}): the name was changed, or names or ids of projects were swapped`;
      return { seq: null, check: "owner", message };
    }
  }
  return null;
}

interface NamingRecord {
  readonly seq: number;
  readonly entry: string;
  readonly salt: unknown;
  readonly text: unknown;
}

/** Of either version, not verified. */
function payloadOf({ entry, salt, text }: Omit<NamingRecord, "seq">): JsonObject | null {
  const content = text instanceof Uint8Array ? unpackPayload(text) : null;
  const parsed = parseEntry(String(entry));
  if (content === null || !(salt instanceof Uint8Array) || parsed === null) return null;
  if (parsed.v2 === null) return parsePayload(content);
  const parts = parseParts({ content, salt }, parsed.v2.parts);
  return parts === null ? null : joinParts(parts);
}

function* readRecords(source: LedgerSource, action: string): Generator<NamingRecord> {
  const sql = `SELECT e.seq, e.entry, p.salt, p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number
    WHERE e.chain = (SELECT number FROM audit_chain WHERE project IS NULL) AND e.action = ?1
      AND e.status BETWEEN 200 AND 299 AND e.seq > ?2 ORDER BY e.seq LIMIT ${recordsAtOnce}`;
  for (let after = 0; ; ) {
    const records = source.all(sql, action, after) as NamingRecord[];
    yield* records;
    const last = records.at(-1);
    if (last === undefined) return;
    after = last.seq;
  }
}

/** The data of the answer in a payload; empty if there is none. */
export function answerOf(payload: JsonObject | null): JsonObject {
  const body = payload?.response_body;
  return isObject(body) && isObject(body.data) ? body.data : {};
}

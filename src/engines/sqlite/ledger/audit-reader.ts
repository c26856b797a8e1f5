// Owns all SQL that reads the ledger for clients. Reads no record at or below the newest anchor of a chain.

import type { ListedCheckpoint } from "../../../audit/checkpoint.ts";
import { partsAt } from "../../../audit/parts/made-of.ts";
import { readPayload } from "../../../audit/parts/stored-payload.ts";
import type { ProvableRecord, StoredRecord } from "../../../audit/record.ts";
import { createTracer } from "../../../audit/trace/trace.ts";
import type { RecordLocation, RecordPlace, Trace, TracedRecord } from "../../../audit/trace/traced.ts";
import type { ChainOwner } from "../../../calls/storage/ledger-store.ts";
import { erasureBatchRows } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { unpackPayload } from "../verify/payload.ts";
import { cosignedNote, newestStamp } from "./tree-roots.ts";

export interface RecordRow {
  seq: number;
  entry: string;
  hash: string;
  salt: Uint8Array | null;
  text: Uint8Array | null;
  /** Only where the payload is missing: payloads of the chain up to this seq have expired. */
  payloads_through: number | null;
}

/** Positions of the records that a chain still has. */
interface ChainSpan {
  readonly number: number;
  /** First and last seq; last is less than first when there are none. */
  readonly first: number;
  readonly last: number;
}

export const recordColumns = `e.seq, e.entry, e.hash, p.salt, p.text,
  CASE WHEN p.entry IS NULL THEN (SELECT payloads_through FROM audit_chain WHERE number = e.chain) END AS payloads_through`;
export const payloadJoin = "LEFT JOIN audit_payload p ON p.entry = e.number";

export function toStoredRecord(row: RecordRow): StoredRecord {
  const { content: _, ...record } = toProvableRecord(row);
  return record;
}

export function toProvableRecord(row: RecordRow): ProvableRecord {
  const { seq, entry, hash, salt, text, payloads_through } = row;
  if (text === null) {
    // A payload that was erased earlier counts as expired once it would have expired.
    const removal = seq <= (payloads_through ?? 0) ? "expired" : "redacted";
    return { seq, entry, hash, salt, content: null, payload: null, erased: [], removal };
  }
  const content = unpackPayload(text);
  const read =
    content === null || salt === null ? { payload: null, erased: [] } : readPayload({ content, salt });
  return { seq, entry, hash, salt, content, ...read, removal: null };
}

export function createAuditReader(database: Database) {
  const span = createChainSpan(database);
  const byId = database.prepare<[string, number, number], RecordRow>(
    `SELECT ${recordColumns} FROM audit_entry e ${payloadJoin} WHERE e.id = ? AND e.chain = ? AND e.seq >= ?`,
  );

  const placeById = database.prepare<[string], RecordLocation & RecordRow>(
    `SELECT ${recordColumns}, ${places} FROM audit_entry e ${placeJoin} WHERE e.id = ?`,
  );

  const checkpoints = database.prepare<[number, number, number], ListedCheckpoint>(
    `SELECT p.size, p.at, ${cosignedNote} AS note, ${newestStamp} AS timestamp, IIF(p.size = 0, c.hash, e.hash) AS hash FROM audit_checkpoint p
     JOIN audit_chain c ON c.number = p.chain LEFT JOIN audit_entry e ON e.chain = p.chain AND e.seq = p.size
     WHERE p.chain = ? AND p.size < ? ORDER BY p.size DESC LIMIT ?`,
  );

  const findRow = (project: ChainOwner, id: string): RecordRow | undefined => {
    const chain = span(project);
    return chain === null ? undefined : byId.get(id, chain.number, chain.first);
  };

  return {
    checkpoints(project: ChainOwner, below: number | null, limit: number): ListedCheckpoint[] {
      const chain = span(project);
      return chain === null ? [] : checkpoints.all(chain.number, below ?? Number.MAX_SAFE_INTEGER, limit);
    },
    place(id: string): RecordPlace | null {
      const row = placeById.get(id);
      if (row === undefined) return null;
      const { payload, erased } = toStoredRecord(row);
      return { ...toLocation(row), isWhole: payload !== null && erased.length === 0 };
    },
    traceBatch: createTraceBatches(database),
    find(project: ChainOwner, id: string): ProvableRecord | null {
      const row = findRow(project, id);
      return row === undefined ? null : toProvableRecord(row);
    },
    partsAt(project: ChainOwner, id: string, pointers: readonly string[]): number[] {
      const { text = null, salt = null } = findRow(project, id) ?? {};
      const content = text === null ? null : unpackPayload(text);
      return content === null || salt === null ? [] : partsAt({ content, salt }, pointers);
    },
  };
}

function toLocation({ seq, id, action, project }: RecordLocation): RecordLocation {
  return { seq, id, action, project };
}

const places = "e.id, e.action, o.id AS project";
const placeJoin = `JOIN audit_chain c ON c.number = e.chain LEFT JOIN project o ON o.serial = c.project ${payloadJoin}`;

interface TraceBatch {
  readonly trace: Trace;
  readonly records: readonly TracedRecord[];
  /** Row that was read last; null when there was none. */
  readonly through: number | null;
}

/** @returns a function that follows a trace through one batch of payloads, those of the rows after a number. */
export function createTraceBatches(database: Database): (trace: Trace, after: number) => TraceBatch {
  const batch = (from: string, where: string, order: string) =>
    database.prepare<[Record<string, unknown>], RecordLocation & RecordRow & { number: number }>(
      `SELECT e.number, ${recordColumns}, ${places} FROM ${from} ${placeJoin}
       WHERE ${where} AND p.entry IS NOT NULL ORDER BY ${order} LIMIT ${erasureBatchRows}`,
    );
  const ofAll = batch("audit_entry e", "e.number > :after", "e.number");
  const ofProject = batch(
    "audit_entry e",
    `e.chain = (SELECT number FROM audit_chain WHERE project = (SELECT serial FROM project WHERE id = :project))
       AND e.seq > COALESCE((SELECT seq FROM audit_entry WHERE number = :after), 0)`,
    "e.seq",
  );
  const ofSubject = batch(
    "audit_pseudonym a CROSS JOIN audit_entry e ON e.number = a.entry",
    "a.pseudonym = (SELECT serial FROM pseudonym WHERE id = :subject) AND a.entry > :after",
    "a.entry",
  );
  const read = ({ within }: Trace, after: number) => {
    if (within === undefined) return ofAll.all({ after });
    const { project, subject } = within;
    return subject === null ? ofProject.all({ after, project }) : ofSubject.all({ after, subject });
  };
  return (trace, after) => {
    const tracer = createTracer(trace);
    const rows = read(trace, after);
    const records = rows.flatMap((row) => {
      const place = toLocation(row);
      const held = tracer.take(place, toProvableRecord(row));
      return held === null ? [] : [{ ...place, ...held }];
    });
    return { trace: tracer.trace(), records, through: rows.at(-1)?.number ?? null };
  };
}

/**
 * AuditReader.erasures: where the newest records of erasures are. Every erasure leaves one, in the chain of the project, or of the
 * installation if an administrator asks for it. Positions only grow, so after retention has removed the record the text is still not one
 * of a later state.
 */
export function createErasureMarks(database: Database): (project: string | null) => string {
  const newestIn = (chain: string) =>
    `(SELECT MAX(seq) FROM audit_entry WHERE chain = ${chain} AND action = 'audit.redact')`;
  const installation = "(SELECT number FROM audit_chain WHERE project IS NULL)";
  const ofProject = database
    .prepare<[string], string>(
      `SELECT format('%s %s', ${newestIn(installation)}, ${newestIn("(SELECT c.number FROM audit_chain c JOIN project p ON p.serial = c.project WHERE p.id = ?)")})`,
    )
    .pluck();
  const ofAny = database
    .prepare<[], string>(
      `SELECT format('%s', MAX((SELECT number FROM audit_entry WHERE chain = c.number AND action = 'audit.redact' ORDER BY seq DESC LIMIT 1)))
       FROM audit_chain c`,
    )
    .pluck();
  return (project) => (project === null ? ofAny.get() : ofProject.get(project)) ?? "";
}

interface SpanRow {
  number: number;
  through: number | null;
  last: number | null;
}

const spanColumns = `c.number, (SELECT MAX(through) FROM audit_anchor WHERE chain = c.number) AS through,
  (SELECT MAX(seq) FROM audit_entry WHERE chain = c.number) AS last`;

/** @returns a function that finds the chain of a project, or with null that of the installation; null when it has no record. */
export function createChainSpan(database: Database): (project: ChainOwner) => ChainSpan | null {
  const ofProject = database.prepare<[string], SpanRow>(
    `SELECT ${spanColumns} FROM audit_chain c JOIN project p ON p.serial = c.project WHERE p.id = ?`,
  );
  const ofInstallation = database.prepare<[], SpanRow>(
    `SELECT ${spanColumns} FROM audit_chain c WHERE c.project IS NULL`,
  );
  return (project) => {
    const row = project === null ? ofInstallation.get() : ofProject.get(project.id);
    return row === undefined
      ? null
      : { number: row.number, first: (row.through ?? 0) + 1, last: row.last ?? 0 };
  };
}

/** @returns a function that finds the first seq of a chain at or after a time: times along a chain never decrease, so a binary search finds it. */
export function createSeek(database: Database): (chain: ChainSpan, at: number) => number {
  const timeOf = database
    .prepare<[number, number], number>("SELECT at FROM audit_entry WHERE chain = ? AND seq = ?")
    .pluck();
  return ({ number, first, last }, at) => {
    let [low, high] = [first, last + 1];
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if ((timeOf.get(number, middle) ?? Number.POSITIVE_INFINITY) < at) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

// Owns the SQL of the list of audit records: counts and pages. Reads no record at or below the newest anchor of a chain.

import type {
  ChainOwner,
  HiddenReads,
  RecordPage,
  RecordQuery,
} from "../../../calls/storage/ledger-store.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import {
  createChainSpan,
  createSeek,
  payloadJoin,
  type RecordRow,
  recordColumns,
  toStoredRecord,
} from "./audit-reader.ts";
import {
  byFailure,
  byKey,
  createFilterChoice,
  type Filter,
  filterOf,
  hiddenValues,
  inRange,
  isFailure,
  isHidden,
  type Values,
} from "./record-filter.ts";

/** @returns a function that reads one page in one transaction. */
export function createRecordList(
  database: Database,
): (project: ChainOwner, query: RecordQuery) => RecordPage {
  const span = createChainSpan(database);
  const seek = createSeek(database);

  const choose = createFilterChoice(database);

  const countMatching = ({ hint, sql, values }: Filter, range: Values): number =>
    Number(
      database
        .prepare<[Values], number>(`SELECT COUNT(*) FROM audit_entry e ${hint} WHERE ${inRange} ${sql}`)
        .pluck()
        .get({ ...range, ...values }),
    );

  const count = (query: RecordQuery, range: Values & { low: number; high: number }): number => {
    const { hidden, ...shown } = query;
    if (hidden) return count(shown, range) - countHidden(hidden, shown, range);
    const others = choose({ ...query, statusClass: null }, range);
    const all = others.sql === "" ? Math.max(0, range.high - range.low + 1) : countMatching(others, range);
    if (query.statusClass === null) return all;
    if (query.statusClass !== 2) return countMatching({ ...filterOf(query), hint: "" }, range);
    // The index of failures contains the other records; no index contains these.
    const hint = others.sql === "" ? byFailure : others.hint;
    return all - countMatching({ ...others, hint, sql: `${others.sql} AND ${isFailure}` }, range);
  };

  /** Of the matching records, by the index of keys. */
  const countHidden = (hidden: HiddenReads, shown: RecordQuery, range: Values): number => {
    const { sql, values } = filterOf(shown);
    const all = {
      hint: byKey,
      sql: `AND ${isHidden} ${sql}`,
      values: { ...values, ...hiddenValues(hidden) },
    };
    return countMatching(all, range);
  };

  /** Rows are found in an index. Entries and payloads are read only of the rows that are shown, not of skipped ones. */
  const rowsOf = (query: RecordQuery, range: Values): RecordRow[] => {
    const { hint, sql, values } = choose(query, range);
    return database
      .prepare<[Values], RecordRow>(
        `SELECT ${recordColumns} FROM (
           SELECT e.number FROM audit_entry e ${hint}
           WHERE ${inRange} ${sql} ORDER BY e.seq DESC LIMIT :limit OFFSET :offset
         ) found JOIN audit_entry e ON e.number = found.number ${payloadJoin} ORDER BY e.seq DESC`,
      )
      .all({ ...range, ...values });
  };

  const list = (project: ChainOwner, query: RecordQuery): RecordPage => {
    const chain = span(project);
    if (chain === null) return { records: [], total: 0, through: 0, hasMore: false };
    const low = query.from === null ? chain.first : seek(chain, query.from);
    const newest = query.to === null ? chain.last : seek(chain, query.to + 1) - 1;
    const high = Math.min(newest, query.through ?? newest);
    const range = { chain: chain.number, low, high };
    const rows = rowsOf(query, { ...range, ...startOf(query, high), limit: query.limit + 1 });
    return {
      records: rows.slice(0, query.limit).map(toStoredRecord),
      total: query.total ?? count(query, range),
      through: high,
      hasMore: rows.length > query.limit,
    };
  };
  return database.transaction(list);
}

/** Positions have no gaps, so without a filter the records to skip are a subtraction. */
function startOf(query: RecordQuery, high: number): { readonly high: number; readonly offset: number } {
  const { after } = query;
  if ("below" in after) return { high: Math.min(high, after.below - 1), offset: 0 };
  return filterOf(query).sql === "" ? { high: high - after.skip, offset: 0 } : { high, offset: after.skip };
}

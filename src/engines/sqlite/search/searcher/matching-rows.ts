// Owns the SQL that reads the memories which a query can return, in batches that take milliseconds, whatever the filter is.

import type { SearchQuery } from "../../../../calls/storage/memory-store.ts";
import { kindsOf } from "../../../../memory/kind.ts";
import type { Database } from "../../../../platform/native/sqlite.ts";
import { aliveJoin, ofKinds, toKindsParameter } from "../../memories/memory-row.ts";
import { matchesRow } from "../../memories/metadata.ts";
import { taggedMemories } from "../../memories/tags.ts";

/** Memories of the owner, matching or not, that a batch is read from. */
const memoriesPerBatch = 1_000;

export interface ComparedRow {
  serial: number;
  content_revision: number;
  importance: number;
  /** 1 - cosine, from sqlite-vec. */
  distance: number;
}

/** In the order of their serials. Read all batches in one read transaction. */
export interface MatchingRows {
  contentRevisions(owner: number, query: SearchQuery): Iterable<readonly number[]>;
  compared(owner: number, query: SearchQuery): Iterable<readonly ComparedRow[]>;
}

type Parameters = Readonly<Record<string, unknown>>;
interface Statement<Row> {
  all(parameters: Parameters): readonly Row[];
}

export function createMatchingRows(database: Database): MatchingRows {
  const lastOfBatch = database
    .prepare<[Parameters], number | null>(
      `SELECT MAX(serial) FROM
         (SELECT serial FROM memory WHERE project = :project AND serial > :after ORDER BY serial LIMIT ${memoriesPerBatch})`,
    )
    .pluck();
  const revisionsWhere = (condition: string): Statement<number> =>
    database.prepare<[Parameters], number>(matching("m.content_revision", "", condition)).pluck();
  const comparedWhere = (condition: string): Statement<ComparedRow> =>
    database.prepare<[Parameters], ComparedRow>(
      matching(
        "m.serial, m.content_revision, m.importance, vec_distance_cosine(v.embedding, :vector) AS distance",
        "JOIN memory_vector v ON v.memory = m.serial",
        condition,
      ),
    );
  const allRevisions = revisionsWhere("");
  const allCompared = comparedWhere("");

  function* batches<Row>(
    statement: Statement<Row>,
    parameters: Parameters & { readonly project: number },
  ): Generator<readonly Row[], void, undefined> {
    const { project } = parameters;
    for (let after = 0; ; ) {
      const through = lastOfBatch.get({ project, after }) ?? null;
      if (through === null) return;
      yield statement.all({ ...parameters, after, through });
      after = through;
    }
  }
  const filterOf = (owner: number, query: SearchQuery) => {
    const tagged = query.tags === null ? null : taggedMemories(query.tags, inBatch("t.memory"));
    const described = (query.metadata ?? []).map(matchesRow);
    const conditions = [
      ...(tagged === null ? [] : [`m.serial IN (${tagged.sql})`]),
      ...described.map(({ sql }) => sql),
    ];
    return {
      condition: conditions.length === 0 ? null : `AND ${conditions.join(" AND ")}`,
      parameters: {
        ...tagged?.parameters,
        ...Object.assign({}, ...described.map(({ parameters }) => parameters)),
        project: owner,
        kinds: toKindsParameter(kindsOf(query.types, query.origin)),
        includeInactive: query.includeInactive ? 1 : 0,
        includeExpired: query.includeExpired ? 1 : 0,
        now: query.now,
      },
    };
  };
  return {
    contentRevisions(owner, query) {
      const { condition, parameters } = filterOf(owner, query);
      return batches(condition === null ? allRevisions : revisionsWhere(condition), parameters);
    },
    compared(owner, query) {
      const { condition, parameters } = filterOf(owner, query);
      const vector = new Uint8Array(query.vector.buffer, query.vector.byteOffset, query.vector.byteLength);
      return batches(condition === null ? allCompared : comparedWhere(condition), { ...parameters, vector });
    },
  };
}

function matching(columns: string, join: string, condition: string): string {
  return `SELECT ${columns} FROM memory m ${aliveJoin} ${join}
    WHERE m.project = :project AND ${inBatch("m.serial")} ${condition}
      AND ${ofKinds("m")}
      AND (:includeInactive OR m.is_active = 1)
      AND (:includeExpired OR m.expires_at IS NULL OR m.expires_at > :now)`;
}

function inBatch(serial: string): string {
  return `${serial} > :after AND ${serial} <= :through`;
}

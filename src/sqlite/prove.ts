// Owns verification of one project's chain inside the server: through the server's own SQLite library, in stretches small enough that
// other questions to the reader do not wait long. The checks themselves are those of `audit verify`.

import type { Project } from "../access/project.ts";
import type { VerifiedRecord } from "../audit/store.ts";
import type { ChainReport } from "../audit/verdict.ts";
import { createNoteReader } from "../audit/verify-notes.ts";
import type { Database } from "../native/sqlite.ts";
import { reportChain, split } from "./verify.ts";
import { type ChainFrame, readChain } from "./verify-ledger.ts";
import { type ChainKey, type Stretch, type StretchResult, verifyStretch } from "./verify-rows.ts";
import type { LedgerSource } from "./verify-source.ts";

const rowsPerStretch = 2_000;

/** Plain data. */
export interface ProofPlan {
  readonly frame: ChainFrame;
  readonly key: ChainKey;
  readonly stretches: readonly Stretch[];
}

export function createProver(database: Database, verifierKeys: readonly string[]) {
  const source = toSource(database);
  const reader = createNoteReader(verifierKeys);
  const lastVerified = database.prepare<[number], VerifiedRecord & { number: number | null; at: string }>(
    `SELECT v.seq, v.hash, e.number, e.entry ->> '$.at' AS at FROM audit_verification v
     LEFT JOIN audit_entry e ON e.chain = v.chain AND e.seq = v.seq AND e.hash = v.hash WHERE v.chain = ?`,
  );
  const extent = database.prepare<[number], { first: number | null; last: number | null }>(
    "SELECT MIN(number) AS first, MAX(number) AS last FROM audit_entry WHERE chain = ?",
  );
  const chainOf = database
    .prepare<[number], number>("SELECT number FROM audit_chain WHERE project = ?")
    .pluck();

  return {
    /** What is to be checked; null when the project has no chain. */
    planProof(project: Project): ProofPlan | null {
      const number = chainOf.get(project.serial);
      if (number === undefined) return null;
      const whole = readChain(source, reader, number);
      const known = lastVerified.get(number);
      // The record that was good is still there, so the chain can be followed from it. Anything else begins at the start.
      const goesOn = known?.number != null && known.seq > whole.start.seq;
      const frame = goesOn ? { ...whole, start: { seq: known.seq, hash: known.hash, at: known.at } } : whole;
      const { first, last } = extent.get(number) ?? { first: null, last: null };
      const above = goesOn ? (known.number ?? 0) : (first ?? 1) - 1;
      const wanted = frame.checkpoints.map(({ size }) => size).filter((size) => size > frame.start.seq);
      const key = { number, chain: frame.chain, project: frame.project, through: frame.start.seq, wanted };
      return { frame, key, stretches: split(above, last ?? above, rowsPerStretch) };
    },

    proveStretch: (key: ChainKey, stretch: Stretch): StretchResult =>
      verifyStretch(source, [key], stretch, key.number),
  };
}

/** Joins what the stretches showed. */
export function concludeProof({ frame }: ProofPlan, results: readonly StretchResult[]): ChainReport {
  const segments = results.flatMap((result) => result.segments.map(([, segment]) => segment));
  return reportChain(frame, segments, []);
}

/** better-sqlite3 takes numbered parameters by name. */
function toSource(database: Database): LedgerSource {
  const statements = new Map<string, ReturnType<Database["prepare"]>>();
  return {
    all(sql, ...values) {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      if (!/\?\d/.test(sql)) return statement.all(...values);
      return statement.all(Object.fromEntries(values.map((value, index) => [String(index + 1), value])));
    },
    close() {},
  };
}

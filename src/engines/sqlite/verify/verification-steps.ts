// Owns the steps in which the server verifies the chain of one project, with its own SQLite library. A step is short, so that other
// requests to the reading thread do not wait long. The checks are those of `audit verify`. Keeps no state between steps.

import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import { joinSegments } from "../../../audit/verify/chain-verification.ts";
import type { KnownCheckpoint } from "../../../audit/verify/checkpoint-comparison.ts";
import { createNoteReader } from "../../../audit/verify/note-reader.ts";
import type { Segment } from "../../../audit/verify/segment.ts";
import { type ChainReport, earlier } from "../../../audit/verify/verdict.ts";
import type { ChainOwner } from "../../../calls/storage/ledger-store.ts";
import { openedNotesMax, verificationStepMaxBytes, verificationStepRows } from "../../../platform/limits.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toKey } from "./chain-key.ts";
import { type ChainFrame, coveredThrough, readChain } from "./ledger.ts";
import { reportChain } from "./report.ts";
import { type ChainKey, type RangeResult, type RowRange, verifyRange } from "./rows.ts";
import type { LedgerSource } from "./source.ts";
import { treeAfter } from "./version-2.ts";

/** The newest record that an earlier run of this process has verified. */
export interface Mark {
  /** Of the chain. */
  readonly chain: string;
  readonly seq: number;
  readonly hash: string;
}

/** Where a run begins. Plain data. */
export interface RunStart {
  readonly frame: ChainFrame;
  readonly key: ChainKey;
  /** The run begins after the row with this number. */
  readonly above: number;
  /** Whether it begins at the first record of the chain. */
  readonly isWhole: boolean;
}

/** Plain data. `moved`: retention has removed records that the run has not checked yet. */
export type VerificationStep =
  | { readonly moved: true }
  | {
      readonly moved: false;
      readonly result: RangeResult;
      /** The next step begins after the row with this number; null: the newest record was checked. */
      readonly next: number | null;
      /** In the last step: the newest record that a signed checkpoint covers. It may have been signed after the run began. */
      readonly covered: number;
      /** In the last step: `payloads_through` of the chain. Retention may have changed it during the run. */
      readonly payloadsThrough: number;
    };

export function createVerificationSteps(database: Database, verifierKeys: readonly string[]) {
  const source = toSource(database);
  const reader = createNoteReader(verifierKeys, runtimeCryptography, openedNotesMax);
  const chainOf = database
    .prepare<[string], number>(
      "SELECT c.number FROM audit_chain c JOIN project p ON p.serial = c.project WHERE p.id = ?",
    )
    .pluck();
  const chainOfInstallation = database
    .prepare<[], number>("SELECT number FROM audit_chain WHERE project IS NULL")
    .pluck();
  const find = database.prepare<[number, number, string], { number: number; at: string }>(
    "SELECT number, entry ->> '$.at' AS at FROM audit_entry WHERE chain = ? AND seq = ? AND hash = ?",
  );
  const following = database
    .prepare<[number, number], number>(
      "SELECT number FROM audit_entry WHERE chain = ? AND seq > ? ORDER BY seq LIMIT 1",
    )
    .pluck();
  const newest = database
    .prepare<[number], number>("SELECT number FROM audit_entry WHERE chain = ? ORDER BY seq DESC LIMIT 1")
    .pluck();
  const anchored = database
    .prepare<[number], number | null>("SELECT MAX(through) FROM audit_anchor WHERE chain = ?")
    .pluck();
  const payloadsThroughOf = database
    .prepare<[number], number>("SELECT payloads_through FROM audit_chain WHERE number = ?")
    .pluck();
  const payloadSizes = database.prepare<[number, number], { number: number; bytes: number }>(
    "SELECT entry AS number, length(text) AS bytes FROM audit_payload WHERE entry > ? AND entry <= ? ORDER BY entry",
  );

  /** The rows that one step checks. */
  const rangeAbove = (above: number, last: number): RowRange => {
    const through = Math.min(last, above + verificationStepRows);
    let bytes = 0;
    for (const payload of payloadSizes.iterate(above, through)) {
      bytes += payload.bytes;
      if (bytes > verificationStepMaxBytes) return { above, through: payload.number };
    }
    return { above, through };
  };

  const startRun = (project: ChainOwner, mark: Mark | null, isRoundDue: boolean): RunStart | null => {
    const number = project === null ? chainOfInstallation.get() : chainOf.get(project.id);
    if (number === undefined) return null;
    const whole = readChain(source, reader, number);
    const isOurs = mark !== null && mark.chain === whole.chain;
    const continues = isOurs && !isRoundDue && mark.seq > whole.start.seq;
    const row = continues ? find.get(number, mark.seq, mark.hash) : undefined;
    // If the record of the mark still exists, the run continues after it. Otherwise it begins at the first record.
    const isWhole = row === undefined || mark === null;
    // Records of removals may be before the mark. The run that began at the first record has checked them.
    const frame = isWhole
      ? whole
      : {
          ...whole,
          start: { seq: mark.seq, hash: mark.hash, at: row.at },
          anchor: null,
          payloadsThrough: null,
          tree: whole.tree === null ? null : treeAfter(source, number, whole.tree, mark.seq),
        };
    const above = isWhole ? 0 : row.number;
    const marked = isOurs ? [{ chain: whole.chain, size: mark.seq }] : [];
    const key = { ...toKey(frame, { checkpoints: marked, roots: [] }), through: whole.start.seq };
    return { frame, key, above, isWhole };
  };

  /** `through` is the seq of the newest record that the run has checked. Skips rows of other chains before the next record. */
  const verifyStep = (key: ChainKey, above: number, through: number): VerificationStep => {
    if ((anchored.get(key.number) ?? 0) > through) return { moved: true };
    const first = following.get(key.number, through) ?? above + 1;
    const last = newest.get(key.number) ?? above;
    const range = rangeAbove(Math.max(above, first - 1), last);
    const result = verifyRange(source, [key], range, key.number);
    const isLast = range.through >= last;
    return {
      moved: false,
      result,
      next: isLast ? null : range.through,
      covered: isLast ? coveredThrough(source, reader, key) : 0,
      payloadsThrough: isLast ? (payloadsThroughOf.get(key.number) ?? 0) : 0,
    };
  };

  return {
    /** Where a run begins: after `mark`; at the first record if a round is due, or if the record of the mark has changed. Null: there is no chain. */
    startRun: database.transaction(startRun),
    verifyStep: database.transaction(verifyStep),
  };
}

/** What the last step of a run reports about the whole chain. */
export type RunEnd = Pick<Extract<VerificationStep, { moved: false }>, "covered" | "payloadsThrough">;

/** The report of a run that has reached the newest record. `mark` is compared as a checkpoint: an earlier run has verified it. */
export function reportRun(
  { frame, isWhole }: RunStart,
  segments: readonly Segment[],
  mark: Mark | null,
  { covered, payloadsThrough }: RunEnd,
): ChainReport {
  const atEnd = { ...frame, payloadsThrough: isWhole ? payloadsThrough : null };
  const checkpoints = mark === null ? [] : [toCheckpoint(mark)];
  return reportChain(atEnd, segments, { checkpoints, roots: [] }, covered);
}

/** The report of an unfinished run, without removals: later records may account for missing payloads. */
export function reportProgress({ frame }: RunStart, segments: readonly Segment[]): ChainReport {
  const { chain, project, start, anchors, checkpoints, roots } = frame;
  const { extent, failure } = joinSegments({ start, segments });
  return {
    chain,
    project,
    ...extent,
    anchors,
    checkpoints: checkpoints.length + roots.length,
    coveredThrough: null,
    uncoveredRecords: extent.records,
    contradiction: null,
    uncoveredRemovals: 0,
    failure: earlier(frame.failure, failure),
  };
}

function toCheckpoint({ chain, seq, hash }: Mark): KnownCheckpoint {
  const source = "an earlier verification by this server";
  return { chain, size: seq, hash, at: 0, isOutside: false, isSigned: false, source };
}

/** better-sqlite3 binds numbered parameters by name. */
export function toSource(database: Database): LedgerSource {
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

// Owns what a report says of each chain: coverage, retention, verification and statements of third parties. Reads no record.

import { retentionDaysOf } from "../../../access/project.ts";
import { parseAnchor } from "../../../audit/checkpoint.ts";
import type { ReportedChain, ReportedRemoval, ReportedVerification } from "../../../audit/report/report.ts";
import { textOfNote } from "../../../audit/verify/note.ts";
import { dayMs } from "../../../platform/time/clock.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import type { InstallationPreparation } from "../../contract/operation.ts";
import type {
  ChainPeriod,
  CountedCalls,
  Period,
  Removal,
  ReportedOwner,
} from "../../storage/report-store.ts";
import { sumOf } from "./calls.ts";

/** The checkpoint is signed with the report. */
export type UnsignedChain = Omit<ReportedChain, "checkpoint">;

export interface ReadChain {
  readonly chain: UnsignedChain;
  /** Of the period. */
  readonly counted: readonly CountedCalls[];
}

/** @param owner null: the installation */
export async function readChain(
  owner: ReportedOwner | null,
  period: Period,
  preparation: InstallationPreparation,
): Promise<ReadChain> {
  const { signal } = preparation;
  const { found, counted } = await countChain(owner, period, preparation);
  const records = sumOf(counted);
  const { first = null, last = null } = found ?? {};
  const { attested = null, checkpoints = 0, removedThrough = 0, moreRemovals = 0 } = found ?? {};
  const verification = found === null ? null : await verify(owner, preparation);
  signal.throwIfAborted();
  const chain = {
    chain: found?.chain ?? "",
    project: owner && {
      id: owner.id,
      name: owner.name,
      deleted_at: owner.deletedAt === null ? null : toTimestamp(owner.deletedAt),
    },
    ...retentionOf(owner, preparation),
    removed_through: removedThrough,
    first: first && { ...first, at: toTimestamp(first.at) },
    last: last && { ...last, at: toTimestamp(last.at) },
    records,
    missing: first === null || last === null ? 0 : last.seq - first.seq + 1 - records,
    refused: sumOf(counted.filter(({ isSuccess, isOwn }) => isOwn && !isSuccess)),
    appended: sumOf(counted.filter(({ isOwn }) => !isOwn)),
    checkpoints,
    verification,
    removals: (found?.removals ?? []).flatMap(toRemoval),
    more_removals: moreRemovals,
    attestations: (found?.attestations ?? []).map(({ at, ...each }) => ({
      ...each,
      stored_at: toTimestamp(at),
    })),
    attested,
  };
  return { chain, counted };
}

/** Counted again if retention has removed records meanwhile. */
async function countChain(
  owner: ReportedOwner | null,
  period: Period,
  { store: { reports }, signal }: InstallationPreparation,
): Promise<{ readonly found: ChainPeriod | null; readonly counted: readonly CountedCalls[] }> {
  for (;;) {
    const found = await reports.chain(owner, period, signal);
    const { first = null, last = null } = found ?? {};
    if (first === null || last === null) return { found, counted: [] };
    const counted = await reports.count(owner, { first: first.seq, last: last.seq }, null, signal);
    const after = await reports.chain(owner, period, signal);
    if (after?.removedThrough === found?.removedThrough) return { found, counted };
  }
}

function retentionOf(
  owner: ReportedOwner | null,
  { plans, settings }: Pick<InstallationPreparation, "plans" | "settings">,
): Pick<ReportedChain, "retention_days" | "payload_retention_days"> {
  const { installationRetentionDays, payloadRetentionDays: payloads } = settings;
  const records = owner === null ? installationRetentionDays : retentionDaysOf(owner, plans);
  const isShorter = payloads !== null && (records === null || payloads < records);
  return { retention_days: records, payload_retention_days: isShorter ? payloads : null };
}

/** Waits until the newest record was checked, for minutes if the chain is long. */
async function verify(
  owner: ReportedOwner | null,
  { store, signal }: Pick<InstallationPreparation, "store" | "signal">,
): Promise<ReportedVerification | null> {
  for (;;) {
    signal.throwIfAborted();
    const { report, isComplete, round } = await store.audit.verify(owner);
    if (report === null || round === null) return null;
    const { failure, contradiction } = report;
    if (!isComplete && failure === null) continue;
    return {
      verdict: failure !== null ? "broken" : contradiction !== null ? "contradicted" : "unattested",
      from_seq: round.fromSeq,
      through_seq: round.throughSeq,
      started_at: toTimestamp(round.startedAt),
      finding:
        failure === null
          ? (contradiction?.message ?? null)
          : `Record ${failure.seq ?? "none"} failed the check "${failure.check}": ${failure.message}`,
    };
  }
}

function toRemoval({ at, note }: Removal): readonly ReportedRemoval[] {
  const anchor = parseAnchor(textOfNote(note));
  if (anchor === null) return [];
  const { through, count, firstAt, lastAt } = anchor;
  return [
    {
      at: toTimestamp(at),
      through,
      count,
      first_at: toTimestamp(firstAt),
      last_at: toTimestamp(lastAt),
      youngest_days: Math.floor((at - lastAt) / dayMs),
      note,
    },
  ];
}

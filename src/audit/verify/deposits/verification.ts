// Owns the verification of deposits, the files that destinations elsewhere keep: that their entries are one chain, and that it is the one that the
// checkpoints in them have signed. Must never open a file.

import { type DepositHead, depositName, parseDepositHead, parseDepositName } from "../../deposit.ts";
import { compareRoots, type KnownRoot } from "../checkpoint-comparison.ts";
import type { Cryptography } from "../cryptography.ts";
import type { NoteReader } from "../note-reader.ts";
import { type ChainReport, type Contradiction, createReport, type Failure, type Report } from "../verdict.ts";
import { findFork, type GivenDeposit, linesOf } from "./forks.ts";
import { createLog, type DepositedRecord, Failed } from "./log.ts";

interface DepositVerification {
  readonly deposits: readonly GivenDeposit[];
  readonly reader: NoteReader;
  readonly cryptography: Cryptography;
  /** External checkpoints with valid signatures. */
  readonly roots: readonly KnownRoot[];
  readonly refusedOutside: Failure | null;
  readonly remarks: readonly string[];
  /** Called for each record, in order, before the checkpoint that covers it is compared. */
  readonly onRecord?: (record: DepositedRecord) => void;
}

export async function verifyDeposits(options: DepositVerification): Promise<Report> {
  const logs = new Map<string, GivenDeposit[]>();
  for (const deposit of options.deposits.toSorted(({ name: one }, { name: other }) =>
    one < other ? -1 : 1,
  )) {
    const place = parseDepositName(deposit.name);
    if (place === null) continue;
    const log = `${place.chain}/${place.log}`;
    logs.set(log, [...(logs.get(log) ?? []), deposit]);
  }
  const remarks = [...options.remarks];
  const chains: ChainReport[] = [];
  for (const deposits of logs.values()) chains.push(await verifyLog(deposits, options, remarks));
  const { refusedOutside: failure } = options;
  return createReport({ chains, failure, contradictions: [], remarks });
}

async function verifyLog(
  deposits: readonly GivenDeposit[],
  options: DepositVerification,
  remarks: string[],
): Promise<ChainReport> {
  const state = createLog(options);
  let failure: Failure | null = null;
  let fork: Contradiction | null = null;
  try {
    for (const [index, deposit] of deposits.entries()) {
      const { first = 0 } = parseDepositName(deposit.name) ?? {};
      fork = first <= state.through() ? await findFork(deposit, deposits.slice(0, index)) : null;
      if (fork !== null) break;
      const skipped = await readDeposit(deposit, state, options);
      if (skipped !== null) remarks.push(skipped);
    }
  } catch (error) {
    if (!(error instanceof Failed)) throw error;
    failure = error.failure;
  }
  return reportLog(state, { first: deposits[0]?.name ?? "", failure, fork }, options, remarks);
}

type Log = ReturnType<typeof createLog>;

/** @returns what a person should know */
async function readDeposit(
  deposit: GivenDeposit,
  state: Log,
  { reader }: DepositVerification,
): Promise<string | null> {
  const { name } = deposit;
  let head: DepositHead | null = null;
  let skipped: string | null = null;
  /** Records that earlier files have, too. */
  let known = 0;
  for await (const line of linesOf(deposit)) {
    if (head === null) {
      head = parseDepositHead(line);
      if (head === null || depositName(head) !== name)
        throw new Failed(null, "form", `${name} does not begin with the head of a file of this name`);
      known = Math.max(0, state.through() - head.first + 1);
      skipped = state.begin(head, name, reader);
    } else if (known > 0) known -= 1;
    else state.take(line, head, name);
  }
  state.end(head, name);
  return skipped;
}

interface Found {
  /** Name of the first file. */
  readonly first: string;
  readonly failure: Failure | null;
  readonly fork: Contradiction | null;
}

function reportLog(
  state: Log,
  { first: name, failure, fork }: Found,
  { roots: outside }: DepositVerification,
  remarks: string[],
): ChainReport {
  const { project, firstSeq, lastSeq, records, appended, given, through, rootAt } = state.summary();
  const { chain, log } = parseDepositName(name) ?? { chain: "", log: "" };
  const first = records === 0 ? null : firstSeq;
  const own = [...given, ...outside.filter((root) => root.chain === chain)];
  // A larger checkpoint shows only that not everything was kept.
  const common = { chain, through, rootAt, newest: null, first, log };
  const compared = compareRoots({ ...common, roots: own });
  const signed = given.map((root) => ({ ...root, isOutside: true }));
  const covered = compareRoots({ ...common, roots: signed }).coveredThrough ?? firstSeq - 1;
  if (failure === null && fork === null && covered < lastSeq)
    remarks.push(
      `Chain ${chain}: no checkpoint in the files covers the records after ${covered}, so anybody could have written them.`,
    );
  return {
    ...{ chain, project, records, appended, failure },
    ...{ firstSeq: first, lastSeq: first === null ? null : lastSeq, withoutPayload: records },
    ...{ checkpoints: own.length, anchors: 0, uncoveredRemovals: 0 },
    ...compared,
    contradiction: fork ?? compared.contradiction,
    uncoveredRecords: Math.max(0, lastSeq - (compared.coveredThrough ?? firstSeq - 1)),
  };
}

// Owns reading what a destination has kept of the ledger, for `audit verify`: the files of a folder, and the comparison of a database with them. Must never write a
// file.

import { globSync } from "node:fs";
import { join } from "node:path";
import { parseDepositHead, parseDepositName } from "../../audit/deposit.ts";
import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import {
  describeEntry,
  describeRecord,
  type GivenDeposit,
  linesOf,
} from "../../audit/verify/deposits/forks.ts";
import type { DepositedRecord } from "../../audit/verify/deposits/log.ts";
import { verifyDeposits } from "../../audit/verify/deposits/verification.ts";
import type { SuppliedFile } from "../../audit/verify/evidence.ts";
import type { NoteReader } from "../../audit/verify/note-reader.ts";
import { type Contradiction, createReport, type Report, UnusableInput } from "../../audit/verify/verdict.ts";
import type { StoredEntries } from "../../calls/storage/ledger-verifier.ts";
import { ledgerVerifier } from "../../engines/engines.ts";

/** What a folder has of deposits; none: it has none. */
export function findDeposits(folder: string): readonly GivenDeposit[] {
  return globSync("memledger/*/*/*.jsonl", { cwd: folder })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => parseDepositName(name) !== null)
    .toSorted()
    .map((name) => ({ name, open: () => Bun.file(join(folder, name)).stream() }));
}

/** @throws UnusableInput when there are none */
export function requireDeposits(folder: string): readonly GivenDeposit[] {
  const deposits = findDeposits(folder);
  if (deposits.length > 0) return deposits;
  throw new UnusableInput(
    `${folder} has no records that were kept. Give the folder that has the folder memledger, such as a copy of the bucket. Nothing was verified.`,
  );
}

/** The checkpoints in them, as files that a person supplies. */
export async function checkpointsIn(deposits: readonly GivenDeposit[]): Promise<readonly SuppliedFile[]> {
  const files: SuppliedFile[] = [];
  for (const deposit of deposits) {
    const { value: line = "" } = await linesOf(deposit).next();
    const notes = parseDepositHead(line)?.checkpoints.map(({ note }) => note) ?? [];
    if (notes.length > 0) files.push({ name: deposit.name, text: notes.join("\n") });
  }
  return files;
}

interface Comparison {
  readonly folder: string;
  readonly deposits: readonly GivenDeposit[];
  readonly reader: NoteReader;
  /** Path of the database. */
  readonly database: string;
}

/**
 * Adds to the report about a database which record is the first that differs from what was kept.
 * @throws UnusableInput when what was kept is not what the checkpoints in it have signed
 */
export async function compareWithDeposits(
  finding: Report,
  { folder, deposits, reader, database }: Comparison,
): Promise<Report> {
  const differences = new Map<string, Contradiction>();
  using entries = ledgerVerifier.storedEntries(database);
  const kept = await verifyDeposits({
    ...{ deposits, reader, roots: [], refusedOutside: null, remarks: [], cryptography: runtimeCryptography },
    onRecord(record) {
      const found = entries === null || differences.has(record.chain) ? null : differenceOf(record, entries);
      if (found !== null) differences.set(record.chain, found);
    },
  });
  if (kept.failure !== null)
    throw new UnusableInput(
      `The ledger cannot be compared with what was kept in ${folder}: ${kept.failure.message}. Run memledger audit verify ${folder} --public-key FILE.`,
    );
  for (const { chain, contradiction } of kept.chains)
    if (contradiction !== null && !differences.has(chain)) differences.set(chain, contradiction);
  const chains = finding.chains.map((chain) => ({
    ...chain,
    contradiction: differences.get(chain.chain) ?? chain.contradiction,
  }));
  const isOfChain = finding.chains.some(({ contradiction }) => contradiction === finding.contradiction);
  const { failure, contradiction } = finding;
  return createReport({
    chains,
    failure: failure?.chain === null ? failure : null,
    contradictions: contradiction === null || isOfChain ? [] : [contradiction],
    remarks: [...finding.remarks, ...kept.remarks],
  });
}

/** Null: the ledger has the same record, or retention has removed it, or the whole chain is not there. */
function differenceOf(record: DepositedRecord, entries: StoredEntries): Contradiction | null {
  const { chain, seq, file, entry } = record;
  const { newest, removed } = entries.extent(chain);
  if (seq <= removed || newest === 0) return null;
  const found = entries.find(chain, seq);
  if (found?.hash === record.hash) return null;
  const what = `${describeRecord(seq, entry)}, which is in ${file}`;
  if (found === null)
    return {
      kind: "truncated",
      chain,
      size: seq,
      message: `${what}, is missing: it was removed, or an older copy of the file was restored`,
    };
  const message = `${what}, was replaced by ${describeEntry(found.entry)}`;
  return { kind: "rewritten", chain, size: seq, message };
}

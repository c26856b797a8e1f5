// Owns the comparison of deposits that have the same records: a ledger that was put back and continued has others. Pure; must never open a file.

import { splitLines } from "../../../platform/text/byte-lines.ts";
import { parseDepositName } from "../../deposit.ts";
import { parseEntry } from "../entry-parser.ts";
import type { Contradiction } from "../verdict.ts";

export interface GivenDeposit {
  /** As `depositName`. */
  readonly name: string;
  open(): AsyncIterable<Uint8Array>;
}

/** An entry has a few hundred bytes; a head has up to a hundred checkpoints with their statements. */
const lineMaxBytes = 16 * 1024 * 1024;

/** Its lines, the head first; "" in place of one that is too long. */
export async function* linesOf({ open }: GivenDeposit): AsyncGenerator<string> {
  for await (const line of splitLines(open(), lineMaxBytes))
    yield line === null ? "" : new TextDecoder().decode(line);
}

/** The first record that another one replaces in a later file. Null: they have the same records. */
export async function findFork(
  later: GivenDeposit,
  before: readonly GivenDeposit[],
): Promise<Contradiction | null> {
  const { chain = "", first = 0 } = parseDepositName(later.name) ?? {};
  const known = entriesFrom(before, first);
  for await (const { seq, line } of entriesFrom([later], first)) {
    const { value: other } = await known.next();
    if (other === undefined) return null;
    if (other.seq === seq && other.line === line) continue;
    const message = `${describeRecord(other.seq, other.line)}, which is in ${other.file}, was replaced by ${describeEntry(line)} in ${later.name}`;
    return { kind: "rewritten", chain, size: seq, message };
  }
  return null;
}

/** Each seq once. */
async function* entriesFrom(deposits: readonly GivenDeposit[], from: number) {
  let next = from;
  for (const deposit of deposits) {
    const { first = 0, last = 0 } = parseDepositName(deposit.name) ?? {};
    if (last < next) continue;
    let seq = first - 1;
    for await (const line of linesOf(deposit)) {
      // The head is where a record before the first one would be.
      if (seq >= first && seq === next) {
        yield { seq, line, file: deposit.name };
        next += 1;
      }
      seq += 1;
    }
  }
}

/** Such as: record 7, memory.create at 2026-11-28T18:00:52.835Z (its id). */
export function describeRecord(seq: number, entry: string): string {
  return `record ${seq}, ${describeEntry(entry)}`;
}

export function describeEntry(entry: string): string {
  const parsed = parseEntry(entry);
  return parsed === null ? "something else" : `${parsed.action} at ${parsed.at} (${parsed.id})`;
}

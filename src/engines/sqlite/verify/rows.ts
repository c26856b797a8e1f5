// Owns the SQL with which a verification reads records. A range of row numbers contains records of several chains, in the order in which
// they were written. Must never read through an index: a forged index can omit rows.

import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import { type Entry, millisecondsOf } from "../../../audit/verify/entry-parser.ts";
import { type Foreign, type FoundRecord, parsePayload } from "../../../audit/verify/record-checks.ts";
import { createSegmentVerifier, type Segment, type SegmentVerifier } from "../../../audit/verify/segment.ts";
import { answerOf, foreignColumn, listsForeignMemory, ownersJoined } from "./owners.ts";
import { type PayloadRow, toPayload } from "./payload.ts";
import { isDamage, type LedgerSource } from "./source.ts";
import { hasVersion2, treeHasher } from "./version-2.ts";
import { checkRows, haveName, type PseudonymRow, readPseudonyms } from "./version-2-rows.ts";

/** The fields of a chain that the check of its records needs. Plain data. */
export interface ChainKey {
  /** Of audit_chain. */
  readonly number: number;
  readonly chain: string;
  readonly project: string | null;
  /** `through` of the newest anchor: records up to this one are being deleted. 0: there is no anchor. */
  readonly through: number;
  /** Seqs whose hashes are wanted, ascending. */
  readonly wanted: readonly number[];
  /** Null: the chain has no tree. `roots`: seqs at which the root is wanted, ascending. */
  readonly tree: {
    readonly first: number;
    readonly through: number;
    readonly roots: readonly number[];
  } | null;
}

/** Row numbers above `above`, up to `through`. */
export interface RowRange {
  readonly above: number;
  readonly through: number;
}

export type ChainSegment = readonly [chain: number, segment: Segment];

/** Plain data. */
export interface RangeResult {
  readonly rows: number;
  /** By number of the chain. */
  readonly segments: readonly ChainSegment[];
  /** Of records that are being deleted. */
  readonly leftovers: readonly ChainSegment[];
  /** Names a row that belongs to no chain or record; null when there is none. */
  readonly orphan: string | null;
}

interface EntryRow {
  readonly number: number;
  readonly chain: number;
  readonly seq: number;
  readonly id: string;
  readonly at: number;
  readonly action: string;
  readonly status: number;
  readonly key: string | null;
  readonly memory: string | null;
  readonly entry: string;
  readonly hash: string;
  readonly foreign: Foreign;
  readonly mac: unknown;
}

interface DatabaseRecord extends FoundRecord {
  readonly row: EntryRow;
  readonly pseudonyms: readonly PseudonymRow[];
}

const rowsAtOnce = 500;
const entryColumns =
  "e.number, e.chain, e.seq, e.id, e.at, e.action, e.status, e.key, e.memory, e.entry, e.hash";

/** @param only number of the only chain to read; null: all chains */
export function verifyRange(
  source: LedgerSource,
  chains: readonly ChainKey[],
  { above, through }: RowRange,
  only: number | null = null,
): RangeResult {
  let [rows, orphan, last] = [0, null as string | null, above];
  const onStray = ({ seq }: EntryRow) => {
    orphan ??= `a row of audit_pseudonym names record ${seq}, which does not have the pseudonym`;
  };
  const known = new Map(chains.map((chain) => [chain.number, startChain(source, chain, onStray)]));
  const isVersion2 = hasVersion2(source);
  while (last < through) {
    const entries = readEntries(source, last, through, only, isVersion2);
    const end = entries.length < rowsAtOnce ? through : (entries.at(-1)?.number ?? through);
    const payloads = readPayloads(source, last, end, only);
    const pseudonyms = Map.groupBy(
      isVersion2 ? readPseudonyms(source, last, end) : [],
      ({ number }) => number,
    );
    let next = 0;
    for (const row of entries) {
      for (; (payloads[next]?.number ?? row.number) < row.number; next += 1)
        orphan ??= strayPayload(payloads[next]);
      const payload = payloads[next]?.number === row.number ? payloads[next++] : undefined;
      const chain = known.get(row.chain);
      if (chain === undefined) orphan ??= `record ${row.number} (seq ${row.seq}) belongs to no chain`;
      else {
        const named = pseudonyms.get(row.number) ?? [];
        if (named.length > 0 && row.seq > chain.through && row.seq < chain.first) onStray(row);
        verifierFor(row, chain).take(toRecord(source, row, payload, named));
      }
    }
    if (next < payloads.length) orphan ??= strayPayload(payloads[next]);
    rows += entries.length;
    last = end;
  }
  const chainsOf = [...known];
  return {
    rows,
    orphan,
    segments: chainsOf.flatMap(([number, { verifier }]) => finish(number, verifier)),
    leftovers: chainsOf.flatMap(([number, { leftover }]) => finish(number, leftover)),
  };
}

interface OpenChain {
  readonly through: number;
  /** The first record of version 2. */
  readonly first: number;
  readonly verifier: SegmentVerifier<DatabaseRecord>;
  readonly leftover: SegmentVerifier<DatabaseRecord>;
}

function startChain(
  source: LedgerSource,
  { number, chain, project, wanted, through, tree }: ChainKey,
  onStray: (row: EntryRow) => void,
): OpenChain {
  const { createSha256, hashInto } = runtimeCryptography;
  const firstOfVersion2 = tree?.first ?? null;
  const common = {
    chain,
    project,
    span: null,
    columnsAgree,
    sha256: createSha256(),
    hashInto,
    firstOfVersion2,
  };
  const verifier = createSegmentVerifier<DatabaseRecord>({
    ...common,
    wanted,
    tree: tree === null ? null : { ...tree, hasher: treeHasher },
    checkRows: ({ row, pseudonyms }, entry, parts) =>
      entry.v2 === null
        ? null
        : checkRows(source, { chain: number, project, pseudonyms }, entry, parts, () => onStray(row)),
    haveName: (pseudonyms) => haveName(source, pseudonyms),
  });
  const leftover = createSegmentVerifier<DatabaseRecord>({ ...common, wanted: [], tree: null });
  return { through, first: firstOfVersion2 ?? Number.POSITIVE_INFINITY, verifier, leftover };
}

/** A row with a seq of 0 or less cannot be a record from before the anchor. */
function verifierFor({ seq }: EntryRow, { through, verifier, leftover }: OpenChain) {
  return seq > 0 && seq <= through ? leftover : verifier;
}

function finish(number: number, verifier: SegmentVerifier<DatabaseRecord>): ChainSegment[] {
  const segment = verifier.finish();
  return segment === null ? [] : [[number, segment]];
}

function readEntries(
  source: LedgerSource,
  above: number,
  through: number,
  only: number | null,
  isVersion2: boolean,
): EntryRow[] {
  const mac = isVersion2 ? "e.mac" : "NULL AS mac";
  const ofChain = only === null ? "" : "AND e.chain = ?3";
  const read = (foreign: string, joined: string) => {
    const sql = `SELECT ${entryColumns}, ${mac}, ${foreign} FROM audit_entry e NOT INDEXED ${joined}
      WHERE e.number > ?1 AND e.number <= ?2 ${ofChain} ORDER BY e.number LIMIT ${rowsAtOnce}`;
    return source.all(sql, above, through, ...(only === null ? [] : [only])) as EntryRow[];
  };
  try {
    return read(foreignColumn(isVersion2), ownersJoined);
  } catch (error) {
    // The check of the tables reports damage of the keys or the memories. The records are verified all the same.
    if (!isDamage(error)) throw error;
    return read('NULL AS "foreign"', "");
  }
}

function readPayloads(
  source: LedgerSource,
  above: number,
  through: number,
  only: number | null,
): PayloadRow[] {
  const ofChain =
    only === null
      ? ""
      : "AND entry IN (SELECT number FROM audit_entry NOT INDEXED WHERE number > ?1 AND number <= ?2 AND chain = ?3)";
  const sql = `SELECT entry AS number, salt, text FROM audit_payload WHERE entry > ?1 AND entry <= ?2 ${ofChain} ORDER BY entry`;
  return source.all(sql, above, through, ...(only === null ? [] : [only])) as PayloadRow[];
}

function strayPayload(row: PayloadRow | undefined): string {
  return `the payload of row ${row?.number} belongs to no record`;
}

/** A forged schema can return values of other types; a value that is not text counts as missing. */
function toRecord(
  source: LedgerSource,
  row: EntryRow,
  stored: PayloadRow | undefined,
  pseudonyms: readonly PseudonymRow[],
): DatabaseRecord {
  const payload = toPayload(stored);
  const lists =
    typeof payload !== "string" &&
    listsForeignMemory(source, row, () => answerOf(parsePayload(payload.text)), hasVersion2(source));
  return {
    row,
    pseudonyms,
    seq: typeof row.seq === "number" ? row.seq : null,
    entry: typeof row.entry === "string" ? row.entry : null,
    hash: typeof row.hash === "string" ? row.hash : null,
    payload,
    foreign: row.foreign ?? (lists ? "memory" : null),
  };
}

/** Of a record of version 2. Only the holder of the signing key can check it. */
const macBytes = 16;

function columnsAgree({ row }: DatabaseRecord, entry: Entry): boolean {
  return (
    row.seq === entry.seq &&
    row.id === entry.id &&
    row.at === millisecondsOf(entry.at) &&
    row.action === entry.action &&
    row.status === entry.status &&
    row.key === entry.key &&
    row.memory === entry.memory &&
    (row.mac === null || (entry.v2 !== null && row.mac instanceof Uint8Array && row.mac.length === macBytes))
  );
}

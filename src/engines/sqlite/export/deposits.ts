// Owns the SQL of deposits: which records destinations elsewhere lack, what is in the next file, and what was kept. Verifies nothing.

import type { DepositedCheckpoint, DepositHead } from "../../../audit/deposit.ts";
import type {
  DepositQuery,
  DepositRange,
  DueDeposit,
  LastDeposit,
  StoredDeposit,
} from "../../../calls/storage/deposit-store.ts";
import { isObject, type JsonObject, readJson } from "../../../platform/json/json.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { toBase64 } from "../../../platform/text/byte-text.ts";
import { payloadJoin, type RecordRow, recordColumns, toProvableRecord } from "../ledger/audit-reader.ts";
import { createChainTrees } from "../ledger/chain-tree.ts";
import { cosignedNote, isOfVersion2, newestStamp } from "../ledger/tree-roots.ts";
import { createInclusionProofs } from "./inclusion-proofs.ts";

const piecesMaxRecords = 1_000;
/** Of those that others have attested in one file. */
const checkpointsMax = 100;

/** Of a row `p` of audit_checkpoint that is of version 2: the rest of the first line of its note. */
const logOf = "substr(p.note, 44, instr(p.note, char(10)) - 44)";

/** The chains with their newest checkpoint, and the last record of it that a destination has. */
const kept = `SELECT c.number, c.id AS chain, o.id AS project, p.size, p.at, p.note, ${logOf} AS log,
    COALESCE((SELECT MAX(size) FROM audit_deposit d
      WHERE d.destination = :destination AND d.chain = c.number AND d.log = ${logOf}), 0) AS kept
  FROM audit_chain c LEFT JOIN project o ON o.serial = c.project
  JOIN audit_checkpoint p ON p.chain = c.number AND p.size = (
    SELECT size FROM audit_checkpoint WHERE chain = c.number AND ${isOfVersion2} AND at <= :signedBefore
    ORDER BY at DESC, size DESC LIMIT 1)`;

/** The first record that it lacks. Retention may have removed others. */
const lacking = `SELECT k.*, e.seq AS first, e.at AS oldestAt FROM (${kept}) k
  JOIN audit_entry e ON e.chain = k.number
    AND e.seq = (SELECT MIN(seq) FROM audit_entry WHERE chain = k.number AND seq > k.kept)
  WHERE e.seq <= k.size`;

interface LackingRow extends Omit<DueDeposit, "records">, Pick<DepositRange, "log" | "first"> {
  readonly number: number;
}

export function createDepositReader(database: Database, verifierKeys: readonly string[]) {
  const all = database.prepare<[DepositQuery], LackingRow>(`${lacking} ORDER BY k.number`);
  const one = database.prepare<[DepositQuery & { chain: string }], LackingRow>(
    `${lacking} AND k.chain = :chain`,
  );
  const largest = database
    .prepare<[{ number: number; log: string; first: number; end: number }], number | null>(
      `SELECT MAX(p.size) FROM audit_checkpoint p
       WHERE p.chain = :number AND p.size BETWEEN :first AND :end AND ${isOfVersion2} AND ${logOf} = :log`,
    )
    .pluck();
  const rows = database.prepare<[DepositRange], { seq: number; entry: string }>(
    `SELECT seq, entry FROM audit_entry WHERE chain = (SELECT number FROM audit_chain WHERE id = :chain)
     AND seq BETWEEN :first AND :last ORDER BY seq LIMIT ${piecesMaxRecords}`,
  );
  const last = database.prepare<[string], Omit<LastDeposit, "answer"> & { answer: string }>(
    `SELECT o.id AS project, d.size, d.at, d.answer FROM audit_deposit d JOIN audit_chain c ON c.number = d.chain
     LEFT JOIN project o ON o.serial = c.project WHERE d.destination = ? ORDER BY d.at DESC LIMIT 1`,
  );
  return {
    due(query: DepositQuery): readonly DueDeposit[] {
      return all.all(query).map(({ chain, project, size, at, note, first, oldestAt }) => ({
        ...{ chain, project, size, at, note, oldestAt },
        records: size - first + 1,
      }));
    },
    next: database.transaction(
      (query: DepositQuery, chain: string, recordsMax: number): DepositRange | null => {
        const row = one.get({ ...query, chain });
        if (row === undefined) return null;
        const { number, log, first, size } = row;
        const end = Math.min(size, first + recordsMax - 1);
        return { chain, log, first, last: largest.get({ number, log, first, end }) ?? end };
      },
    ),
    entries(range: DepositRange) {
      const found = rows.all(range);
      for (const [index, { seq }] of found.entries())
        if (seq !== range.first + index) throw new Error(`record ${range.first + index} is missing`);
      const through = found.at(-1)?.seq;
      if (through === undefined) throw new Error(`record ${range.first} is missing`);
      return { text: found.map(({ entry }) => `${entry}\n`).join(""), through };
    },
    head: createHeads(database),
    erasures: createErasures(database, verifierKeys),
    last(destination: string): LastDeposit | null {
      const found = last.get(destination);
      return found === undefined ? null : { ...found, answer: readObject(found.answer) };
    },
  };
}

function createHeads(database: Database): (range: DepositRange) => DepositHead {
  const trees = createChainTrees(database);
  const chains = database.prepare<[string], { number: number; project: string | null; tree: string }>(
    `SELECT c.number, o.id AS project, c.tree FROM audit_chain c LEFT JOIN project o ON o.serial = c.project WHERE c.id = ?`,
  );
  const checkpoints = database.prepare<[DepositRange & { number: number }], DepositedCheckpoint>(
    `SELECT ${cosignedNote} AS note, ${newestStamp} AS timestamp FROM audit_checkpoint p
     WHERE p.chain = :number AND p.size BETWEEN :first - 1 AND :last AND ${isOfVersion2} AND ${logOf} = :log
       AND (p.size = :last OR EXISTS (SELECT 1 FROM audit_attestation WHERE chain = p.chain AND size = p.size))
     ORDER BY p.size DESC LIMIT ${checkpointsMax}`,
  );
  // In one transaction, because retention may replace nodes.
  return database.transaction((range: DepositRange): DepositHead => {
    const chain = chains.get(range.chain);
    if (chain === undefined) throw new Error(`there is no chain ${range.chain}`);
    const { number, project, tree } = chain;
    return {
      ...range,
      ...{ project, tree },
      before: trees.nodesBefore(number, range.first).map(toBase64),
      checkpoints: checkpoints.all({ ...range, number }).reverse(),
    };
  });
}

/** As the answer of an erasure has them (audit/receipt.ts). */
function createErasures(database: Database, [verifierKey = ""]: readonly string[]) {
  const proofsOf = createInclusionProofs(database);
  const trees = createChainTrees(database);
  const records = database.prepare<
    [DepositRange],
    RecordRow & { readonly number: number; readonly project: string | null; readonly note: string }
  >(
    `SELECT ${recordColumns}, c.number, o.id AS project, n.note FROM audit_chain c JOIN audit_entry e ON e.chain = c.number ${payloadJoin}
     JOIN audit_checkpoint n ON n.chain = c.number AND n.size = e.seq LEFT JOIN project o ON o.serial = c.project
     WHERE c.id = :chain AND e.seq BETWEEN :first AND :last AND e.action = 'audit.redact' AND e.status = 200 ORDER BY e.seq`,
  );
  const erasedOwner = database
    .prepare<[string], string>(
      `SELECT p.id FROM pseudonym p JOIN json_each(?) j ON j.value = p.id
       WHERE p.kind IN ('subject', 'conversation') ORDER BY p.kind DESC LIMIT 1`,
    )
    .pluck();
  return database.transaction((range: DepositRange): string => {
    const lines = records.all(range).flatMap((row) => {
      const { number, project, note } = row;
      const { payload, content, salt, entry, hash } = toProvableRecord(row);
      const { erased } = readObject(payload);
      const subject = Array.isArray(erased) ? erasedOwner.get(JSON.stringify(erased)) : undefined;
      if (subject === undefined || content === null || salt === null) return [];
      const receipt = {
        ...{ v: 1, project, subject, entry, hash },
        salt: Buffer.from(salt).toString("base64"),
        payload: Buffer.from(content).toString("utf8"),
        inclusion: proofsOf(number, row.seq - trees.statementOf(number).through + 1)(row.seq),
        checkpoint: note,
        verifier_key: verifierKey,
      };
      return [`${JSON.stringify(receipt)}\n`];
    });
    return lines.join("");
  });
}

function readObject(text: string | null): JsonObject {
  const value = text === null ? undefined : readJson(text);
  return isObject(value) ? value : {};
}

/** @returns a function that stores a deposit in a transaction of its own: DepositStore.add */
export function createDepositLog(database: Database): (deposit: StoredDeposit) => boolean {
  const insert = database.prepare(
    `INSERT OR IGNORE INTO audit_deposit (destination, chain, log, size, first, sha256, answer, at)
     SELECT :destination, number, :log, :last, :first, :sha256, :answer, :at FROM audit_chain WHERE id = :chain`,
  );
  return (deposit) => insert.run({ ...deposit, answer: JSON.stringify(deposit.answer) }).changes > 0;
}

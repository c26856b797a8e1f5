// Owns all SQL that writes the ledger. Only ever appends.

import { hashRecord } from "../../../audit/chain.ts";
import type { ClockWatch } from "../../../audit/clock-watch.ts";
import type { EntryMac } from "../../../audit/entry-mac.ts";
import { statementText } from "../../../audit/report/statement.ts";
import { choosePruning } from "../../../audit/retention.ts";
import { runtimeCryptography } from "../../../audit/runtime-cryptography.ts";
import type { Signer } from "../../../audit/signed-note.ts";
import type { TracedRecord } from "../../../audit/trace/traced.ts";
import { createTreeHasher, inclusionPath } from "../../../audit/tree.ts";
import type { AuditTransaction } from "../../../calls/storage/ledger-store.ts";
import type { IdSource } from "../../../platform/ids.ts";
import type { Database } from "../../../platform/native/sqlite.ts";
import { serialsOf } from "../project-serials.ts";
import { createAttestationLog } from "./attestations.ts";
import { readAuditKey, writeAuditKey } from "./audit-key.ts";
import { createChainSpan, createErasureMarks, createSeek, createTraceBatches } from "./audit-reader.ts";
import type { ChainHeads } from "./chain-heads.ts";
import type { ChainTrees } from "./chain-tree.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { NamedHead } from "./head-seals.ts";
import { type KnownHeads, readHeads } from "./known-heads.ts";
import { createPayloadErasure } from "./payload-erasure.ts";

export interface AuditTransactionOptions {
  readonly database: Database;
  readonly createId: IdSource;
  readonly heads: ChainHeads;
  readonly knownHeads: KnownHeads;
  /** The MAC of the entries of a chain. */
  readonly macOf: (chain: string) => EntryMac;
  readonly checkpoints: Checkpoints;
  readonly trees: Pick<ChainTrees, "follow" | "statementOf" | "reader">;
  /** Of the key that is to be replaced; null: it is lost, or none is. */
  readonly previousSigner: Signer | null;
  /** Signs the text of a note. */
  readonly signNote: Signer["sign"];
  readonly watchClock: ClockWatch;
  /** Erases what the rows of open exchanges have said. */
  readonly eraseOpen: () => void;
  /** Called with the bytes of each record. */
  readonly countRecord: (bytes: number) => void;
}

const hasher = createTreeHasher(runtimeCryptography);

export function createAuditTransaction(options: AuditTransactionOptions): AuditTransaction {
  const { database, createId, heads, knownHeads, checkpoints, trees, previousSigner, eraseOpen } = options;
  // Expired in 1970, because the clock may be set back before the files are removed.
  const endExports = database
    .prepare<[{ project: number | null; seq: number }], string>(
      `UPDATE audit_export SET status = CASE status WHEN 'processing' THEN 'failed' ELSE status END, expires_at = 0
       WHERE project = :project AND status <> 'failed' AND :seq BETWEEN first_seq AND last_seq
         AND (filter IS NULL OR EXISTS (SELECT 1 FROM export_record WHERE export = id AND seq = :seq)) RETURNING id`,
    )
    .pluck();
  const erasePayload = createPayloadErasure(database);
  const traceBatch = createTraceBatches(database);
  const erasureMarks = createErasureMarks(database);
  const findProject = database
    .prepare<[string], string | null>(
      "SELECT p.id FROM audit_chain c LEFT JOIN project p ON p.serial = c.project WHERE c.id = ?",
    )
    .pluck();
  const findCovered = database
    .prepare<[string, number], number | null>(
      `SELECT MAX(size) FROM audit_checkpoint
       WHERE chain = (SELECT number FROM audit_chain WHERE id = ?) AND size <= ?`,
    )
    .pluck();
  const attest = createAttestationLog(database);
  const serialOf = serialsOf(database);
  const toSerial = (project: string | null) => (project === null ? null : serialOf(project));
  const span = createChainSpan(database);
  const seek = createSeek(database);

  return {
    append: createAppend(options),

    async countOlder(project, before) {
      const chain = span(project);
      if (chain === null) return 0;
      const old = { oldThrough: seek(chain, before) - 1, oldPayloadsThrough: 0 };
      const { through } = choosePruning({ last: chain.last, exportFirst: null, ...old });
      return Math.max(0, through - chain.first + 1);
    },

    async signCheckpoint(project, now) {
      return checkpoints.sign(heads.open(project, now), now);
    },

    async proveInclusion(project, seq, now) {
      const { number, seq: newest } = heads.open(project, now);
      const { through } = trees.statementOf(number);
      return inclusionPath(seq - through, newest - through + 1, trees.reader(number), hasher);
    },

    async signAllCheckpoints(now) {
      return checkpoints.signAll(now);
    },

    signReport: async (statement) => options.signNote(statementText(statement)),

    addAttestation: async (checkpoint, attestation) => attest({ checkpoint, attestation }),

    async signDueCheckpoints(now) {
      checkpoints.signDueBefore(now);
    },

    async traceAfter({ trace, through }) {
      const found: TracedRecord[] = [];
      let batch: ReturnType<typeof traceBatch> = { trace, records: [], through };
      while (batch.through !== null) {
        batch = traceBatch(batch.trace, batch.through);
        found.push(...batch.records);
      }
      return found;
    },

    erasures: async (project) => erasureMarks(project),

    async erase(held) {
      eraseOpen();
      const records = held.map(erasePayload).filter((record) => record !== null);
      const exports = records.flatMap(({ project, seq }) =>
        endExports.all({ project: toSerial(project), seq }),
      );
      return { records, exports: [...new Set(exports)] };
    },

    async adoptKey({ former, successor }, now) {
      if (checkpoints.verifierKey !== successor || readAuditKey(database).verifierKey !== former)
        return false;
      writeAuditKey(database, successor);
      if (previousSigner === null) knownHeads.accept();
      checkpoints.signWith(previousSigner, now);
      knownHeads.sealAll();
      return true;
    },

    async acceptHeads(now, lossOf = []) {
      const recordId = createId(now);
      const heads = knownHeads.accept();
      const accepted = heads.map(({ chain, seq, hash }) => {
        const covered = findCovered.get(chain, seq) ?? 0;
        return { chain, project: findProject.get(chain) ?? null, covered, newest: seq, hash };
      });
      const isLost = ({ chain }: NamedHead) => lossOf.includes(chain);
      const others = readHeads(database).filter(
        (head) => isLost(head) && !heads.some(({ number }) => number === head.number),
      );
      for (const head of [...heads, ...others]) checkpoints.accept(head, recordId, isLost(head), now);
      checkpoints.beginTrees(now);
      return { accepted, recordId };
    },
  };
}

function createAppend({
  database,
  createId,
  heads,
  macOf,
  trees,
  watchClock,
  countRecord,
}: AuditTransactionOptions): AuditTransaction["append"] {
  const insertEntry = database.prepare(
    `INSERT INTO audit_entry (chain, seq, id, at, action, status, key, memory, entry, hash, mac)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const insertPayload = database.prepare("INSERT INTO audit_payload (entry, salt, text) VALUES (?, ?, ?)");
  const insertPseudonym = database.prepare(
    "INSERT INTO audit_pseudonym (pseudonym, entry) SELECT serial, ? FROM pseudonym WHERE id = ?",
  );
  return async (draft) => {
    const head = heads.open(draft.project, draft.now);
    watchClock(head.at, draft.now);
    const { seq, id, at, entry, members, hash } = hashRecord(head, draft, createId);
    const { action, status, keyId, memoryId, payload } = draft;
    const mac = macOf(head.chain)(hash);
    // By position: names take a tenth of the time of the statement.
    const row = [head.number, seq, id, at, action, status, keyId, memoryId, entry, hash, mac];
    const number = insertEntry.run(row).lastInsertRowid;
    insertPayload.run(number, payload.salt, payload.compressed);
    for (const named of [draft.subject, draft.conversation, draft.person])
      if (named !== undefined && named !== null) insertPseudonym.run(number, named);
    countRecord(entry.length + payload.compressed.length);
    heads.move(draft.project, { ...head, seq, hash, at });
    trees.follow(head.number, head.hash, hash);
    return { seq, entry, members, hash };
  };
}

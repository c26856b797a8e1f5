// Owns all SQL that writes the ledger. Only ever appends.

import { randomBytes } from "node:crypto";
import { genesisHash, genesisText, sealRecord } from "../../../audit/chain.ts";
import type { ClockWatch } from "../../../audit/clock-watch.ts";
import type { RecordDraft } from "../../../audit/record.ts";
import { choosePruning } from "../../../audit/retention.ts";
import type { AuditTransaction, RecordLocation } from "../../../audit/store.ts";
import { toTimestamp } from "../../../clock.ts";
import type { Database } from "../../../native/sqlite.ts";
import { serialsOf } from "../project-serials.ts";
import type { WriterState } from "../threads/writer-state.ts";
import { readAuditKey, writeAuditKey } from "./audit-key.ts";
import { createChainSpan, createMentions, createSeek } from "./audit-reader.ts";
import type { Checkpoints, NumberedHead } from "./checkpoints.ts";

export function createAuditTransaction(
  database: Database,
  state: WriterState,
  checkpoints: Checkpoints,
  watchClock: ClockWatch,
): AuditTransaction {
  const findHead = database.prepare<
    [number | null],
    { number: number; chain: string; seq: number | null; hash: string; at: number | null }
  >(
    `SELECT c.number, c.id AS chain, e.seq, COALESCE(e.hash, c.hash) AS hash, e.at
     FROM audit_chain c LEFT JOIN audit_entry e ON e.chain = c.number
     WHERE c.project IS ? ORDER BY e.seq DESC LIMIT 1`,
  );
  const insertChain = database.prepare(
    "INSERT INTO audit_chain (id, project, genesis, hash) VALUES (:id, :project, :genesis, :hash)",
  );
  const insertEntry = database.prepare(
    `INSERT INTO audit_entry (chain, seq, id, at, action, status, key, memory, entry, hash)
     VALUES (:chain, :seq, :id, :at, :action, :status, :keyId, :memoryId, :entry, :hash)`,
  );
  const insertPayload = database.prepare("INSERT INTO audit_payload (entry, salt, text) VALUES (?, ?, ?)");

  const deletePayload = database.prepare(
    `DELETE FROM audit_payload WHERE entry =
       (SELECT number FROM audit_entry WHERE id = ?)`,
  );
  // Expired since 1970: the clock may be set back before the files are removed.
  const endExports = database
    .prepare<[number | null, number], string>(
      `UPDATE audit_export SET status = CASE status WHEN 'processing' THEN 'failed' ELSE status END, expires_at = 0
       WHERE project = ? AND status <> 'failed' AND ? BETWEEN first_seq AND last_seq RETURNING id`,
    )
    .pluck();

  const findText = createMentions(database);
  const serialOf = serialsOf(database);
  const toSerial = (project: string | null) => (project === null ? null : serialOf(project));
  const span = createChainSpan(database);
  const seek = createSeek(database);

  const openChain = (project: RecordDraft["project"], now: number): NumberedHead => {
    const chain = state.createId(now);
    const nonce = randomBytes(16).toString("hex");
    const genesis = { chain, project, at: toTimestamp(now), nonce };
    const hash = genesisHash(genesis);
    const row = { id: chain, project: toSerial(project), genesis: genesisText(genesis), hash };
    const number = Number(insertChain.run(row).lastInsertRowid);
    const head = { number, chain, seq: 0, hash, at: 0 };
    state.knownHeads.moved(head);
    return head;
  };

  const headOf = (project: RecordDraft["project"], now: number): NumberedHead => {
    const known = state.headOf(project);
    if (known !== undefined) return known;
    const row = findHead.get(toSerial(project));
    if (row === undefined) return openChain(project, now);
    const head = { ...row, seq: row.seq ?? 0, at: row.at ?? 0 };
    state.knownHeads.require(head);
    return head;
  };

  return {
    async append(draft) {
      const head = headOf(draft.project, draft.now);
      watchClock(head.at, draft.now);
      const { seq, id, at, entry, hash } = sealRecord(head, draft, state.createId);
      const { action, status, keyId, memoryId, payload } = draft;
      const row = { chain: head.number, seq, id, at, action, status, keyId, memoryId, entry, hash };
      const number = insertEntry.run(row).lastInsertRowid;
      insertPayload.run(number, payload.salt, payload.compressed);
      state.moveHead(draft.project, { ...head, seq, hash, at });
      return { seq, entry, hash };
    },

    async countOlder(project, before) {
      const chain = span(project);
      if (chain === null) return 0;
      const old = { oldThrough: seek(chain, before) - 1, oldPayloadsThrough: 0 };
      const { through } = choosePruning({ last: chain.last, exportFirst: null, ...old });
      return Math.max(0, through - chain.first + 1);
    },

    async signCheckpoint(project, now) {
      return checkpoints.sign(headOf(project, now), now);
    },

    async signAllCheckpoints(now) {
      return checkpoints.signAll(now);
    },

    async findTextAfter(text, through) {
      const found: RecordLocation[] = [];
      for (let after: number | null = through; after !== null; ) {
        const batch = findText(text, after);
        found.push(...batch.places);
        after = batch.through;
      }
      return found;
    },

    async erase(places) {
      const exports = new Set<string>();
      for (const { id, seq, project } of places) {
        deletePayload.run(id);
        for (const name of endExports.all(toSerial(project), seq)) exports.add(name);
      }
      return [...exports];
    },

    adoptKey({ former, successor }) {
      if (checkpoints.verifierKey !== successor || readAuditKey(database).verifierKey !== former)
        return false;
      writeAuditKey(database, successor);
      return true;
    },
  };
}

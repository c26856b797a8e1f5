// The ledger of the test engine: chains, checkpoints, lists, erasure, and the range of an export.

import { join } from "node:path";
import { genesisHash, hashRecord } from "../../../src/audit/chain.ts";
import type { ListedCheckpoint, SignedCheckpoint } from "../../../src/audit/checkpoint.ts";
import { checkpointText } from "../../../src/audit/checkpoint.ts";
import { hasUnsigned } from "../../../src/audit/checkpoint-schedule.ts";
import { type Export, exportInProgress, recordsOf, toExportId } from "../../../src/audit/export/export.ts";
import { createNoteAppender } from "../../../src/audit/note-file.ts";
import { eraseParts } from "../../../src/audit/parts/parts.ts";
import { presentParts, readPayload, readPayloadText } from "../../../src/audit/parts/stored-payload.ts";
import type { StoredRecord } from "../../../src/audit/record.ts";
import { choosePruning } from "../../../src/audit/retention.ts";
import type { Signer } from "../../../src/audit/signed-note.ts";
import { createTracer } from "../../../src/audit/trace/trace.ts";
import type {
  RecordLocation,
  RecordPlace,
  Trace,
  TracedRecord,
  TracedRecords,
} from "../../../src/audit/trace/traced.ts";
import type { ExportTransaction } from "../../../src/calls/storage/export-store.ts";
import type {
  AuditTransaction,
  HiddenReads,
  LedgerStatistics,
  MentionQuery,
  Mentions,
  RecordPage,
  RecordQuery,
} from "../../../src/calls/storage/ledger-store.ts";
import { toTimestamp } from "../../../src/platform/time/timestamp.ts";
import type { ChainRow, Data, RecordRow } from "./data.ts";

export function recordsOfChain({ records }: Data, project: string | null): RecordRow[] {
  return records.all().filter((row) => row.project === project);
}

function toLocation({ project, seq, id, action }: RecordRow): RecordLocation {
  return { project, seq, id, action };
}

export function toPlace(row: RecordRow): RecordPlace {
  return {
    ...toLocation(row),
    isWhole: row.payload !== null && readPayload(row.payload).erased.length === 0,
  };
}

export function toStoredRecord({ seq, entry, hash, payload }: RecordRow): StoredRecord {
  if (payload === null)
    return { seq, entry, hash, salt: null, payload: null, erased: [], removal: "redacted" };
  return { seq, entry, hash, salt: payload.salt, ...readPayload(payload), removal: null };
}

function textOf({ payload }: RecordRow): string {
  return (payload && readPayloadText(payload)) ?? "";
}

export function listRecords(rows: readonly RecordRow[], query: RecordQuery): RecordPage {
  const { from, to, action, keyId, memoryId, statusClass, limit, after, hidden } = query;
  const inSpan = rows.filter(({ at }) => (from === null || at >= from) && (to === null || at <= to));
  const newest = to === null ? (rows.at(-1)?.seq ?? 0) : (inSpan.at(-1)?.seq ?? 0);
  const through = Math.min(newest, query.through ?? newest);
  const found = inSpan
    .filter((row) => row.seq <= through)
    .filter((row) => action === null || row.action === action)
    .filter((row) => keyId === null || row.keyId === keyId)
    .filter((row) => memoryId === null || row.memoryId === memoryId)
    .filter((row) => !isHidden(row, hidden ?? null))
    .filter((row) => statusClass === null || Math.floor(row.status / 100) === statusClass)
    .toReversed();
  const rest = "skip" in after ? found.slice(after.skip) : found.filter(({ seq }) => seq < after.below);
  const records = rest.slice(0, limit).map(toStoredRecord);
  return { records, total: query.total ?? found.length, through, hasMore: rest.length > limit };
}

function isHidden({ keyId, action, status }: RecordRow, hidden: HiddenReads | null): boolean {
  if (hidden === null || keyId === null || status < 200 || status > 299) return false;
  return hidden.keyIds.includes(keyId) && hidden.actions.includes(action);
}

export function countRecords(rows: readonly RecordRow[], from: number | null): LedgerStatistics {
  const shown = rows.filter(({ at }) => from === null || at >= from);
  const head = rows.at(-1);
  return {
    records: shown.length,
    firstAt: shown[0]?.at ?? null,
    lastAt: head?.at ?? null,
    headSeq: head?.seq ?? 0,
    headHash: head?.hash ?? null,
    bytes: shown.reduce((sum, { entry, payload }) => sum + entry.length + (payload?.content.length ?? 0), 0),
  };
}

export function listCheckpoints(
  { chains, checkpoints }: Data,
  project: string | null,
  { below, limit }: { readonly below: number | null; readonly limit: number },
): ListedCheckpoint[] {
  const own = chains.all().find((row) => row.project === project)?.chain;
  // A size that is signed again has one note.
  const bySize = new Map(checkpoints.all().flatMap((row) => (row.chain === own ? [[row.size, row]] : [])));
  return [...bySize.values()]
    .filter(({ size }) => below === null || size < below)
    .sort((left, right) => right.size - left.size)
    .slice(0, limit)
    .map(({ size, at, note, hash }) => ({ size, at, note, hash, timestamp: null }));
}

export function findMentions(rows: readonly RecordRow[], query: MentionQuery): Mentions {
  const { memoryId, naming, mentioning, always, from, below, withoutKeys } = query;
  const records = rows
    .filter(({ at, seq }) => (from === null || at >= from) && (below === null || seq < below))
    .filter(({ keyId }) => keyId === null || !withoutKeys.includes(keyId))
    .filter(
      (row) =>
        row.action === always ||
        (naming.includes(row.action) && row.memoryId === memoryId) ||
        (mentioning.includes(row.action) && textOf(row).includes(memoryId)),
    );
  return { records: records.toReversed().map(toStoredRecord), below: null };
}

export interface Checkpoints {
  sign(project: string | null, now: number): SignedCheckpoint;
  /** Appends to their files the notes of transactions that are committed. */
  publish(): void;
  forget(): void;
  /** Signs every chain that has records after its newest checkpoint. */
  signRest(now: number): void;
}

export function createCheckpoints(data: Data, signer: Signer, folder: string): Checkpoints {
  const append = createNoteAppender();
  let unpublished: SignedCheckpoint[] = [];
  const sign: Checkpoints["sign"] = (project, now) => {
    const { chain, seq: size, hash } = headOf(data, project, now);
    const checkpoint = { chain, size, hash, at: now };
    const note = signer.sign(checkpointText(checkpoint));
    const number = data.next();
    data.checkpoints.set(number, { number, chain, size, note, at: now, hash, timestamp: null });
    const signed = { checkpoint, note, timestamp: null, verifierKey: signer.verifierKey };
    unpublished.push(signed);
    return signed;
  };
  const publish = () => {
    for (const { checkpoint, note } of unpublished) append(join(folder, `${checkpoint.chain}.notes`), note);
    unpublished = [];
  };
  return {
    sign,
    publish,
    forget() {
      unpublished = [];
    },
    signRest(now) {
      for (const { project, chain, seq } of data.chains.all()) {
        const sizes = data.checkpoints.all().filter((row) => row.chain === chain);
        if (hasUnsigned({ seq, size: sizes.at(-1)?.size ?? null, signedAt: null })) sign(project, now);
      }
      publish();
    },
  };
}

/** Begins the chain when there is none. */
function headOf({ chains, createId }: Data, project: string | null, now: number): ChainRow {
  const known = chains.get(project);
  if (known !== undefined) return known;
  const chain = createId(now);
  const genesis = { chain, project, at: toTimestamp(now), nonce: crypto.randomUUID().replaceAll("-", "") };
  const row = { chain, project, seq: 0, hash: genesisHash(genesis), at: 0 };
  chains.set(project, row);
  return row;
}

export function createAuditTransaction(
  data: Data,
  checkpoints: Checkpoints,
  verifierKey: string,
): AuditTransaction {
  const { records, chains, exports, settings } = data;
  return {
    async append(draft) {
      const head = headOf(data, draft.project, draft.now);
      const sealed = hashRecord(head, draft, data.createId);
      const { project, action, status, keyId, memoryId, payload } = draft;
      const content = Bun.zstdDecompressSync(new Uint8Array(payload.compressed));
      const number = data.next();
      const row = { ...sealed, number, chain: head.chain, project, action, status, keyId, memoryId };
      records.set(number, { ...row, payload: { salt: payload.salt, content } });
      chains.set(project, { ...head, seq: sealed.seq, hash: sealed.hash, at: sealed.at });
      return sealed;
    },
    signReport: () => Promise.reject(new Error("The memory engine signs no reports.")),
    // It has no trees.
    proveInclusion: async () => [],
    async countOlder({ id }, before) {
      const rows = recordsOfChain(data, id);
      const oldThrough = rows.findLast(({ at }) => at < before)?.seq ?? 0;
      const last = rows.at(-1)?.seq ?? 0;
      return choosePruning({ last, exportFirst: null, oldThrough, oldPayloadsThrough: 0 }).through;
    },
    signCheckpoint: async (project, now) => checkpoints.sign(project, now),
    addAttestation: async () => false,
    signDueCheckpoints: async () => undefined,
    acceptHeads: async (now) => ({ accepted: [], recordId: data.createId(now) }),
    signAllCheckpoints: async (now) => chains.all().map(({ project }) => checkpoints.sign(project, now)),
    traceAfter: async ({ trace, through }) => followTrace(data, trace, through).records,
    erasures: async (project) => erasureMarks(data, project),
    async erase(held) {
      const ended = new Set<string>();
      const erased = held.map((each) => erasePayload(data, each)).filter((each) => each !== null);
      for (const { project, seq } of erased) {
        for (const made of exports.all()) {
          const isHolding = made.project === project && made.firstSeq <= seq && seq <= made.lastSeq;
          if (!isHolding || made.status === "failed") continue;
          exports.set(made.id, { ...made, status: "failed", expiresAt: 0 });
          ended.add(made.id);
        }
      }
      return { records: erased, exports: [...ended] };
    },
    async adoptKey({ former, successor }, now) {
      const before = settings.get("all") ?? { model: null, verifierKey: null };
      if (successor !== verifierKey || before.verifierKey !== former) return false;
      settings.set("all", { ...before, verifierKey: successor });
      for (const { project } of chains.all()) checkpoints.sign(project, now);
      return true;
    },
  };
}

/** What of it was not erased before. */
function erasePayload({ records }: Data, held: TracedRecord): TracedRecord | null {
  const row = records.all().find(({ id }) => id === held.id);
  if (row === undefined || row.payload === null) return null;
  if (held.parts === null) {
    records.set(row.number, { ...row, payload: null });
    return held;
  }
  const parts = (presentParts(row.payload) ?? []).flatMap(({ index }) =>
    held.parts?.includes(index) ? index : [],
  );
  if (parts.length === 0) return null;
  const count = Number(JSON.parse(row.entry).parts);
  const { salt, compressed } = eraseParts(row.payload, count, new Set(parts));
  const content = Bun.zstdDecompressSync(new Uint8Array(compressed));
  records.set(row.number, { ...row, payload: { salt, content } });
  return { ...held, parts };
}

export function erasureMarks(data: Data, project: string | null): string {
  const isErasure = ({ action }: { action: string }) => action === "audit.redact";
  if (project === null) return String(data.records.all().findLast(isErasure)?.number);
  return [null, project].map((chain) => recordsOfChain(data, chain).findLast(isErasure)?.number).join(" ");
}

export function followTrace({ records }: Data, from: Trace, after: number): Omit<TracedRecords, "through"> {
  const tracer = createTracer(from);
  const found = records.all().flatMap((row) => {
    const place = toLocation(row);
    const record = { ...toStoredRecord(row), content: row.payload?.content ?? null };
    const held = row.number > after ? tracer.take(place, record) : null;
    return held === null ? [] : [{ ...place, ...held }];
  });
  return { trace: tracer.trace(), records: found };
}

export function createExportTransaction(
  data: Data,
  checkpoints: Checkpoints,
  folder: string,
): ExportTransaction {
  const { exports } = data;
  const ofProject = (id: string, now: number) =>
    exports
      .all()
      .filter(({ project, expiresAt }) => project === id && (expiresAt === null || expiresAt > now));
  return {
    async begin(project, draft, now) {
      const running = ofProject(project.id, now).find(({ status }) => status === "processing");
      if (running !== undefined) throw exportInProgress(running.id);
      const rows = recordsOfChain(data, project.id);
      const from = Math.max(draft.startAt, draft.shownFrom);
      const inSpan = rows.filter(({ at }) => at >= from && at <= draft.endAt);
      const firstSeq = inSpan[0]?.seq ?? 1;
      const id = toExportId(data.createId(now));
      const made: Export = {
        ...draft,
        // It selects by time only.
        filter: null,
        selected: null,
        id,
        firstSeq,
        lastSeq: inSpan.at(-1)?.seq ?? firstSeq - 1,
        status: "processing",
        records: 0,
        bytes: null,
        sha256: null,
        error: null,
        createdAt: now,
        completedAt: null,
        expiresAt: null,
        path: join(folder, `${id}.${draft.format}`),
      };
      exports.set(id, { ...made, project: project.id });
      if (recordsOf(made) > 0) checkpoints.sign(project.id, now);
      return made;
    },
    find: async (project, id, now) => ofProject(project.id, now).find((made) => made.id === id) ?? null,
    list: async (project, now) => ofProject(project.id, now).toReversed(),
  };
}

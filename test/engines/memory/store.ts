// The store of the test engine: settles calls in turn, undoes what is lost, and reads between them.

import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createSigner } from "../../../src/audit/signed-note.ts";
import { joinSegments } from "../../../src/audit/verify/chain-verification.ts";
import { createSegmentVerifier } from "../../../src/audit/verify/segment.ts";
import { toRefusalAnswer } from "../../../src/calls/contract/answer.ts";
import { withAnswer } from "../../../src/calls/outcome.ts";
import { type Settlement, settle } from "../../../src/calls/settle.ts";
import type { AfterCommit } from "../../../src/calls/storage/after-commit.ts";
import type { StoreOptions } from "../../../src/calls/storage/engine.ts";
import type { Verification } from "../../../src/calls/storage/ledger-store.ts";
import type { Store, Transaction } from "../../../src/calls/storage/store.ts";
import { ownerId } from "../../../src/memory/owner.ts";
import { unavailable } from "../../../src/platform/errors.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createAccessReader, createAccessTransaction, findCallerOf } from "./access.ts";
import { checksOf, createCheckTransaction } from "./checks.ts";
import { createConversationReader, createConversationTransaction } from "./conversations.ts";
import type { Data } from "./data.ts";
import {
  countRecords,
  createAuditTransaction,
  createCheckpoints,
  createExportTransaction,
  erasureMarks,
  findMentions,
  followTrace,
  listCheckpoints,
  listRecords,
  recordsOfChain,
  toPlace,
  toStoredRecord,
} from "./ledger.ts";
import { createMemoryReader, createMemoryTransaction } from "./memories.ts";
import { createModelTransaction, createModelVectors } from "./models.ts";
import { createRememberQueue, createRememberTransaction } from "./remembering.ts";
import { createSubjectReader, createSubjectTransaction } from "./subjects.ts";
import { createSuggestionReader, createSuggestionTransaction } from "./suggestions.ts";

export function openMemoryStore(
  data: Data,
  { plans, ledger, clockShift, logger, onModelChange, onRemember }: StoreOptions,
): Store {
  const clock = createClock(clockShift);
  const signer = createSigner(ledger.signingKey);
  const checkpoints = createCheckpoints(data, signer, ledger.notes);
  const { journal } = data;
  const undoing = async <Result>(work: () => Promise<Result>, isKept: boolean): Promise<Result> => {
    const mark = journal.mark();
    try {
      const result = await work();
      if (!isKept) journal.undoTo(mark);
      return result;
    } catch (error) {
      journal.undoTo(mark);
      throw error;
    }
  };
  const transaction: Transaction = {
    // Calls of all stores of this database are settled in turn, so every chain is locked already.
    lock: async (keyId) => (keyId === null ? null : findCallerOf(data, keyId)),
    access: createAccessTransaction(data),
    memories: createMemoryTransaction(data),
    checks: createCheckTransaction(data),
    suggestions: createSuggestionTransaction(data),
    subjects: createSubjectTransaction(data),
    conversations: createConversationTransaction(data),
    audit: createAuditTransaction(data, checkpoints, signer.verifierKey),
    models: createModelTransaction(data),
    remembering: createRememberTransaction(data),
    exports: createExportTransaction(data, checkpoints, ledger.exports),
    attempt: (work) => undoing(work, true),
    dryRun: (work) => undoing(work, false),
  };
  const settlement: Settlement = {
    clock,
    plans,
    report: (incident, error) => logger.error("a call failed", { incident, error }),
    isLost: () => false,
  };
  return {
    hadMemories: false,
    openExchange: async () => {},
    access: createAccessReader(data),
    memories: createMemoryReader(data),
    suggestions: createSuggestionReader(data),
    checks: { list: (owner) => data.inTurn(() => checksOf(data, ownerId(owner))) },
    subjects: createSubjectReader(data),
    conversations: createConversationReader(data),
    audit: {
      list: (project, query) =>
        data.inTurn(() => listRecords(recordsOfChain(data, project?.id ?? null), query)),
      statistics: (project, from) =>
        data.inTurn(() => countRecords(recordsOfChain(data, project?.id ?? null), from)),
      checkpoints: (project, query) => data.inTurn(() => listCheckpoints(data, project?.id ?? null, query)),
      mentions: (project, query) =>
        data.inTurn(() => findMentions(recordsOfChain(data, project?.id ?? null), query)),
      find: (project, id) =>
        data.inTurn(() => {
          const row = recordsOfChain(data, project?.id ?? null).find((record) => record.id === id);
          return row === undefined ? null : { ...toStoredRecord(row), content: row.payload?.content ?? null };
        }),
      // It has no trees.
      proveInclusion: async () => null,
      proveConsistency: async () => ({ treeSize: 0, path: null }),
      // It keeps the texts of payloads, not their parts.
      partsAt: async () => [],
      place: (id) =>
        data.inTurn(() => {
          const row = data.records.all().find((record) => record.id === id);
          return row === undefined ? null : toPlace(row);
        }),
      trace: (trace) =>
        data.inTurn(() => ({
          ...followTrace(data, followTrace(data, trace, 0).trace, 0),
          through: data.next(),
        })),
      erasures: (project) => data.inTurn(() => erasureMarks(data, project)),
      verify: (project) => data.inTurn(() => verifyChain(data, project?.id ?? null, clock.now())),
    },
    // It has no trees, and so no checkpoint that a witness could sign.
    attestations: {
      newestBy: async () => null,
      unattested: async () => [],
      of: async () => [],
      stampedAs: async () => null,
      add: async () => false,
    },
    // No checkpoint of version 2, and so nothing to keep elsewhere.
    deposits: {
      due: async () => [],
      next: async () => null,
      entries: () => Promise.reject(new Error("there is no deposit")),
      head: () => Promise.reject(new Error("there is no deposit")),
      erasures: async () => "",
      last: async () => null,
      add: async () => {},
    },
    // It counts nothing for reports.
    reports: {
      owners: async () => ({ owners: [], more: 0 }),
      chain: async () => null,
      count: async () => [],
    },
    retention: { run: () => Promise.reject(unavailable("The memory engine has no retention.")) },
    models: createModelVectors(data),
    remembering: createRememberQueue(data),
    exports: { start() {} },
    expectCommit: () => ({ [Symbol.dispose]() {} }),
    commit: (call) =>
      data.inTurn(async () => {
        const mark = journal.mark();
        try {
          const { answer, after } = withAnswer(call, await settle(transaction, call, settlement));
          checkpoints.publish();
          for (const each of after) perform(data, each);
          if (after.some(({ effect }) => effect === "continue_model_change")) onModelChange?.();
          if (after.some(({ effect }) => effect === "remember_answer")) onRemember?.();
          return answer;
        } catch (error) {
          journal.undoTo(mark);
          checkpoints.forget();
          logger.error("a call was undone", { error });
          return toRefusalAnswer(unavailable("The call was undone. Send it again."));
        }
      }),
    statistics: {
      current: () => ({
        queues: [],
        restarts: [],
        searchWaits: null,
        searchGroups: null,
        searchTasks: null,
        verifiedAt: null,
        chainsWithFailure: 0,
      }),
      groups: async () => null,
      searches: async () => null,
      contents: async () => null,
      files: async () => null,
      ofChain: async () => null,
      pastCalls: async () => null,
      gatewayCost: async () => null,
      nearLimits: async () => null,
    },
    readiness: async () => [],
    close: () => data.inTurn(() => checkpoints.signRest(clock.now())),
  };
}

/** There is no work for the other effects: nothing is kept beside the rows, and nobody writes exports. */
function perform({ memories, keys, sessions }: Data, after: AfterCommit): void {
  if (after.effect === "touch_key") {
    const row = keys.get(after.keyId);
    if (row !== undefined) keys.set(after.keyId, { ...row, key: { ...row.key, lastUsedAt: after.at } });
  } else if (after.effect === "touch_session") {
    const row = sessions.get(after.session);
    if (row !== undefined)
      sessions.set(after.session, { ...row, session: { ...row.session, lastUsedAt: after.at } });
  } else if (after.effect === "touch_memories") {
    for (const id of after.memories) {
      const row = memories.get(id);
      if (row !== undefined)
        memories.set(id, { ...row, memory: { ...row.memory, lastAccessedAt: after.at } });
    }
  }
}

/** All of the chain, each time. */
function verifyChain(data: Data, project: string | null, now: number): Verification {
  const rows = recordsOfChain(data, project);
  const [first] = rows;
  if (first === undefined) return { report: null, isComplete: true, round: null, lastCompleteAt: null };
  const { chain } = first;
  const sha256 = runtimeCryptography.createSha256();
  const version2 = { hashInto: runtimeCryptography.hashInto, firstOfVersion2: 1, tree: null };
  const options = { chain, project, wanted: [], span: null, columnsAgree: () => true, sha256, ...version2 };
  const verifier = createSegmentVerifier(options);
  for (const { seq, entry, hash, payload } of rows)
    verifier.take({
      seq,
      entry,
      hash,
      payload: payload === null ? "missing" : { salt: payload.salt, text: payload.content },
    });
  const segment = verifier.finish();
  const start = { seq: 0, hash: null, at: null };
  const { extent, failure } = joinSegments({
    start,
    segments: segment === null ? [] : [segment],
  });
  return {
    report: {
      chain,
      project,
      ...extent,
      checkpoints: 0,
      anchors: 0,
      coveredThrough: null,
      uncoveredRecords: extent.records,
      uncoveredRemovals: 0,
      failure,
      contradiction: null,
    },
    isComplete: true,
    round: { fromSeq: 1, throughSeq: extent.lastSeq ?? 0, startedAt: now, completedAt: now },
    lastCompleteAt: now,
  };
}

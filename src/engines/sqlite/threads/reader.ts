// Owns the requests to the thread that reads, and passes searches on. Requests wait here and not in the thread, so that projects take
// turns, and a request whose client has closed the connection is never sent.

import type { Trace, TracedRecord, TracedRecords } from "../../../audit/trace/traced.ts";
import type { AttestationStore } from "../../../calls/storage/attestation-store.ts";
import type { ConversationReader } from "../../../calls/storage/conversation-store.ts";
import type { DepositStore } from "../../../calls/storage/deposit-store.ts";
import type { AuditReader, ChainOwner } from "../../../calls/storage/ledger-store.ts";
import type { MemoryReader } from "../../../calls/storage/memory-store.ts";
import type { ModelVectors } from "../../../calls/storage/model-change-store.ts";
import type { CountedCalls, ReportReader } from "../../../calls/storage/report-store.ts";
import type {
  ChainContents,
  CurrentStatistics,
  DatabaseContents,
  GatewayCost,
  NearLimits,
  NearLimitsQuery,
  PastCalls,
  PastCallsQuery,
} from "../../../calls/storage/statistics.ts";
import type { SubjectReader } from "../../../calls/storage/subject-store.ts";
import type { Owner } from "../../../memory/owner.ts";
import {
  readQueueLimits,
  readRequestsAtOnce,
  readRequestsOfProjectAtOnce,
} from "../../../platform/limits.ts";
import type { Logger } from "../../../platform/log/logger.ts";
import { createFairGate } from "../../../platform/scheduling/fair-gate.ts";
import { type QueueCounts, serverItself, type Waiter } from "../../../platform/scheduling/fair-queue.ts";
import type { WorkerThread } from "../../../platform/threads/worker-thread.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import type { Searches } from "../search/groups/searches.ts";
import type { GroupRequestName, GroupRequests } from "../search/searcher/group-requests.ts";
import { createVerificationRounds } from "../verify/verification-rounds.ts";
import type { NamedRequest } from "./answer-requests.ts";
import type { ReadHandlers } from "./reader-worker.ts";

/** Payloads of a subject that are kept in memory for its erasure. */
const preparedMaxBytes = 32 * 1024 * 1024;

interface Reader {
  readonly memories: Omit<MemoryReader, "find" | "findHeld">;
  readonly subjects: Pick<SubjectReader, "recordsAbout">;
  readonly conversations: Pick<ConversationReader, "list" | "read" | "madeOf" | "neighbours">;
  readonly models: Pick<ModelVectors, "count" | "findMissing">;
  readonly audit: Omit<AuditReader, "erasures">;
  readonly attestations: Omit<AttestationStore, "add">;
  readonly deposits: Omit<DepositStore, "add">;
  readonly reports: ReportReader;
  /** @throws Refusal 1503 while the thread restarts, or when too many requests wait */
  contents(countsProjects: boolean): Promise<DatabaseContents>;
  /** @throws as `contents` does */
  ofChain(owner: ChainOwner): Promise<ChainContents>;
  pastCalls(query: PastCallsQuery): Promise<PastCalls>;
  gatewayCost(owner: ChainOwner, from: number): Promise<GatewayCost>;
  /** @throws as `contents` does */
  nearLimits(query: NearLimitsQuery): Promise<NearLimits>;
  counts(): ReaderCounts;
  close(): Promise<void>;
}

interface ReaderCounts extends Pick<CurrentStatistics, "verifiedAt" | "chainsWithFailure"> {
  readonly queue: QueueCounts;
}

/** `start`: called for the first request. */
export function createReader(
  start: () => WorkerThread,
  searches: Pick<Searches, "ask" | "expect">,
  clock: Clock,
  logger: Logger,
): Reader {
  const gate = createFairGate({
    concurrency: readRequestsAtOnce,
    concurrencyPerProject: readRequestsOfProjectAtOnce,
    limits: readQueueLimits,
  });
  let thread: WorkerThread | null = null;
  const ask = <Name extends keyof ReadHandlers>(
    waiter: Waiter,
    name: Name,
    ...values: Parameters<ReadHandlers[Name]>
  ): Promise<ReturnType<ReadHandlers[Name]>> =>
    gate(waiter, () => {
      thread ??= start();
      const request: NamedRequest = { name, values };
      return thread.request<ReturnType<ReadHandlers[Name]>>(request);
    });
  /** `vectors`: how many the search compares with the memories. */
  const search = <Name extends GroupRequestName>(
    owner: Owner,
    signal: AbortSignal,
    name: Name,
    query: GroupRequests[Name]["query"],
    vectors: number,
  ): Promise<GroupRequests[Name]["answer"]> =>
    searches.ask<GroupRequests[Name]["answer"]>(
      ofOwner(owner, signal),
      owner.project,
      { name, owner, query },
      vectors,
    );
  const verify = createVerificationRounds(
    {
      startRun: (...values) => ask(serverItself, "startRun", ...values),
      verifyStep: (...values) => ask(serverItself, "verifyStep", ...values),
    },
    clock,
    logger,
  );

  return {
    memories: {
      list: (owner, query, signal) => ask(ofOwner(owner, signal), "listMemories", owner, query),
      statistics: (owner, now, signal) => ask(ofOwner(owner, signal), "countMemoriesOf", owner, now),
      listTags: (owner, query, signal) => ask(ofOwner(owner, signal), "listTags", owner, query),
      exportPage: (owner, query, signal) => ask(ofOwner(owner, signal), "exportMemories", owner, query),
      expectSearch: ({ project }) => searches.expect(project),
      search: (owner, query, signal) => search(owner, signal, "search", query, 1),
      readForInjection: (owner, query, signal) => search(owner, signal, "readForInjection", query, 1),
      readTopMemories: (owner, query, signal) => search(owner, signal, "readTopMemories", query, 1),
      findSimilar: (owner, query, signal) =>
        search(owner, signal, "findSimilar", query, query.vectors.length),
    },
    subjects: {
      async recordsAbout(owner, { id }, signal) {
        const records: TracedRecord[] = [];
        let [through, bytes] = [0, 0];
        for (;;) {
          const step = await ask(ofOwner(owner, signal), "recordsAbout", id, through);
          records.push(...step.records);
          through = step.through;
          for (const { prepared } of step.records) bytes += prepared?.before.length ?? 0;
          // The transaction makes the rest.
          if (step.isLast || bytes > preparedMaxBytes) return { records, through };
        }
      },
    },
    conversations: {
      list: (owner, query, signal) => ask(ofOwner(owner, signal), "listConversations", owner, query),
      read: (owner, name, query, signal) =>
        ask(ofOwner(owner, signal), "readConversation", owner, name, query),
      neighbours: (owner, query, signal) => ask(ofOwner(owner, signal), "findNeighbours", owner, query),
      madeOf: (owner, conversation, signal) =>
        ask(ofOwner(owner, signal), "madeOfConversation", owner, conversation),
    },
    models: {
      count: () => ask(serverItself, "countMemories"),
      findMissing: (limit) => ask(serverItself, "findMissing", limit),
    },
    audit: {
      list: (project, query, signal) => ask(by(project, signal), "listRecords", project, query),
      statistics: (project, from, signal) => ask(by(project, signal), "countRecords", project, from),
      checkpoints: (project, { below, limit }, signal) =>
        ask(by(project, signal), "listCheckpoints", project, below, limit),
      mentions: (project, query, signal) => ask(by(project, signal), "findMentions", project, query),
      find: (project, id, signal) => ask(by(project, signal), "findRecord", project, id),
      proveInclusion: (project, seq, signal) => ask(by(project, signal), "proveInclusion", project, seq),
      proveConsistency: (project, { from, to }, signal) =>
        ask(by(project, signal), "proveConsistency", project, from, to),
      partsAt: (project, id, pointers, signal) =>
        ask(by(project, signal), "partsOfRecord", project, id, pointers),
      place: (id) => ask(serverItself, "placeRecord", id),
      trace: (trace) => traceTwice(trace, (...values) => ask(serverItself, "traceBatch", ...values)),
      verify: verify.project,
    },
    attestations: {
      newestBy: (source) => ask(serverItself, "newestAttestation", source),
      unattested: (source) => ask(serverItself, "unattestedCheckpoints", source),
      of: (checkpoint) => ask(serverItself, "attestationsOf", checkpoint),
      stampedAs: (hash) => ask(serverItself, "checkpointStampedAs", hash),
    },
    deposits: depositsThrough((name, ...values) => ask(serverItself, name, ...values)),
    reports: {
      owners: (limit) => ask(serverItself, "reportedOwners", limit),
      chain: (owner, period, signal) => ask(by(owner, signal), "chainInPeriod", owner, period),
      count: (owner, { first, last }, subject, signal) =>
        countInSteps(first, (next) => ask(by(owner, signal), "countCalls", owner, next, last, subject)),
    },
    contents: (countsProjects) => ask(serverItself, "readContents", countsProjects),
    ofChain: (owner) => ask(serverItself, "readChain", owner?.id ?? null),
    nearLimits: (query) => ask(serverItself, "readNearLimits", query),
    pastCalls: (query) => ask(serverItself, "pastCalls", query),
    gatewayCost: (owner, from) => ask(serverItself, "gatewayCost", owner, from),
    counts: () => ({ queue: gate.counts(), ...verify.read() }),
    close: async () => thread?.close(),
  };
}

type AskReader = <Name extends keyof ReadHandlers>(
  name: Name,
  ...values: Parameters<ReadHandlers[Name]>
) => Promise<ReturnType<ReadHandlers[Name]>>;

function depositsThrough(ask: AskReader): Reader["deposits"] {
  return {
    due: (query) => ask("dueDeposits", query),
    next: (query, chain, recordsMax) => ask("nextDeposit", query, chain, recordsMax),
    entries: (range) => ask("depositEntries", range),
    head: (range) => ask("depositHead", range),
    erasures: (range) => ask("depositErasures", range),
    last: (destination) => ask("lastDeposit", destination),
  };
}

/** @param step counts from a position on */
async function countInSteps(
  first: number,
  step: (next: number) => Promise<ReturnType<ReadHandlers["countCalls"]>>,
): Promise<readonly CountedCalls[]> {
  const counted = new Map<string, CountedCalls>();
  for (let next: number | null = first; next !== null; ) {
    const { calls, next: following }: ReturnType<ReadHandlers["countCalls"]> = await step(next);
    for (const { count, ...kind } of calls) {
      const name = JSON.stringify(kind);
      counted.set(name, { ...kind, count: count + (counted.get(name)?.count ?? 0) });
    }
    next = following;
  }
  return [...counted.values()];
}

async function traceTwice(
  trace: Trace,
  nextBatch: (
    ...values: Parameters<ReadHandlers["traceBatch"]>
  ) => Promise<ReturnType<ReadHandlers["traceBatch"]>>,
): Promise<TracedRecords> {
  const found = new Map<string, TracedRecord>();
  let last = { trace, through: 0 };
  for (const _ of ["what later records tell", "what earlier ones repeat of it"]) {
    last = { ...last, through: 0 };
    for (;;) {
      const batch = await nextBatch(last.trace, last.through);
      for (const record of batch.records) found.set(record.id, record);
      if (batch.through === null) break;
      last = { trace: batch.trace, through: batch.through };
    }
  }
  return { ...last, records: [...found.values()].sort((a, b) => a.seq - b.seq) };
}

function by(project: ChainOwner, signal: AbortSignal): Waiter {
  return project === null ? serverItself : { project: project.id, signal };
}

function ofOwner({ project }: Owner, signal: AbortSignal): Waiter {
  return { project, signal };
}

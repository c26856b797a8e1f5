// Opens an engine without HTTP and without a model, and sends it calls whose vectors the test has made. Must never reach past the
// Store, so that what it shows holds for every engine.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Caller } from "../../../src/access/caller.ts";
import { digestSecret, permissions } from "../../../src/access/key.ts";
import { defaultPlans } from "../../../src/access/plan.ts";
import { createPagePins } from "../../../src/audit/parts/page-pins.ts";
import type { Answer } from "../../../src/calls/contract/answer.ts";
import { isPrecomputed } from "../../../src/calls/contract/applied.ts";
import type { Call } from "../../../src/calls/contract/call.ts";
import type { InstallationPreparation } from "../../../src/calls/contract/operation.ts";
import { readMemory } from "../../../src/calls/operations/memories/read.ts";
import { allOperations, findOperation } from "../../../src/calls/operations.ts";
import { precompute } from "../../../src/calls/outcome.ts";
import type { Engine, StoreOptions } from "../../../src/calls/storage/engine.ts";
import type { SearchQuery } from "../../../src/calls/storage/memory-store.ts";
import type { Store } from "../../../src/calls/storage/store.ts";
import { createSqliteEngine } from "../../../src/engines/sqlite/engine.ts";
import { bodiesHere } from "../../../src/gateway/bodies.ts";
import { contentKey, type MemoryType } from "../../../src/memory/memory.ts";
import type { ListQuery, MemoryPage } from "../../../src/memory/search/list-query.ts";
import { noReranker } from "../../../src/memory/search/reranker.ts";
import { createIdSource } from "../../../src/platform/ids.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import type { Logger } from "../../../src/platform/log/logger.ts";
import { prepareRuntime, type RuntimeFiles } from "../../../src/platform/native/runtime.ts";
import type { spawnWorker } from "../../../src/platform/threads/spawn.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../../src/platform/time/clock-shift.ts";
import { createOwnKey, openLedgerFiles } from "../../../src/server/ledger/ledger-files.ts";
import { testTokens } from "../../access/tokens.ts";
import { cannotForward, nobodyCounts, noGateway, nothingKept } from "../../gateway/no-gateway.ts";
import { reportedSettings } from "../reported-settings.ts";

export const dimensions = 256;
/** The model of the vectors that tests make. */
export const seamModel = { id: "made-by-the-test", sha256: "0".repeat(64), dimensions };
export const runtime: RuntimeFiles = prepareRuntime("unused-from-source");

/** For calls whose client keeps its connection open. */
export const neverAborted = new AbortController().signal;

/** What `prepare` of an operation of the installation may use. */
export function administrationOf(store: Store): InstallationPreparation {
  const settings = reportedSettings;
  const operations = allOperations;
  return { store, now: Date.now(), plans: defaultPlans, signal: neverAborted, operations, settings };
}

type PreparedCall = Pick<Call, "operation" | "recordId" | "keyId" | "project" | "decision" | "bodyText">;

interface SeamBase {
  readonly store: Store;
  commit(call: PreparedCall): Promise<Outcome>;
  /** An administrative call. */
  administer(operation: string, input: JsonObject, prepared?: unknown): Promise<Outcome>;
}

/** `offset`: number of memories to skip. */
export type ListOptions = Partial<ListQuery> & { readonly offset?: number };

const newestMemories: Omit<ListQuery, "now" | "after"> = {
  type: null,
  tags: null,
  active: null,
  expired: null,
  words: null,
  sortBy: "created_at",
  direction: "desc",
  limit: 100,
};

export interface Seam extends SeamBase {
  /** Of the database. */
  readonly path: string;
  /** Errors and warnings that the engine logged in this thread. */
  readonly complaints: string[];
  passTime(ms: number): void;
  /** Runs the steps that the writer does between calls, such as a purge, as far as the little data of a test needs them. */
  letHousekeepingRun(): Promise<void>;
  now(): number;
  project(fields?: JsonObject): Promise<Member>;
  close(): Promise<void>;
}

/** A project, seen by one of its keys. */
export interface Member {
  readonly id: string;
  readonly caller: Caller;
  /** A call that has been prepared, as the first half of perform hands it over. */
  call(operation: string, input: JsonObject, prepared?: unknown): Promise<Outcome>;
  create(memory: MadeMemory): Promise<Outcome>;
  /** Prepares a read as perform does. @returns what settles it. */
  prepareRead(id: string): Promise<() => Promise<Outcome>>;
  /** By default the 100 newest memories. @throws Error when the cursor is not one of this list */
  list(query?: ListOptions, signal?: AbortSignal): Promise<MemoryPage>;
  search(
    query: Partial<SearchQuery> & Pick<SearchQuery, "vector">,
    signal?: AbortSignal,
  ): ReturnType<Store["memories"]["search"]>;
}

interface MadeMemory {
  readonly content: string;
  /** A context of a conversation. Default: false. */
  readonly passage?: boolean;
  readonly vector: Float32Array;
  readonly type?: MemoryType;
  readonly importance?: number;
  readonly expiresAt?: number | null;
  readonly tags?: readonly string[];
  readonly metadata?: JsonObject | null;
}

export interface Outcome {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  /** {} when the data is not an object. */
  readonly data: JsonObject;
  /** The rows of data that is a list. */
  readonly rows: readonly JsonObject[];
}

interface SeamOptions extends Partial<StoreOptions> {
  /** Default: SQLite with the next two. */
  readonly engine?: Engine;
  /** Give it to open a database again; whoever made it removes it. */
  readonly path?: string;
  /** Starts the threads of the engine. */
  readonly spawn?: typeof spawnWorker;
}

export async function openSeam({
  path: given,
  engine: other,
  spawn,
  ...options
}: SeamOptions = {}): Promise<Seam> {
  const folder = given === undefined ? mkdtempSync(join(tmpdir(), "memledger-seam-")) : null;
  const path = given ?? join(folder ?? "", "memledger.db");
  const engine = other ?? openSqlite(path, spawn);
  const ledgerFolder = mkdtempSync(join(tmpdir(), "memledger-seam-ledger-"));
  const clockShift = createClockShift();
  const clock = createClock(clockShift);
  const complaints: string[] = [];
  const store = await engine.open({
    plans: defaultPlans,
    ledger: openLedgerFiles(ledgerFolder, createOwnKey(ledgerFolder)),
    payloadRetentionDays: null,
    installationRetentionDays: null,
    model: seamModel,
    searchCacheBytes: 512 * 1024 * 1024,
    searchThreads: 0,
    groupCommit: true,
    clockShift,
    logger: recorder(complaints),
    logLevel: "silent",
    ...options,
  });

  const commit: SeamBase["commit"] = async (call) => {
    const origin = { transport: "http", ip: null, userAgent: null, client: null, metadata: null } as const;
    const arrived = { origin, arrivedAt: clock.elapsed() };
    const kept = { memoryId: null, parameters: null, unreadableBody: null };
    return toOutcome(await store.commit(withForeseen({ ...call, ...arrived, ...kept })));
  };
  const administer: SeamBase["administer"] = (operation, input, prepared = null) =>
    commit({
      operation,
      keyId: null,
      bodyText: JSON.stringify(input),
      decision: { refused: null, parameters: {}, prepared },
    });

  let projects = 0;
  return {
    store,
    path: engine.location,
    complaints,
    commit,
    administer,
    passTime: (ms) => passTime(clockShift, ms),
    async letHousekeepingRun() {
      for (let step = 0; step < 40; step++) {
        // Steps are at most this far apart; the question makes the writer's thread notice.
        passTime(clockShift, 100);
        await store.readiness();
      }
    },
    now: () => clock.now(),
    async project(fields = {}) {
      const name = `project ${++projects} ${crypto.randomUUID()}`;
      const { data } = await administer("project.create", { name, plan: "custom", ...fields });
      return openMember({ store, commit, administer }, String(data.id));
    },
    async close() {
      await store.close();
      rmSync(ledgerFolder, { recursive: true, force: true });
      if (folder !== null) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** What the operation has precomputed, as perform hands it over. */
function withForeseen(call: Call): Call {
  const { decision } = call;
  if (decision.refused !== null || !isPrecomputed(decision.prepared)) return call;
  const operation = findOperation(call.operation);
  if (operation === undefined) throw new Error(`no operation is named ${call.operation}`);
  const precomputed = precompute(operation, call, decision.prepared);
  return { ...call, decision: { ...decision, prepared: decision.prepared.prepared, precomputed } };
}

function openSqlite(path: string, spawn?: typeof spawnWorker): Engine {
  const place = { path, lock: `${path}.lock`, runtime: () => runtime };
  return createSqliteEngine(spawn === undefined ? place : { ...place, spawn });
}

/** As perform gives it. */
function ownRecordId(name: string): Pick<Call, "recordId"> {
  const operation = findOperation(name);
  const isNamed = operation?.scope === "project" && operation.namesItsRecord === true;
  return isNamed ? { recordId: createId(Date.now()) } : {};
}

const createId = createIdSource();

/** A member of a project that is there, with the key of this secret or a new one that may do everything. */
export async function openMember(seam: SeamBase, projectId: string, secret?: string): Promise<Member> {
  const { store, administer, commit } = seam;
  const newSecret = async () => {
    const { data } = await administer("key.create", { project: projectId, permissions: [...permissions] });
    return String(data.key);
  };
  const caller = await store.access.findCaller(digestSecret(secret ?? (await newSecret())));
  if (caller === null) throw new Error("the key is not found");
  const call: Member["call"] = (operation, input, prepared = null) =>
    commit({
      operation,
      ...ownRecordId(operation),
      keyId: caller.key.id,
      project: caller.project.id,
      bodyText: JSON.stringify(input),
      decision: { refused: null, parameters: {}, prepared },
    });
  return {
    id: projectId,
    caller,
    call,
    create({ content, vector, passage = false, ...memory }) {
      const {
        type = passage ? "context" : "fact",
        importance = 0.5,
        expiresAt = null,
        tags,
        metadata,
      } = memory;
      const expires_at = expiresAt === null ? null : new Date(expiresAt).toISOString();
      const fields = { content, memory_type: type, importance, expires_at };
      const input = {
        ...fields,
        ...(tags === undefined ? {} : { tags }),
        ...(metadata === undefined ? {} : { metadata }),
      };
      // What was prepared is stored as it is.
      return call("memory.create", input, { vector, passage, contentKey: contentKey(content, { passage }) });
    },
    async prepareRead(id) {
      const input = { memory_id: id };
      const unused = () => Promise.reject(new Error("a read needs none of it"));
      const prepared = await readMemory.prepare?.(input, {
        caller,
        plan: defaultPlans.custom,
        store,
        now: Date.now(),
        signal: neverAborted,
        exchange: null,
        gateway: noGateway,
        memoryOutcomes: nobodyCounts,
        bodies: bodiesHere,
        injectedSections: nothingKept,
        tokens: testTokens,
        forward: cannotForward,
        within: async (_ms, work) => work,
        prices: { extractionCredits: 0, chargeDryRuns: false, creditUsd: 0 },
        extractors: {
          builtIn: { name: "built-in", extract: unused },
          languageModel: null,
          passagesLastMs: null,
        },
        redactor: { redactSource: unused, redactItems: unused },
        pagePins: createPagePins(createClock()),
        knownBackups: async () => null,
        report() {},
        reserve: unused,
        inTurn: unused,
        perform: unused,
        placePrompt: () => Promise.reject(new Error("only an injection needs it")),
        embeddingModel: "of-the-test",
        reranker: noReranker,
        embed: unused,
      });
      return () => call("memory.read", input, prepared);
    },
    async list({ offset: skip = 0, ...query } = {}, signal = neverAborted) {
      const wanted = { ...newestMemories, now: Date.now(), after: { skip }, ...query };
      const page = await store.memories.list(caller.owner, wanted, signal);
      if (page === null) throw new Error("the cursor is not one of this list");
      return page;
    },
    search: (query, signal = neverAborted) => {
      const everything = { words: null, types: null, tags: null, topK: 10, minSimilarity: 0 };
      const alive = { includeExpired: false, includeInactive: false, now: Date.now() };
      return store.memories.search(caller.owner, { ...everything, ...alive, ...query }, signal);
    },
  };
}

/** A unit vector [dimensions] that depends on the seed alone. */
export function unitVector(seed: number): Float32Array {
  let state = (seed + 1) >>> 0;
  const values = Float32Array.from({ length: dimensions }, () => {
    // Mulberry32
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1;
  });
  return normalise(values);
}

export function normalise(values: Float32Array): Float32Array {
  const length = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0));
  return values.map((value) => value / length);
}

function toOutcome({ status, code, message, data }: Answer): Outcome {
  const value: unknown = JSON.parse(data ?? "{}");
  return {
    status,
    code,
    message,
    data: isObject(value) ? value : {},
    rows: Array.isArray(value) ? value.filter(isObject) : [],
  };
}

function recorder(complaints: string[]): Logger {
  const complain = (message: string, fields: unknown) => {
    complaints.push(`${message} ${Bun.inspect(fields)}`);
  };
  return { debug() {}, info() {}, warn: complain, error: complain };
}

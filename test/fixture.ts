// Starts the real server for a test: real SQLite in a folder of its own, the real model, port 0, and a clock that the test moves.
// Must never stand in for a part of the product.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Permission, permissions } from "../src/access/key.ts";
import type { PlanName } from "../src/access/plan.ts";
import type { Answer } from "../src/calls/contract/answer.ts";
import type { Call } from "../src/calls/contract/call.ts";
import type { InstallationOperation } from "../src/calls/contract/operation.ts";
import { createKey } from "../src/calls/operations/access/key-operations.ts";
import { createProject } from "../src/calls/operations/access/project-operations.ts";
import type { Engine } from "../src/calls/storage/engine.ts";
import type { Store } from "../src/calls/storage/store.ts";
import { administer } from "../src/cli/access/administer.ts";
import { openReading } from "../src/engines/sqlite/database-file/connection.ts";
import { createSqliteEngine } from "../src/engines/sqlite/engine.ts";
import { isObject, type JsonObject } from "../src/platform/json/json.ts";
import type { Logger } from "../src/platform/log/logger.ts";
import { prepareRuntime } from "../src/platform/native/runtime.ts";
import { spawnWorker } from "../src/platform/threads/spawn.ts";
import { createClockShift, passTime, setClock } from "../src/platform/time/clock-shift.ts";
import { startApp } from "../src/server/app.ts";
import { type Config, loadConfig } from "../src/server/config/config.ts";
import { locate } from "../src/server/data-directory/data-directory.ts";
import { type PayloadRow, parseObject, readPayload } from "./audit/read-payload.ts";
import "./program.ts";

export interface TestApp {
  readonly url: string;
  readonly port: number;
  /** Null unless metrics-port is set. */
  readonly metricsUrl: string | null;
  readonly config: Config;
  /** Of the first start: project `default`, all permissions. */
  readonly projectId: string;
  readonly apiKey: string;
  /** Warnings and errors of the server. `stop` throws when there are any left in it. */
  readonly complaints: string[];
  /** Moves the clock of all threads forward. */
  passTime(ms: number): void;
  /** Sets the clock forward or back without any time passing. */
  setClock(ms: number): void;
  /** What `memledger key create` and its siblings do. */
  administer(operation: InstallationOperation, input: JsonObject): Promise<JsonObject>;
  createProject(plan: PlanName, fields?: JsonObject): Promise<{ readonly id: string; readonly key: string }>;
  createKey(projectId: string, permissions: readonly Permission[], fields?: JsonObject): Promise<NewKey>;
  /** Sends one call and reads its envelope. */
  call(method: string, path: string, options?: CallOptions): Promise<Reply>;
  /** Audit records of a project after the first `skip` ones, oldest first; null: of the installation. */
  records(projectId: string | null, skip?: number): RecordRow[];
  /** How many records the chain has. */
  countRecords(projectId: string | null): number;
  /** Stops the server and starts it again with the same data directory; `between` runs while no server does. */
  restart(between?: () => void | Promise<void>): Promise<void>;
  stop(): Promise<void>;
}

export interface NewKey {
  readonly id: string;
  readonly key: string;
}

export interface CallOptions {
  /** Null: no Authorization header. Left out: the first key. */
  readonly key?: string | null;
  /** A value is sent as JSON, bytes and streams as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The body as it came. */
  readonly text: string;
  readonly code: number | null;
  readonly message: string;
  /** {} when `data` is no object. */
  readonly data: JsonObject;
}

export interface RecordRow {
  readonly action: string;
  readonly status: number;
  readonly entry: JsonObject;
  readonly payload: JsonObject;
}

let projects = 0;

/**
 * `spawn` starts the worker threads of the server; tests use it to reach those that they kill or make hang.
 * `commitThrough` is called instead of Store.commit; tests use it to let something else happen right before a commit.
 * `toml` is the content of memledger.toml, such as the upstreams of the gateway.
 */
export async function startTestApp(
  flags: Readonly<Record<string, string>> = {},
  spawn: typeof spawnWorker = spawnWorker,
  commitThrough: (call: Call, commit: Store["commit"]) => Promise<Answer> = (call, commit) => commit(call),
  toml = "",
): Promise<TestApp> {
  const dataDir = mkdtempSync(join(tmpdir(), "memledger-test-"));
  if (toml !== "") writeFileSync(join(dataDir, "memledger.toml"), toml);
  const model = process.env.MEMLEDGER_TEST_MODEL;
  const { config, reports } = loadConfig({
    flags: {
      "data-dir": dataDir,
      port: "0",
      "log-level": "warn",
      // With auto, the order of a search depends on the speed of the machine.
      rerank: "off",
      ...(model === undefined ? {} : { model }),
      ...flags,
    },
  });
  const complaints: string[] = [];
  const clockShift = createClockShift();
  const start = () =>
    startApp(config, {
      logger: recorder(complaints),
      reports,
      clockShift,
      spawn,
      chooseEngine(place, runtime = () => prepareRuntime(place.runtime)) {
        const engine = createSqliteEngine({ path: place.database, lock: place.lock, runtime, spawn });
        const open: Engine["open"] = async (options) => {
          const store = await engine.open(options);
          return { ...store, commit: (call) => commitThrough(call, store.commit) };
        };
        return { ...engine, open };
      },
    });
  let app = await start();
  if (app.apiKey === null || app.projectId === null) throw new Error("the first start made no key");
  const { projectId, apiKey } = app;
  const ledger = openLedger(config.dataDir);

  return {
    ...callsTo({ config, apiKey, url: () => app.url }),
    config,
    projectId,
    apiKey,
    complaints,
    get url() {
      return app.url;
    },
    get port() {
      return app.port;
    },
    get metricsUrl() {
      return app.metricsUrl;
    },
    passTime: (ms) => passTime(clockShift, ms),
    setClock: (ms) => setClock(clockShift, ms),
    records: ledger.records,
    countRecords: ledger.countRecords,
    async restart(between = () => {}) {
      await app.close();
      await between();
      app = await start();
    },
    async stop() {
      ledger.close();
      await app.close();
      rmSync(dataDir, { recursive: true, force: true });
      if (complaints.length > 0) throw new Error(`the server complained: ${complaints.join("\n")}`);
    },
  };
}

interface CalledServer {
  /** Names its data directory. */
  readonly config: Config;
  readonly apiKey: string;
  url(): string;
}

/** What tests ask of a server, in this process or in another one. */
export function callsTo({
  config,
  apiKey,
  url,
}: CalledServer): Pick<TestApp, "administer" | "createProject" | "createKey" | "call"> {
  const ask = async (operation: InstallationOperation, input: JsonObject): Promise<JsonObject> => {
    const data = await administer(config, operation, input);
    if (!isObject(data)) throw new Error(`${operation.name} answered no object`);
    return data;
  };
  const newKey: TestApp["createKey"] = async (project, granted, fields = {}) => {
    const key = await ask(createKey, { project, permissions: [...granted], ...fields });
    return { id: String(key.id), key: String(key.key) };
  };
  return {
    administer: ask,
    async createProject(plan, fields = {}) {
      const { id } = await ask(createProject, { name: `project ${++projects}`, plan, ...fields });
      return { id: String(id), key: (await newKey(String(id), permissions)).key };
    },
    createKey: newKey,
    call: (method, path, options) => call(`${url()}${path}`, method, { key: apiKey, ...options }),
  };
}

async function call(url: string, method: string, { key, body, headers }: CallOptions): Promise<Reply> {
  const isRaw = typeof body === "string" || body instanceof Uint8Array || body instanceof ReadableStream;
  const init: RequestInit = {
    method,
    headers: {
      ...(typeof key === "string" ? { Authorization: `Bearer ${key}` } : {}),
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
  };
  const response = await fetch(url, init);
  return toReply(response.status, response.headers, await response.text());
}

export function toReply(status: number, headers: Headers, text: string): Reply {
  const envelope: unknown = text === "" ? null : JSON.parse(text);
  if (!isObject(envelope)) return { status, headers, text, code: null, message: "", data: {} };
  const { code, message, data } = envelope;
  return {
    status,
    headers,
    text,
    code: typeof code === "number" ? code : null,
    message: String(message),
    data: isObject(data) ? data : {},
  };
}

interface Ledger {
  records: TestApp["records"];
  countRecords: TestApp["countRecords"];
  close(): void;
}

/** Reads with the server's own SQLite library: a second one in this process would break the locks of the first. */
export function openLedger(root: string): Ledger {
  const { database: path, runtime } = locate(root);
  const database = openReading({ path, runtime: prepareRuntime(runtime) });
  const chain =
    "(SELECT number FROM audit_chain WHERE project IS (SELECT serial FROM project WHERE id = :projectId))";
  const select = database.prepare<unknown[], StoredRow>(
    `SELECT e.action, e.status, e.entry, p.salt, p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number
     WHERE e.chain = ${chain} AND e.seq > :skip ORDER BY e.seq`,
  );
  const count = database.prepare(`SELECT COUNT(*) FROM audit_entry WHERE chain = ${chain}`).pluck();
  return {
    records: (projectId, skip = 0) =>
      select.all({ projectId, skip }).map(({ action, status, entry, salt, text }) => ({
        action,
        status,
        entry: parseObject(entry),
        payload: readPayload({ salt, text }),
      })),
    countRecords: (projectId) => Number(count.get({ projectId })),
    close: () => database.close(),
  };
}

interface StoredRow extends PayloadRow {
  readonly action: string;
  readonly status: number;
  readonly entry: string;
}

function recorder(complaints: string[]): Logger {
  const complain = (message: string, fields: unknown) => {
    // The test sees the answer of each call.
    if (message === "call failed" || message === "calls failed") return;
    complaints.push(`${message} ${Bun.inspect(fields)}`);
  };
  return { debug() {}, info() {}, warn: complain, error: complain };
}

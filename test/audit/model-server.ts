// The real server for the model to be compared with: it stops and starts again on the same directory, and its clock moves both ways.
// Plans have their limits but no rates, since a call that is refused for its rate leaves no record.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Plans } from "../../src/access/plan.ts";
import type { InstallationOperation } from "../../src/calls/contract/operation.ts";
import { administer, CommandRefused } from "../../src/cli/access/administer.ts";
import { openReading } from "../../src/engines/sqlite/database-file/connection.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import type { Logger } from "../../src/platform/log/logger.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../src/platform/time/clock-shift.ts";
import { type App, startApp } from "../../src/server/app.ts";
import { type Config, loadConfig } from "../../src/server/config/config.ts";
import { type Reply, toReply } from "../fixture.ts";

export interface ChainState {
  readonly project: string | null;
  readonly first: number;
  readonly last: number;
  readonly rows: number;
  readonly anchors: number;
}

export interface FoundRecord {
  readonly seq: number;
  readonly entry: string;
  /** Of its payload. */
  readonly left: "all" | "parts" | "nothing";
}

export class ModelServer {
  readonly config: Config;
  readonly complaints: string[] = [];
  readonly #clockShift = createClockShift();
  #app: App | null = null;

  constructor() {
    const dataDir = mkdtempSync(join(tmpdir(), "memledger-model-"));
    const { config } = loadConfig({ flags: { "data-dir": dataDir, port: "0", "log-level": "warn" } });
    this.config = { ...config, plans: withoutRates(config.plans) };
  }

  async start(): Promise<void> {
    const complain = (message: string, fields: unknown) => {
      this.complaints.push(`${message} ${Bun.inspect(fields)}`);
    };
    const logger: Logger = { debug() {}, info() {}, warn: complain, error: complain };
    this.#app = await startApp(this.config, { logger, clockShift: this.#clockShift });
  }

  async stop(): Promise<void> {
    await this.#app?.close();
    this.#app = null;
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.config.dataDir, { recursive: true, force: true });
  }

  now(): number {
    return createClock(this.#clockShift).now();
  }

  passTime(ms: number): void {
    passTime(this.#clockShift, ms);
  }

  async call(key: string, method: string, path: string, body?: unknown): Promise<Reply> {
    const accepted = "application/json, text/event-stream";
    return this.send(method, path, { Authorization: `Bearer ${key}`, Accept: accepted }, body);
  }

  /** Without a key. */
  async send(
    method: string,
    path: string,
    added: Readonly<Record<string, string>>,
    body?: unknown,
  ): Promise<Reply> {
    const headers = { "Content-Type": "application/json", ...added };
    const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${this.#app?.url}${path}`, init);
    const isFile = !(response.headers.get("content-type") ?? "").startsWith("application/json");
    const text = await response.text();
    if (isFile || path.endsWith("/download"))
      return { ...toReply(response.status, response.headers, ""), text };
    return toReply(response.status, response.headers, text);
  }

  /** What the command line does, with a server or without. */
  async administer(operation: InstallationOperation, input: JsonObject) {
    try {
      const data = await administer(this.config, operation, input);
      return { code: 1000, data: isObject(data) ? data : {} };
    } catch (error) {
      if (error instanceof CommandRefused) return { code: error.code, data: {} };
      throw error;
    }
  }

  /** Reads with the server's own SQLite library: a second one in this process would break the locks of the first. */
  chains(): readonly ChainState[] {
    return this.#read(
      `SELECT p.id AS project, MIN(e.seq) AS first, MAX(e.seq) AS last, COUNT(*) AS rows,
         (SELECT COUNT(*) FROM audit_anchor a WHERE a.chain = c.number) AS anchors
       FROM audit_chain c JOIN audit_entry e ON e.chain = c.number LEFT JOIN project p ON p.serial = c.project
       GROUP BY c.number`,
    ) as ChainState[];
  }

  records(projectId: string | null): readonly FoundRecord[] {
    return this.#read(
      // An erased part has a hash of 32 bytes instead of its salt of 16.
      `SELECT e.seq, e.entry, CASE WHEN p.salt IS NULL THEN 'nothing' WHEN LENGTH(p.salt) = 16 * (e.entry ->> '$.parts') THEN 'all' ELSE 'parts' END AS "left"
       FROM audit_entry e JOIN audit_chain c ON c.number = e.chain LEFT JOIN audit_payload p ON p.entry = e.number
       WHERE c.project IS (SELECT serial FROM project WHERE id = ?) ORDER BY e.seq`,
      projectId,
    ) as FoundRecord[];
  }

  #read(sql: string, ...values: unknown[]): unknown[] {
    const path = join(this.config.dataDir, "memledger.db");
    const database = openReading({ path, runtime: prepareRuntime("unused-from-source") });
    try {
      return database.prepare(sql).all(...values);
    } finally {
      database.close();
    }
  }
}

function withoutRates(plans: Plans): Plans {
  const { free, basic, pro, business, custom } = plans;
  const rate = null;
  return {
    free: { ...free, rate },
    basic: { ...basic, rate },
    pro: { ...pro, rate },
    business: { ...business, rate },
    custom: { ...custom, rate },
  };
}

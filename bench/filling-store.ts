// Owns the store with which benches and proofs fill a data directory without a server. Must never be used beside one: it holds the lock.

import { digestSecret, permissions } from "../src/access/key.ts";
import type { Call } from "../src/calls/contract/call.ts";
import type { Store } from "../src/calls/storage/store.ts";
import { readModelConfig } from "../src/models/embedding/model.ts";
import { defaultModel } from "../src/models/embedding/model-directory.ts";
import { createLogger } from "../src/platform/log/logger.ts";
import type { ClockShift } from "../src/platform/time/clock-shift.ts";
import { loadConfig } from "../src/server/config/config.ts";
import { lockDirectory } from "../src/server/data-directory/directory-lock.ts";
import { openLedger } from "../src/server/ledger/ledger.ts";

export interface FillingProject {
  readonly name: string;
  readonly projectId: string;
  readonly keyId: string;
  /** Its secret. */
  readonly key: string;
}

/** Opens the store of a data directory, new or not, with the model of the executable, and closes it after `work`. */
export async function withFillingStore<Result>(
  dataDir: string,
  work: (store: Store) => Promise<Result>,
  options: { readonly groupCommit?: boolean; readonly clockShift?: ClockShift } = {},
): Promise<Result> {
  const model = defaultModel();
  const { dimensions } = readModelConfig(model);
  const { config } = loadConfig({ flags: { "data-dir": dataDir } });
  const locked = await lockDirectory(dataDir);
  try {
    const { files: ledger } = await openLedger(locked, config.auditKey);
    const store = await locked.engine.open({
      model: { id: model.id, sha256: model.sha256, dimensions },
      plans: config.plans,
      ledger,
      payloadRetentionDays: null,
      installationRetentionDays: null,
      searchCacheBytes: 0,
      searchThreads: 0,
      groupCommit: options.groupCommit ?? true,
      clockShift: options.clockShift ?? null,
      logger: createLogger("error"),
      logLevel: "error",
    });
    try {
      return await work(store);
    } finally {
      await store.close();
    }
  } finally {
    locked.release();
  }
}

/** A project on the plan without limits, and a key that may use everything of it. */
export async function addProject(store: Store, name: string): Promise<FillingProject> {
  const { id: projectId } = await administer(store, "project.create", { name, plan: "custom" });
  const { key } = await administer(store, "key.create", { project: name, permissions });
  const secret = String(key);
  const caller = await store.access.findCaller(digestSecret(secret));
  if (caller === null) throw new Error("The new key is not known.");
  return { name, projectId: String(projectId), keyId: caller.key.id, key: secret };
}

/** A call as HTTP makes it, without what it leaves to each operation. */
export function callOf(
  operation: string,
  keyId: string | null,
  body: object,
  prepared: unknown = null,
): Call {
  return {
    operation,
    keyId,
    bodyText: JSON.stringify(body),
    unreadableBody: null,
    memoryId: null,
    parameters: null,
    origin: { transport: "http", ip: null, userAgent: null, client: null, metadata: null },
    arrivedAt: performance.timeOrigin + performance.now(),
    decision: { refused: null, parameters: {}, prepared },
  };
}

/** @throws Error with the message of the answer when the call was refused. */
export async function commitOrThrow(store: Store, call: Call): Promise<Record<string, unknown>> {
  const { status, message, data } = await store.commit(call);
  if (status > 299 || data === null) throw new Error(`${call.operation} failed: ${message}`);
  return JSON.parse(data) as Record<string, unknown>;
}

function administer(
  store: Store,
  operation: string,
  body: Readonly<Record<string, string | readonly string[]>>,
): Promise<Record<string, unknown>> {
  return commitOrThrow(store, callOf(operation, null, body));
}

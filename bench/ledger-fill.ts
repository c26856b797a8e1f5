// Fills a data directory with audit records through `Store.commit`, durable and sealed, and tells how fast that went. Must
// run while no server uses the directory.

import { digestSecret, permissions } from "../src/access/key.ts";
import type { Call } from "../src/calls/call.ts";
import { loadConfig } from "../src/config/config.ts";
import { lockDirectory } from "../src/data-directory/directory-lock.ts";
import { openLedger } from "../src/data-directory/ledger.ts";
import { successCode } from "../src/errors.ts";
import { createLogger } from "../src/log/logger.ts";
import type { Store } from "../src/storage/store.ts";
import { progress } from "./harness.ts";
import { createRandom, sentence } from "./texts.ts";

/** Calls on their way to the writer at a time. */
const window = 512;
const payloadBytes = 1_024;
/** Many enough that compression finds what it finds in a real ledger, and no more. */
const differentBodies = 5_000;
/** One record in a hundred has the rarer one. */
export const actions = { common: "gateway.chat", rare: "gateway.image" } as const;

export interface FilledLedger {
  readonly key: string;
  readonly projectId: string;
  /** Appended records per second, the whole way and over the last tenth. */
  readonly perSecond: number;
  readonly lastTenthPerSecond: number;
}

export async function fillLedger(
  dataDir: string,
  records: number,
  { groupCommit }: { readonly groupCommit: boolean },
): Promise<FilledLedger> {
  const { config } = loadConfig({ flags: { "data-dir": dataDir } });
  const locked = await lockDirectory(dataDir);
  const { files: ledger } = await openLedger(locked, config.auditKey);
  const store = await locked.engine.open({
    model: null,
    plans: config.plans,
    ledger,
    payloadRetentionDays: null,
    installationRetentionDays: null,
    searchCacheBytes: 0,
    groupCommit,
    clockShift: null,
    logger: createLogger("error"),
    logLevel: "error",
  });
  try {
    const project = { name: "ledger", plan: "custom" };
    const { id: projectId } = await administer(store, "project.create", project);
    const { key } = await administer(store, "key.create", { project: "ledger", permissions });
    const caller = await store.access.findCaller(digestSecret(String(key)));
    if (caller === null) throw new Error("The new key is not known.");
    const speeds = await append(store, caller.key.id, records);
    return { key: String(key), projectId: String(projectId), ...speeds };
  } finally {
    await store.close();
    locked.release();
  }
}

async function append(store: Store, keyId: string, records: number) {
  const bodies = madeBodies();
  const tenths = [performance.now()];
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let number = next++; number < records; number = next++) {
      const { status, message } = await store.commit(toCall(keyId, number, bodies));
      if (status !== 201) throw new Error(`Appending failed: ${message}`);
      done += 1;
      if (done % Math.ceil(records / 10) !== 0 && done !== records) continue;
      tenths.push(performance.now());
      progress(`ledger: ${done.toLocaleString("en")} records appended`);
    }
  };
  await Promise.all(Array.from({ length: Math.min(window, records) }, work));
  const [first = 0, beforeLast = 0, last = 0] = [tenths.at(0), tenths.at(-2), tenths.at(-1)];
  return {
    perSecond: (1_000 * records) / (last - first),
    lastTenthPerSecond:
      (1_000 * (records - Math.ceil(records / 10) * (tenths.length - 2))) / (last - beforeLast),
  };
}

/** What gateways append, without its action: 1 KB of JSON each. */
function madeBodies() {
  const random = createRandom(3);
  return Array.from({ length: differentBodies }, (_, number) => {
    const body = {
      http_status: 200,
      model_id: "llama-3.3-70b",
      gateway_id: "edge-1",
      ip_address: `192.0.2.${number % 256}`,
      duration: Math.round(random() * 2_000_000) / 1_000,
      input_content: { messages: [{ role: "user", content: "" }] },
      output_content: sentence(random, number),
    };
    const [message] = body.input_content.messages;
    while (message !== undefined && JSON.stringify(body).length < payloadBytes) {
      const missing = payloadBytes - JSON.stringify(body).length;
      message.content += `${sentence(random, number)} `.slice(0, missing);
    }
    return body;
  });
}

function toCall(keyId: string, number: number, bodies: ReturnType<typeof madeBodies>): Call {
  const body = {
    http_status: 200,
    action: number % 100 === 0 ? actions.rare : actions.common,
    ...(bodies[number % bodies.length] ?? {}),
  };
  return {
    operation: "audit.append",
    keyId,
    bodyText: JSON.stringify(body),
    unreadableBody: null,
    memoryId: null,
    parameters: null,
    origin: { transport: "http", ip: "192.0.2.1", userAgent: null, client: null, metadata: null },
    arrivedAt: performance.timeOrigin + performance.now(),
    decision: { refused: null, parameters: {}, prepared: null },
  };
}

async function administer(
  store: Store,
  operation: string,
  body: Readonly<Record<string, string | readonly string[]>>,
): Promise<Record<string, unknown>> {
  const { code, message, data } = await store.commit({
    operation,
    keyId: null,
    bodyText: JSON.stringify(body),
    unreadableBody: null,
    memoryId: null,
    parameters: null,
    origin: { transport: "http", ip: null, userAgent: null, client: null, metadata: null },
    arrivedAt: performance.timeOrigin + performance.now(),
    decision: { refused: null, parameters: {}, prepared: null },
  });
  if (code !== successCode) throw new Error(`${operation} failed: ${message}`);
  return JSON.parse(data ?? "{}");
}

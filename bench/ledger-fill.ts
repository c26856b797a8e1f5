// Fills data directories with audit records through `Store.commit`, durable and sealed, and tells how fast that went. Must
// run while no server uses the directory.

import type { Call } from "../src/calls/contract/call.ts";
import type { Store } from "../src/calls/storage/store.ts";
import { addProject, callOf, commitOrThrow, withFillingStore } from "./filling-store.ts";
import { progress } from "./harness.ts";
import type { ScaleProject, WantedProject } from "./scale-fill.ts";
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

export function fillLedger(
  dataDir: string,
  records: number,
  { groupCommit }: { readonly groupCommit: boolean },
): Promise<FilledLedger> {
  return withFillingStore(
    dataDir,
    async (store) => {
      const { key, keyId, projectId } = await addProject(store, "ledger");
      return { key, projectId, ...(await append(store, keyId, records)) };
    },
    { groupCommit },
  );
}

/** Adds projects in their order, each with `size` records. */
export function fillLedgers(
  dataDir: string,
  wanted: readonly WantedProject[],
): Promise<readonly ScaleProject[]> {
  return withFillingStore(dataDir, async (store) => {
    const filled: ScaleProject[] = [];
    for (const { name, size } of wanted) {
      const project = await addProject(store, name);
      await append(store, project.keyId, size);
      filled.push({ ...project, size });
    }
    return filled;
  });
}

async function append(store: Store, keyId: string, records: number) {
  const bodies = madeBodies();
  const tenths = [performance.now()];
  let next = 0;
  let done = 0;
  const work = async () => {
    for (let number = next++; number < records; number = next++) {
      await commitOrThrow(store, toCall(keyId, number, bodies));
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
export function madeBodies() {
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

export function toCall(keyId: string, number: number, bodies: ReturnType<typeof madeBodies>): Call {
  const body = {
    http_status: 200,
    action: number % 100 === 0 ? actions.rare : actions.common,
    ...(bodies[number % bodies.length] ?? {}),
  };
  const call = callOf("audit.append", keyId, body);
  return { ...call, origin: { ...call.origin, ip: "192.0.2.1" } };
}

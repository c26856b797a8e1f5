// A witness that listens on a free port of this machine, with a folder of its own.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { parseVerifierKeyOf, type VerifierKey } from "../../../src/audit/witness/verifier-key.ts";
import { openWitnessStates } from "../../../src/engines/engines.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { openWitnessDirectory } from "../../../src/server/witness/witness-directory.ts";
import { startWitnessServer } from "../../../src/server/witness/witness-server.ts";
import "../../program.ts";

export interface RunningWitness {
  readonly url: string;
  readonly key: VerifierKey;
  /** As the setting `witness` names it. */
  readonly setting: string;
  /** What it has logged. */
  readonly log: string[];
  submit(body: Uint8Array): Promise<Response>;
  /** What it has cosigned last; null: nothing. */
  last(origin: string): Promise<string | null>;
  stop(): Promise<void>;
}

export async function startWitness(
  folder: string,
  logs: readonly VerifierKey[],
  name: string | null = null,
  port = 0,
): Promise<RunningWitness> {
  const log: string[] = [];
  const { cosigner, database, runtime } = openWitnessDirectory(folder, name);
  const states = openWitnessStates(database, runtime);
  const note = (message: string) => void log.push(message);
  const logger = { debug: note, info: note, warn: note, error: note };
  const tools = { cosigner, logs, states, clock: createClock(), logger };
  const server = await startWitnessServer({ hostname: "127.0.0.1", port, ...tools });
  return {
    url: server.url,
    key: cosigner.verifierKey,
    setting: `${server.url}/ ${cosigner.verifierKey.text}`,
    log,
    submit: (body) => fetch(`${server.url}/add-checkpoint`, { method: "POST", body }),
    async last(origin) {
      const hash = runtimeCryptography.createSha256().update(origin).digest();
      const response = await fetch(`${server.url}/${hash}/checkpoint`);
      return response.status === 200 ? response.text() : null;
    },
    async stop() {
      await server.stop();
      states[Symbol.dispose]();
    },
  };
}

/** Of a data directory. */
export function ledgerKeyOf(dataDir: string): VerifierKey {
  const [line = ""] = readFileSync(join(dataDir, "audit.pub"), "utf8").split("\n");
  const key = parseVerifierKeyOf(line, runtimeCryptography);
  if (key === null) throw new Error(`not a verifier key: ${line}`);
  return key;
}

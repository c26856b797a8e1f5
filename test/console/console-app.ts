// Starts the server of a test of one view: in this process, with a clock that the test moves, or the executable that the variable
// MEMLEDGER_TEST_EXECUTABLE names. The tests do not see which of them it is.

import { loadConfig } from "../../src/server/config/config.ts";
import { callsTo, openLedger, startTestApp, type TestApp } from "../fixture.ts";
import { startConsoleServer } from "./console-server.ts";

export interface ConsoleApp
  extends Pick<
    TestApp,
    | "url"
    | "config"
    | "projectId"
    | "apiKey"
    | "administer"
    | "createProject"
    | "createKey"
    | "call"
    | "records"
    | "countRecords"
    | "stop"
  > {
  /** What happens next has a later time. The executable has the clock of the machine, so it needs some milliseconds. */
  letTimePass(): Promise<void>;
}

export async function startConsoleApp(flags: Readonly<Record<string, string>> = {}): Promise<ConsoleApp> {
  if (process.env.MEMLEDGER_TEST_EXECUTABLE === undefined) {
    const app = await startTestApp(flags);
    return Object.assign(app, { letTimePass: async () => app.passTime(60_000) });
  }
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, value]);
  const server = await startConsoleServer(words);
  const { url, apiKey, projectId, dataDir } = server;
  const { config } = loadConfig({ flags: { "data-dir": dataDir } });
  const ledger = openLedger(dataDir);
  return {
    ...callsTo({ config, apiKey, url: () => url }),
    config,
    url,
    projectId,
    apiKey,
    records: ledger.records,
    countRecords: ledger.countRecords,
    letTimePass: () => Bun.sleep(20),
    async stop() {
      ledger.close();
      await server.stop();
    },
  };
}

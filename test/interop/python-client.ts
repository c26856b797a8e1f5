// Runs client.py, which uses the server through the Python package mcp: over Streamable HTTP, and over the standard streams of
// `memledger mcp`. Must never pass a key on a command line.

import { join } from "node:path";
import { folder, python } from "./install.ts";
import { runProgram } from "./programs.ts";
import type { Report } from "./report.ts";

export interface PythonTarget {
  /** Of the endpoint. */
  readonly url: string;
  readonly apiKey: string;
  /** Words that start memledger. */
  readonly command: readonly string[];
  /** Of the running server. */
  readonly dataDir: string;
}

export async function runPythonClient(target: PythonTarget, report: Report): Promise<void> {
  const run = async (name: string, words: readonly string[], variables: Readonly<Record<string, string>>) => {
    const { exitCode, stdout, output } = await runProgram([python, join(folder, "client.py"), ...words], {
      folder,
      variables,
    });
    for (const line of stdout.split("\n").filter((each) => each.startsWith("ok: ")))
      report.claim(`Python over ${name}: ${line.slice(4)}`, true);
    report.claim(`the Python client ends in order over ${name}`, exitCode === 0, output);
  };
  await run("HTTP", ["http", target.url], { MEMLEDGER_API_KEY: target.apiKey });
  await run("stdio", ["stdio", ...target.command, "mcp", "--data-dir", target.dataDir], {});
}

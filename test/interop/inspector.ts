// Uses the command line of the MCP inspector, as somebody who looks at a server for the first time does: every list, every kind of call,
// in both eras of the protocol. Must never read the answers of the server but as the inspector prints them.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { folder } from "./install.ts";
import { type Outcome, runProgram } from "./programs.ts";
import type { Report } from "./report.ts";

const inspector = join(
  folder,
  "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js",
);
const eras = ["legacy", "modern"] as const;

/** What one command has to print. `exitCode` is that of the inspector: 5 for the result of a tool that is an error. */
interface Use {
  readonly what: string;
  readonly words: readonly string[];
  readonly prints: RegExp;
  readonly exitCode?: number;
}

/** @param home empty folder for what the inspector writes about itself */
export async function runInspector(url: string, home: string, report: Report): Promise<void> {
  mkdirSync(home, { recursive: true });
  for (const era of eras) {
    for (const { what, words, prints, exitCode = 0 } of usesOf(era)) {
      const outcome = await inspect(url, home, ["--protocol-era", era, ...words]);
      const holds = outcome.exitCode === exitCode && prints.test(outcome.stdout);
      report.claim(`the inspector ${what} (${era})`, holds, `${outcome.exitCode}\n${outcome.output}`);
    }
  }
}

function inspect(url: string, home: string, words: readonly string[]): Promise<Outcome> {
  const fixed = ["--cli", "--server-url", url, "--transport", "http", "--format", "json"];
  return runProgram([process.execPath, inspector, ...fixed, ...words], {
    folder: home,
    variables: { HOME: home },
  });
}

function usesOf(era: string): Use[] {
  const call = (tool: string, input: object) =>
    ["--method", "tools/call", "--tool-name", tool].concat("--tool-args-json", JSON.stringify(input));
  const content = `The inspector of the ${era} era lives in Porto.`;
  return [
    { what: "lists the tools", words: ["--method", "tools/list", "--strict"], prints: /"memory_search"/ },
    {
      what: "saves a memory",
      words: call("memory_save", { content, type: "fact" }),
      prints: /"status":\s*"created"/,
    },
    {
      what: "is told that a memory is already known",
      words: call("memory_save", { content, type: "fact" }),
      prints: /"status":\s*"already known"/,
    },
    {
      what: "saves a rule",
      words: call("memory_save", { content: `Answer the ${era} inspector briefly.`, type: "rule" }),
      prints: /"status":\s*"created"/,
    },
    {
      what: "finds a memory",
      words: call("memory_search", { query: `Where does the inspector of the ${era} era live?` }),
      prints: new RegExp(content),
    },
    {
      what: "shows a refusal of a tool",
      words: call("memory_save", { content: "", type: "fact" }),
      prints: /Argument \\"content\\".*"isError":\s*true/s,
      exitCode: 5,
    },
    { what: "lists the resources", words: ["--method", "resources/list"], prints: /memledger:\/\/rules/ },
    {
      what: "reads the rules",
      words: ["--method", "resources/read", "--uri", "memledger://rules"],
      prints: new RegExp(`Answer the ${era} inspector briefly`),
    },
    { what: "lists the prompts", words: ["--method", "prompts/list"], prints: /"context"/ },
    {
      what: "gets the prompt",
      words: [
        "--method",
        "prompts/get",
        "--prompt-name",
        "context",
        "--prompt-args",
        `query=Where is Porto?`,
      ],
      prints: new RegExp(`Answer the ${era} inspector briefly`),
    },
  ];
}

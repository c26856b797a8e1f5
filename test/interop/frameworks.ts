// Uses the adapters and the programs of docs/user/FRAMEWORKS.md with the frameworks themselves, against a server, and an upstream that repeats
// what it was told. Must never let a framework call its home.

import { copyFileSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Memledger } from "../../clients/typescript/src/client.ts";
import { pythonClient } from "../clients/python.ts";
import { startServer } from "../crash/server.ts";
import { installTypescript } from "../docs/client-packages.ts";
import { type Block, blocksOf } from "../docs/pages.ts";
import {
  eventStream,
  type FakeUpstream,
  type PreparedAnswer,
  type ReceivedRequest,
  startFakeUpstream,
} from "../gateway/fake-upstream.ts";
import { upstreamKeys } from "../gateway/served.ts";
import { event } from "../gateway/streams.ts";
import { responseAnswer, responseEvents } from "../gateway/upstream-shapes.ts";
import { folder, python } from "./install.ts";
import { type Outcome, runProgram } from "./programs.ts";
import type { Report } from "./report.ts";

interface FrameworksOptions {
  /** Words that start memledger. */
  readonly command: readonly string[];
  /** An empty folder. */
  readonly place: string;
  readonly report: Report;
  /** Why there are no packages of npm, and none of PyPI; null: there are. */
  readonly noPackages: string | null;
  readonly noPython: string | null;
}

const page = "docs/user/FRAMEWORKS.md";
/** It needs a gigabyte of packages, and other versions of those that the others need. */
const runByHand = "crewai_memory.py";
const known = "The user's favourite snack is salted almonds.";
const ofOther = "The user's favourite snack is marzipan.";
const learned = /allergic to peanuts/;

/** What the programs of the page print, and whether they store what the user says as a memory. */
const programs: Readonly<Record<string, { readonly prints: RegExp; readonly learns: boolean }>> = {
  "langgraph_notes.py": { prints: /Known of the user: \['I am allergic to peanuts\.'\]/, learns: false },
  "ai_sdk.mjs": { prints: /almonds/, learns: true },
  "openai_agents.py": { prints: /almonds/, learns: true },
  "pydantic_ai_memory.py": { prints: /almonds/, learns: true },
  "langchain_memory.py": { prints: /almonds/, learns: true },
  "llamaindex_retriever.py": { prints: /^0\.\d\d .*allergic to peanuts/m, learns: true },
  "mastra.mjs": { prints: /I have found: .*almonds/, learns: false },
};

export async function useFrameworks(options: FrameworksOptions): Promise<void> {
  const { command, place, report, noPackages, noPython } = options;
  await using upstream = await startFakeUpstream();
  upstream.answerWith(askForSearch);
  mkdirSync(place, { recursive: true });
  const server = await startServer({ dataDir: join(place, "data"), command });
  const target = { url: server.url, apiKey: server.apiKey ?? "", upstream, place, report };
  if (noPackages === null) await installClient(place);
  const blocks = blocksOf(page).filter(({ option }) => /\.(mjs|py)$/.test(option));
  const shown = blocks.map(({ option }) => option).filter((option) => option !== runByHand);
  report.claim(
    "every program of the page is known",
    Bun.deepEquals(shown, Object.keys(programs)),
    `${shown}`,
  );
  report.skip(runByHand, "its packages are not installed");
  for (const block of blocks.filter(({ option }) => option !== runByHand)) {
    const reason = block.option.endsWith(".py") ? noPython : noPackages;
    if (reason === null) await runProgramOfPage(block, target);
    else report.skip(block.option, reason);
  }
  const store = "the store of LangGraph";
  if (noPython !== null) report.skip(store, noPython);
  else await useAdapter(store, [python, join(folder, "langgraph_store.py")], target);
  const middleware = "the middleware for the AI SDK";
  if (noPackages !== null) report.skip(middleware, noPackages);
  else {
    // Beside the packages.
    copyFileSync(join(folder, "ai-sdk.mjs"), join(place, "middleware.mjs"));
    await useAdapter(middleware, [process.execPath, "middleware.mjs"], target);
  }
  report.claim("the server of the frameworks ends in order", (await server.stop()) === 0, server.log());
}

interface Target {
  readonly url: string;
  readonly apiKey: string;
  readonly upstream: FakeUpstream;
  readonly place: string;
  readonly report: Report;
}

async function runProgramOfPage({ option, text }: Block, target: Target): Promise<void> {
  const { url, apiKey, place, report } = target;
  const { memories } = new Memledger({ baseUrl: url, apiKey });
  for (const [subject, content] of Object.entries({ "user-17": known, "user-18": ofOther })) {
    await memories.deleteAll({ subject });
    await memories.create({ content, memory_type: "fact", subject });
  }
  const isPython = option.endsWith(".py");
  const address = isPython ? `base_url="${url}"` : `{ baseUrl: "${url}" }`;
  const here = text.replaceAll("Memledger()", `Memledger(${address})`);
  writeFileSync(join(place, option), here.replaceAll("http://127.0.0.1:8420", url));
  const { exitCode, stdout, output } = await run([isPython ? python : process.execPath, option], target);
  const { prints = /^$/, learns = false } = programs[option] ?? {};
  report.claim(`${option} ends in order`, exitCode === 0, output);
  report.claim(`${option} prints what is known of its user`, prints.test(stdout), output);
  report.claim(`${option} is told nothing of another user`, !stdout.includes("marzipan"), output);
  if (!learns) return;
  const stored = (await memories.list({ subject: "user-17" })).memories.map(({ content }) => content);
  const isRight = stored.length === 2 && stored.includes(known) && stored.some((each) => learned.test(each));
  report.claim(`${option} stores what its user says, once`, isRight, JSON.stringify(stored));
}

/** @param words that start a program which prints a line for each claim that holds */
async function useAdapter(name: string, words: readonly string[], target: Target): Promise<void> {
  const { exitCode, stdout, output } = await run([...words, target.url], target);
  for (const line of stdout.split("\n").filter((each) => each.startsWith("ok: ")))
    target.report.claim(`${name}: ${line.slice(4)}`, true);
  target.report.claim(`the program of ${name} ends in order`, exitCode === 0, output);
}

/** Frameworks send traces and statistics to their makers unless they are told not to. */
function run(words: readonly string[], { apiKey, upstream, place }: Target): Promise<Outcome> {
  const variables = {
    MEMLEDGER_API_KEY: apiKey,
    OPENAI_API_KEY: upstreamKeys.openai,
    OPENAI_BASE_URL: `${upstream.origin}/v1`,
    PYTHONPATH: join(pythonClient, "src"),
    PYTHONDONTWRITEBYTECODE: "1",
    OPENAI_AGENTS_DISABLE_TRACING: "1",
    LANGSMITH_TRACING: "false",
    MASTRA_TELEMETRY_DISABLED: "1",
  };
  return runProgram(words, { folder: place, variables, timeoutMs: 120_000 });
}

/** The packages of this folder, and the client of this source. */
async function installClient(place: string): Promise<void> {
  await installTypescript(place);
  for (const name of ["ai", "@ai-sdk", "@mastra"])
    symlinkSync(join(folder, "node_modules", name), join(place, "node_modules", name));
}

/** A model that has a tool to search memories calls it first, and repeats what it has found then. */
function askForSearch({ path, body }: ReceivedRequest): PreparedAnswer | null {
  if (path !== "/v1/responses") return null;
  const { model, tools = [], input, stream = false } = JSON.parse(body.toString("utf8"));
  const search = tools.find(({ name = "" }) => name.endsWith("memory_search"));
  if (search === undefined) return null;
  const found = input.find(({ type = "" }) => type === "function_call_output");
  if (found !== undefined) {
    const said = `I have found: ${JSON.stringify(found.output)}`;
    return stream
      ? { headers: eventStream, body: responseEvents(model, said) }
      : { body: JSON.stringify(responseAnswer(model, said)) };
  }
  const call = {
    type: "function_call",
    id: "fc_1",
    call_id: "call_1",
    name: search.name,
    arguments: JSON.stringify({ query: "favourite snack" }),
    status: "completed",
  };
  const answer = { ...responseAnswer(model, ""), output: [call] };
  if (!stream) return { body: JSON.stringify(answer) };
  const events = [
    { type: "response.created", response: responseAnswer(model, "", "in_progress") },
    { type: "response.output_item.added", output_index: 0, item: { ...call, arguments: "" } },
    { type: "response.output_item.done", output_index: 0, item: call },
    { type: "response.completed", response: answer },
  ];
  const numbered = events.map((data, at) => event({ ...data, sequence_number: at }, data.type));
  return { headers: eventStream, body: numbered };
}

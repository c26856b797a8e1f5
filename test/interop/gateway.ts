// Uses the gateway of a server with programs of others: the official clients of two chat APIs, in JavaScript and Python, and llm, a program
// for the command line. Everything is done twice, directly and through the gateway, and compared. Must never pass a key on a command line.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { startServer } from "../crash/server.ts";
import { anthropicScenarios } from "../gateway/anthropic-scenarios.ts";
import type { Scenario } from "../gateway/client-scenarios.ts";
import {
  eventStream,
  type FakeUpstream,
  type PreparedAnswer,
  type ReceivedRequest,
  startFakeUpstream,
} from "../gateway/fake-upstream.ts";
import { openAiScenarios } from "../gateway/openai-scenarios.ts";
import { prepareByModel } from "../gateway/prepared-answers.ts";
import { fact, upstreamKeys, upstreamTables } from "../gateway/served.ts";
import { event } from "../gateway/streams.ts";
import { folder, python } from "./install.ts";
import { runProgram } from "./programs.ts";
import type { Report } from "./report.ts";

interface GatewayOptions {
  /** Words that start memledger. */
  readonly command: readonly string[];
  /** An empty folder. */
  readonly place: string;
  readonly report: Report;
  /** Why there are no Python packages; null: there are. */
  readonly noPython: string | null;
}

/** A way to the upstream. */
interface Way {
  readonly origin: string;
  readonly keys: { readonly openai: string; readonly anthropic: string };
  readonly headers: Readonly<Record<string, string>>;
}

export async function useGateway({ command, place, report, noPython }: GatewayOptions): Promise<void> {
  await using upstream = await startFakeUpstream();
  upstream.answerWith((request) => answerAgent(request) ?? prepareByModel(request));
  const dataDir = join(place, "data");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const settings = "memory-floor = 0\nmemory-deadline-ms = 20000\nask-for-usage = false";
  writeFileSync(join(dataDir, "memledger.toml"), upstreamTables(upstream.origin, settings));
  const server = await startServer({ dataDir, command });
  const key = server.apiKey ?? "";
  await remember(server.url, key);
  const direct: Way = { origin: upstream.origin, keys: upstreamKeys, headers: {} };
  const keys = { openai: key, anthropic: key };
  const through: Way = { origin: server.url, keys, headers: { "Memledger-Memory": "off" } };
  await compareClients(direct, through, report);
  if (noPython !== null) report.skip("the Python clients of the chat APIs, and llm", noPython);
  else {
    await comparePython(direct, through, report);
    await runAgent(server.url, key, upstream, { place, report });
  }
  report.claim("the server of the gateway ends in order", (await server.stop()) === 0, server.log());
}

async function remember(url: string, key: string): Promise<void> {
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const body = JSON.stringify({ content: fact, memory_type: "fact" });
  const response = await fetch(`${url}/v1/memories`, { method: "POST", headers, body });
  if (response.status !== 201) throw new Error(await response.text());
}

async function compareClients(direct: Way, through: Way, report: Report): Promise<void> {
  const openAi = ({ origin, keys, headers }: Way) =>
    new OpenAI({ baseURL: `${origin}/v1`, apiKey: keys.openai, defaultHeaders: headers, logLevel: "off" });
  const anthropic = ({ origin, keys, headers }: Way) =>
    new Anthropic({ baseURL: origin, apiKey: keys.anthropic, defaultHeaders: headers, logLevel: "off" });
  const compare = async <Client>(
    name: string,
    scenarios: readonly Scenario<Client>[],
    connect: (way: Way) => Client,
  ) => {
    for (const scenario of scenarios) {
      const [expected, given] = [await scenario.run(connect(direct)), await scenario.run(connect(through))];
      const details = `direct: ${JSON.stringify(expected)}\nthrough: ${JSON.stringify(given)}`;
      report.claim(`${name}: ${scenario.name} is the same`, Bun.deepEquals(expected, given), details);
    }
  };
  await compare("openai for JavaScript", openAiScenarios, openAi);
  await compare("the client of Anthropic for JavaScript", anthropicScenarios, anthropic);
}

async function comparePython(direct: Way, through: Way, report: Report): Promise<void> {
  const run = async ({ origin, keys, headers }: Way) => {
    const variables = { GATEWAY_KEY: keys.openai, GATEWAY_HEADERS: JSON.stringify(headers) };
    const words = [python, join(folder, "gateway_client.py"), origin];
    const { exitCode, stdout, output } = await runProgram(words, { folder, variables, timeoutMs: 120_000 });
    report.claim(`the Python clients end in order at ${origin}`, exitCode === 0, output);
    return stdout.trimEnd().split("\n");
  };
  const [expected, given] = [await run(direct), await run(through)];
  report.claim("the Python clients do the same", expected.length === given.length);
  for (const [at, line] of expected.entries()) {
    const [name] = JSON.parse(line);
    report.claim(`Python: ${name} is the same`, line === given[at], `direct: ${line}\nthrough: ${given[at]}`);
  }
}

const tools = 'def look_up(day: str) -> str:\n    "Looks a day up"\n    return "forty-two on " + day\n';

/** A program that has an agent loop: it calls a function that the model asks for, and answers with what it said. */
async function runAgent(
  url: string,
  key: string,
  upstream: FakeUpstream,
  { place, report }: Pick<GatewayOptions, "place" | "report">,
): Promise<void> {
  const home = join(place, "llm");
  mkdirSync(home);
  const model = { model_id: "agent", model_name: "agent", api_base: `${url}/v1`, api_key_name: "memledger" };
  const described = JSON.stringify([{ ...model, supports_tools: true }]);
  // YAML contains JSON.
  writeFileSync(join(home, "extra-openai-models.yaml"), described);
  writeFileSync(join(home, "keys.json"), JSON.stringify({ memledger: key }), { mode: 0o600 });
  const before = upstream.received.length;
  const words = [python, "-m", "llm", "-m", "agent", "--no-log", "--functions", tools, "When do we release?"];
  const outcome = await runProgram(words, { folder, variables: { LLM_USER_PATH: home } });
  const { exitCode, stdout, output } = outcome;
  report.claim("llm ends in order", exitCode === 0, output);
  report.claim(
    "llm has called the function, and says what the model has said",
    stdout.includes("forty-two on Tuesday"),
    output,
  );
  const requests = upstream.received.slice(before).map(({ body }) => JSON.parse(body.toString("utf8")));
  report.claim("llm has sent its question and the result of its function", requests.length === 2, output);
  const [first, second] = requests;
  report.claim(
    "both requests have the memory in the question",
    [first, second].every(hasMemory),
    JSON.stringify(requests),
  );
  const begins = JSON.stringify(second?.messages).startsWith(JSON.stringify(first?.messages).slice(0, -1));
  report.claim(
    "the second request begins with the first, so a prompt cache is of use",
    begins,
    JSON.stringify(requests),
  );
}

function hasMemory(request: {
  readonly messages: readonly { readonly role: string; readonly content: string }[];
}) {
  const question = request?.messages.find(({ role }) => role === "user")?.content ?? "";
  return question.startsWith("When do we release?\n\n<memories>") && question.includes(fact);
}

/** The model of the agent asks for its function first, and quotes what it was told then. */
function answerAgent({ body }: ReceivedRequest): PreparedAnswer | null {
  const { model, messages } =
    body.length === 0 ? { model: null, messages: [] } : JSON.parse(body.toString("utf8"));
  if (model !== "agent" || messages.at(-1).role === "tool") return null;
  const call = {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: "look_up", arguments: '{"day": "Tuesday"}' },
  };
  const chunk = (delta: object, finish_reason: string | null) =>
    event({
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      created: 1,
      model: "agent",
      choices: [{ index: 0, delta, finish_reason }],
    });
  const events = [
    chunk({ role: "assistant", content: null, tool_calls: [call] }, null),
    chunk({}, "tool_calls"),
    event("[DONE]"),
  ];
  return { headers: eventStream, body: events };
}

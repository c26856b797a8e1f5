// Sends what the load of the crash proofs does not send: injections, extractions, tools over MCP, long texts, bulk deletes by tag, lists and
// downloads. Knows which memories were promised to stay. Must never send two calls with the same number.

import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { routes } from "../../src/transports/http/routes.ts";
import { type Call, createRandom, type Target } from "../crash/load.ts";
import { createWeightedChoice } from "../weighted-choice.ts";

export interface Traffic {
  /** Calls of operations that record themselves under the name of their route, by their number. */
  readonly calls: readonly Call[];
  /** Content of the memories that were answered as stored and that nobody has asked to delete, by their identifiers. */
  readonly kept: ReadonlyMap<string, string>;
  /** Answers that nobody should get, such as 500. */
  faults(): readonly string[];
  /** How often each kind of step was answered. */
  readonly answered: ReadonlyMap<string, number>;
  /** Appends records of about 6 KB each, from several clients, until told to stop; never throws. */
  fill(target: Target, isOver: () => boolean): Promise<void>;
  /** Sends from each client until told to stop; never throws. */
  run(target: Target, options: { readonly clients: number; readonly isOver: () => boolean }): Promise<void>;
}

/** A moment between two calls of a client: the machine has other things to do, and a proof of memory needs time rather than calls. */
const pauseMs = 40;
const answerLimitMs = 60_000;
const fillClients = 8;
/** What cannot be compressed, within the limit of metadata. */
const fillBytes = 2_800;
const exportPollMs = 200;
/** With more, the oldest one is deleted: the search index needs memory for each, and only a constant number of them shows a leak. */
const keptMax = 300;
const longText = "Dana: We decided to release on Tuesdays. I prefer tea in the morning. Nice weather today! ";

/** Success, and the refusals that random calls meet: absent, double, too many at once, unavailable. */
const expected = new Set([200, 201, 204, 404, 409, 429, 503]);

export function createTraffic(seed: number): Traffic {
  const random = createRandom(seed);
  const calls: Call[] = [];
  const kept = new Map<string, string>();
  /** The first of each line and status: one cause makes thousands. */
  const faults = new Map<string, string>();
  const answered = new Map<string, number>();
  let serial = 0;

  const request = async (
    target: Target,
    line: string,
    body: JsonObject | null,
    path = "",
    call?: Call,
    metadata: JsonObject | null = call === undefined ? null : { call: call.number },
  ) => {
    const [method = "", route = ""] = line.split(" ");
    const response = await fetch(target.url + (path || route), {
      method,
      headers: {
        Authorization: `Bearer ${target.key}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...(metadata === null ? {} : { "X-Audit-Metadata": JSON.stringify(metadata) }),
      },
      signal: AbortSignal.timeout(answerLimitMs),
      ...(body === null ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!expected.has(response.status))
      faults.set(`${line} ${response.status}`, `${line} answered ${response.status}: ${text.slice(0, 200)}`);
    return { status: response.status, text };
  };

  /** One call of an operation of memories; a connection that breaks leaves it unanswered. */
  const send = async (
    target: Target,
    line: string,
    body: JsonObject | null,
    path = "",
  ): Promise<JsonObject> => {
    const action = routes.find(({ method, path: each }) => `${method} ${each}` === line)?.operation.name;
    if (action === undefined) throw new Error(`there is no route ${line}`);
    const call: Call = { number: calls.length, action, status: null, code: null, data: {} };
    calls.push(call);
    const { status, text } = await request(target, line, body, path, call);
    const envelope: Json = text.startsWith("{") ? JSON.parse(text) : {};
    call.code = isObject(envelope) && typeof envelope.code === "number" ? envelope.code : null;
    call.data = isObject(envelope) && isObject(envelope.data) ? envelope.data : {};
    call.status = status;
    return call.data;
  };

  const tool = async (target: Target, name: string, input: JsonObject): Promise<JsonObject> => {
    const params = { name, arguments: input };
    const message = { jsonrpc: "2.0", id: ++serial, method: "tools/call", params };
    const { text } = await request(target, "POST /mcp", message);
    const last = text.split("\n").findLast((line) => line.startsWith("data: "));
    const answer: Json = JSON.parse(last?.slice("data: ".length) ?? (text || "{}"));
    const result = isObject(answer) && isObject(answer.result) ? answer.result : {};
    return isObject(result.structuredContent) ? result.structuredContent : {};
  };

  const sentence = (tag: string) =>
    `${tag} ${seed}-${++serial}: ${"it says something else. ".repeat(Math.floor(random() * 8))}`.trim();
  const long = () => longText.repeat(1 + Math.floor(random() * 100));
  const keep = async (target: Target, id: Json | undefined, content: string) => {
    if (typeof id === "string") kept.set(id, content);
    const [oldest] = kept.keys();
    if (kept.size <= keptMax || oldest === undefined) return;
    // Before the call: without an answer nobody knows whether it is deleted.
    kept.delete(oldest);
    await send(target, "DELETE /v1/memories/:memory_id", null, `/v1/memories/${oldest}`);
  };
  const tagged = async (target: Target, tag: string, content: string) =>
    send(target, "POST /v1/memories", { content, memory_type: "fact", tags: [tag] });

  const exportSome = async (target: Target) => {
    const span = {
      start_time: new Date(Date.now() - 20_000).toISOString(),
      end_time: "2099-01-01T00:00:00Z",
    };
    const format = random() < 0.5 ? "csv" : "json";
    const { export_id } = await send(target, "POST /v1/audit/logs/export", { ...span, format });
    if (typeof export_id !== "string") return;
    const at = `/v1/audit/logs/export/${export_id}`;
    let status: Json = null;
    while (status !== "completed" && status !== "failed") {
      await Bun.sleep(exportPollMs);
      const { text } = await request(target, "GET /v1/audit/logs/export/:export_id", null, at);
      const envelope: Json = JSON.parse(text);
      status = isObject(envelope) && isObject(envelope.data) ? (envelope.data.status ?? null) : null;
    }
    for (const file of ["download", "manifest"])
      await request(target, `GET /v1/audit/logs/export/:export_id/${file}`, null, `${at}/${file}`);
  };

  const steps: readonly (readonly [
    weight: number,
    name: string,
    step: (target: Target) => Promise<unknown>,
  ])[] = [
    [
      10,
      "kept memory",
      async (target) => {
        const content = sentence("Kept");
        await keep(target, (await tagged(target, "kept", content)).id, content);
      },
    ],
    [
      2,
      "batch of kept memories",
      async (target) => {
        const contents = Array.from({ length: 5 }, () => sentence("Kept in a batch"));
        const memories = contents.map((content) => ({ content, memory_type: "fact", tags: ["kept"] }));
        const { results } = await send(target, "POST /v1/memories/batch", { memories });
        for (const [index, result] of (Array.isArray(results) ? results : []).entries())
          if (isObject(result) && result.status === "created")
            await keep(target, result.id, contents[index] ?? "");
      },
    ],
    [3, "long memory", (target) => tagged(target, "doomed", `${sentence("Long")} ${long().slice(0, 9_000)}`)],
    [8, "memory that is deleted in bulk", (target) => tagged(target, "doomed", sentence("Doomed"))],
    [2, "bulk delete", (target) => send(target, "DELETE /v1/memories", { tags: ["doomed"] })],
    [
      8,
      "search",
      (target) => send(target, "POST /v1/memories/search", { query: sentence("Kept"), mode: "hybrid" }),
    ],
    [6, "injection", (target) => send(target, "POST /v1/memories/inject", { query: "When do we release?" })],
    [
      4,
      "extraction",
      (target) => send(target, "POST /v1/memories/extract", { text: long(), tags: ["doomed"] }),
    ],
    [4, "list", (target) => send(target, "GET /v1/memories", null, "/v1/memories?page_size=50&tag=kept")],
    [2, "tags", (target) => send(target, "GET /v1/memories/tags", null)],
    [1, "list of records", (target) => request(target, "GET /v1/audit/logs", null)],
    [1, "verification", (target) => request(target, "GET /v1/audit/verify", null)],
    [1, "checkpoint", (target) => request(target, "GET /v1/audit/checkpoint", null)],
    [1, "export", exportSome],
    [
      6,
      "memory over MCP",
      async (target) => {
        const content = sentence("Kept by a tool");
        const { id } = await tool(target, "memory_save", { content, type: "fact", tags: ["kept"] });
        await keep(target, id, content);
      },
    ],
    [4, "search over MCP", (target) => tool(target, "memory_search", { query: "What was kept?" })],
    [3, "context over MCP", (target) => tool(target, "memory_context", { query: "What was kept?" })],
    [1, "list over MCP", (target) => tool(target, "memory_list", { type: "fact" })],
    [1, "documentation", (target) => request(target, "GET /docs", null)],
  ];
  const choose = createWeightedChoice(steps, random);

  return {
    calls,
    kept,
    faults: () => [...faults.values()],
    answered,
    async fill(target, isOver) {
      const client = async () => {
        while (!isOver()) {
          const filling = crypto.getRandomValues(new Uint8Array(fillBytes)).toBase64();
          await request(target, "GET /v1/memories/tags", null, "", undefined, { filling }).catch(
            () => undefined,
          );
        }
      };
      await Promise.all(Array.from({ length: fillClients }, client));
    },
    async run(target, { clients, isOver }) {
      const client = async () => {
        while (!isOver()) {
          const [, name, step] = choose();
          try {
            await step(target);
            answered.set(name, (answered.get(name) ?? 0) + 1);
          } catch {
            // The connection broke, or an answer was cut off: nobody was told anything.
          }
          await Bun.sleep(pauseMs);
        }
      };
      await Promise.all(Array.from({ length: clients }, client));
    },
  };
}

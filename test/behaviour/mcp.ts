// Records the Model Context Protocol, in both of its versions: the methods, each tool, and what is refused.

import { startTestApp } from "../fixture.ts";
import { clientInfo, type Era, eras, post, rpc } from "../transports/mcp/clients.ts";
import { printReply, watchLedger } from "./observation.ts";
import { isObject, type JsonObject } from "./product.ts";
import { createRecording, printJson, type Recording } from "./recording.ts";

/** Arguments of each tool, in their order: a text such as {fact} stands for the id of an answer before. */
const calls: readonly (readonly [tool: string, title: string, args: JsonObject, keep?: string])[] = [
  [
    "memory_save",
    "performed",
    { content: "Releases go out on Tuesdays.", type: "fact", tags: ["release"] },
    "fact",
  ],
  ["memory_save", "again", { content: "Releases go out on Tuesdays.", type: "fact" }],
  ["memory_save", "a rule", { content: "Answer in one sentence.", type: "rule" }, "rule"],
  ["memory_search", "performed", { query: "When do we release?", top_k: 1 }],
  ["memory_update", "performed", { id: "{fact}", importance: 0.9 }],
  ["memory_update", "an unknown memory", { id: "0".repeat(32), importance: 0.9 }],
  ["memory_list", "performed", {}],
  ["memory_context", "performed", { query: "When do we release?" }],
  ["memory_extract", "performed", { text: "We decided that backups run on Fridays." }],
  [
    "memory_propose",
    "performed",
    { kind: "replace", id: "{fact}", content: "Releases go out on Mondays." },
    "suggestion",
  ],
  [
    "memory_propose",
    "a new memory",
    { kind: "create", content: "Tea is at five.", type: "fact" },
    "second suggestion",
  ],
  ["suggestion_list", "performed", {}],
  ["suggestion_accept", "performed", { id: "{suggestion}" }],
  ["suggestion_accept", "again", { id: "{suggestion}" }],
  ["suggestion_refuse", "performed", { id: "{second suggestion}" }],
  ["memory_delete", "performed", { id: "{rule}" }],
  ["memory_delete", "an unknown memory", { id: "{rule}" }],
];

const methods: readonly (readonly [method: string, params: JsonObject])[] = [
  ["initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo }],
  ["server/discover", {}],
  ["ping", {}],
  ["tools/list", {}],
  ["prompts/list", {}],
  ["prompts/get", { name: "context", arguments: { query: "releases" } }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "memledger://rules" }],
  ["resources/read", { uri: "memledger://none" }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "context" }, argument: { name: "query", value: "t" } },
  ],
  ["no/method", {}],
  ["tools/call", { name: "no_tool", arguments: {} }],
];

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

export async function recordMcp(): Promise<Recording> {
  const app = await startTestApp();
  const recording = createRecording();
  for (const era of eras) {
    const project = await app.createProject("custom", { name: `the project of ${era}` });
    recording.know(project.id, `project of ${era}`);
    const ledger = watchLedger(app, [null, project.id]);
    const kept = new Map<string, string>();
    const without = await app.createKey(project.id, ["audit.read"]);

    const send = async (
      operation: string,
      title: string,
      key: string | null,
      message: unknown,
      headers = {},
    ) => {
      const mark = ledger.mark();
      const reply = await post(app.url, key, message, { "User-Agent": "test/1", ...headers });
      const sent = typeof message === "string" ? message : JSON.stringify(message);
      const lines = [`> ${sent}`, ...printReply({ ...reply, text: printEvents(reply.text) })];
      recording.observe(`${operation} (${era})`, title, ...lines, ...ledger.since(mark, reply.text));
      return reply.json;
    };
    const ask = (operation: string, title: string, key: string | null, method: string, params: JsonObject) =>
      send(operation, title, key, ...request(era, method, params));

    const listed = await ask("tools/list", "performed", project.key, "tools/list", {});
    const tools = namesIn(listed);
    const missing = tools.filter((name) => !calls.some(([tool]) => tool === name));
    if (missing.length > 0)
      throw new Error(`there is no call of the tool ${missing.join(", ")}; add one to test/behaviour/mcp.ts`);
    for (const [method, params] of methods) await ask(method, "performed", project.key, method, params);
    for (const [tool, title, args, keep] of calls) {
      const filled = JSON.parse(
        JSON.stringify(args).replaceAll(/\{([a-z ]+)\}/g, (_, name) => kept.get(name) ?? "1".repeat(32)),
      );
      const { result } = await ask(tool, title, project.key, "tools/call", { name: tool, arguments: filled });
      const id = isObject(result) && isObject(result.structuredContent) ? result.structuredContent.id : null;
      if (keep === undefined || typeof id !== "string") continue;
      kept.set(keep, id);
      recording.know(id, `${keep} of ${era}`);
    }
    for (const tool of tools) {
      app.passTime(1_000);
      const params = { name: tool, arguments: {} };
      await ask(tool, "no key", null, "tools/call", params);
      await ask(tool, "a key without the permission", without.key, "tools/call", params);
      await ask(tool, "no arguments", project.key, "tools/call", params);
      await ask(tool, "an unknown argument", project.key, "tools/call", {
        ...params,
        arguments: { unknown: 1 },
      });
    }
    await send("a body", "no JSON", project.key, "{");
    await send("a body", "no message", project.key, "[]");
    await send("a body", "an unknown version", project.key, rpc("ping"), {
      "MCP-Protocol-Version": "1999-01-01",
    });
  }
  await app.stop();
  return recording;
}

/** The message and the headers of a request in a version of the protocol. */
function request(
  era: Era,
  method: string,
  params: JsonObject,
): [message: JsonObject, headers: Record<string, string>] {
  if (era !== "2026-07-28") return [rpc(method, params), {}];
  const name = params.name ?? params.uri;
  return [
    rpc(method, { ...params, _meta: meta }),
    {
      "MCP-Protocol-Version": era,
      "Mcp-Method": method,
      ...(typeof name === "string" ? { "Mcp-Name": name } : {}),
    },
  ];
}

function namesIn({ result }: JsonObject): string[] {
  const tools = isObject(result) && Array.isArray(result.tools) ? result.tools.filter(isObject) : [];
  if (tools.length === 0) throw new Error("no tools are listed");
  return tools.map(({ name }) => String(name));
}

/** The data of events as lines; other bodies as they are. */
function printEvents(text: string): string {
  if (!text.startsWith("event:") && !text.startsWith("data:")) return text;
  return text.replaceAll(/^data: (\{.*)$/gm, (_, data) => `data: ${printJson(JSON.parse(data))}`);
}

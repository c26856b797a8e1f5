// Sends every kind of message to the endpoint of MCP, every tool included, in both eras of the protocol, and knows which ones exist.
// Must never reach another server.

import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { tools } from "../../src/transports/mcp/tools.ts";
import type { Target } from "./operations.ts";

interface McpLap {
  /** As in `mcpLines`. */
  readonly performed: ReadonlySet<string>;
  readonly calls: number;
  readonly faults: readonly string[];
}

const lists = ["tools/list", "resources/list", "resources/templates/list", "prompts/list"];
const rules = { uri: "memledger://rules" };

/** What has to be sent. */
export const mcpLines: readonly string[] = [
  ...["initialize", "server/discover", ...lists, "resources/read", "prompts/get"],
  ...tools.map(({ name }) => `tools/call ${name}`),
].map((line) => `POST /mcp ${line}`);

/** One message of everything. */
export async function sendEveryMessage(
  { url, key }: Pick<Target, "url" | "key">,
  lap: string,
): Promise<McpLap> {
  const performed = new Set<string>();
  const faults: string[] = [];
  let calls = 0;

  const send = async (method: string, params: JsonObject, era: Era): Promise<JsonObject> => {
    const name = typeof params.name === "string" ? params.name : params.uri;
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: {
        Authorization: `Bearer ${key}`,
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        ...headersOf(era, method, name),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++calls, method, params: { ...params, ...metaOf(era) } }),
    });
    const text = await response.text();
    const result = resultOf(text);
    const line = `POST /mcp ${method === "tools/call" ? `${method} ${name}` : method}`;
    if (response.ok && result !== null && result.isError !== true) performed.add(line);
    else faults.push(`${line} (${era}) answered ${response.status}: ${text.slice(0, 300)}`);
    return result ?? {};
  };

  const use = async (era: Era): Promise<void> => {
    const call = async (name: string, input: JsonObject): Promise<JsonObject> => {
      const { structuredContent = null } = await send("tools/call", { name, arguments: input }, era);
      return isObject(structuredContent) ? structuredContent : {};
    };
    for (const list of lists) await send(list, {}, era);
    const content = `The workshop ${lap} of ${era} is in Braga.`;
    const { id = null } = await call("memory_save", { content, type: "fact" });
    await call("memory_save", { content, type: "fact" });
    await call("memory_search", { query: `Where is workshop ${lap}?` });
    await call("memory_update", { id, importance: 0.9 });
    await call("memory_list", { type: "fact" });
    await call("memory_context", { query: `Where is workshop ${lap}?` });
    await call("memory_context", {});
    await call("memory_extract", { text: `Dana: I have moved to Porto, ${lap}.`, dry_run: true });
    for (const decide of ["suggestion_accept", "suggestion_refuse"]) {
      const proposal = { kind: "create", content: `${content} ${decide}`, type: "fact" };
      const { id: suggestion = null } = await call("memory_propose", proposal);
      await call(decide, { id: suggestion });
    }
    await call("suggestion_list", {});
    await send("resources/read", rules, era);
    await send("prompts/get", { name: "context", arguments: { query: "workshop" } }, era);
    await call("memory_delete", { id });
  };

  const clientInfo = { name: "egress", version: "1" };
  const handshake = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  await send("initialize", handshake, "2025-11-25");
  await use("2025-11-25");
  await send("server/discover", {}, "2026-07-28");
  await use("2026-07-28");
  return { performed, calls, faults };
}

type Era = "2025-11-25" | "2026-07-28";

function headersOf(era: Era, method: string, name: Json | undefined): Record<string, string> {
  const version = { "MCP-Protocol-Version": era };
  if (era === "2025-11-25") return version;
  const named: Record<string, string> = typeof name === "string" ? { "Mcp-Name": name } : {};
  return { ...version, ...named, "Mcp-Method": method };
}

/** Clients of 2026-07-28 say with each message who they are. */
function metaOf(era: Era): JsonObject {
  if (era === "2025-11-25") return {};
  const prefix = "io.modelcontextprotocol";
  return {
    _meta: {
      [`${prefix}/protocolVersion`]: era,
      [`${prefix}/clientInfo`]: { name: "egress", version: "1" },
      [`${prefix}/clientCapabilities`]: {},
    },
  };
}

/** Of a JSON body, or of the last event of a stream; null for an error. */
function resultOf(text: string): JsonObject | null {
  const events = text.split("\n").filter((line) => line.startsWith("data: "));
  const last = events.at(-1)?.slice("data: ".length) ?? text;
  const answer: Json = last.startsWith("{") ? JSON.parse(last) : null;
  return isObject(answer) && isObject(answer.result) ? answer.result : null;
}

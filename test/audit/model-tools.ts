// Random calls of a tool over MCP: what the client is told, and the record, which is that of the operation.

import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { type ModelKey, type ModelProject, statusOf } from "./model.ts";
import { equal, note, objectsOf, type Run } from "./model-call.ts";

/** The page of the tool is smaller than the project may be, so the newest memories are compared. */
const pageSize = 20;

export async function listWithTool(run: Run, project: ModelProject, key: ModelKey): Promise<void> {
  const { server } = run;
  const due = project.refuses(key, "memory.read", "memory", server.now()) ?? 1000;
  // More calls without a valid key than this are only counted.
  if (due === 1401) server.passTime(1_000);
  const message = {
    jsonrpc: "2.0",
    id: 1,
    method: "tools/call",
    params: { name: "memory_list", arguments: {} },
  };
  const reply = await server.call(key.secret, "POST", "/mcp", message);
  equal(reply.status, due === 1401 ? 401 : 200, `memory_list: ${reply.text}`);
  note(run, `memory_list ${due}`);
  project.chain.append({
    // The body of a caller without a valid key is not read.
    action: due === 1401 ? "mcp.request" : "memory.list",
    status: due === 1000 ? 200 : (statusOf[due] ?? 0),
    code: due,
    key: key.id,
    memory: null,
    at: server.now(),
    text: reply.text,
  });
  if (due === 1401) return;
  const { isError, structuredContent } = resultOf(reply.text);
  equal(isError === true, due !== 1000, "whether the tool has failed");
  if (!isObject(structuredContent)) return;
  const newest = [...project.memories.values()].sort((a, b) => b.serial - a.serial).slice(0, pageSize);
  const listed = objectsOf(structuredContent.memories).map(({ id }) => id);
  equal(
    listed,
    newest.map(({ id }) => id),
    "memories listed by the tool",
  );
  equal(structuredContent.total, project.memories.size, "total of the tool");
}

function resultOf(text: string): JsonObject {
  const json = text
    .split("\n")
    .find((line) => line.startsWith("data: "))
    ?.slice("data: ".length);
  const answer: unknown = JSON.parse(json ?? "null");
  return isObject(answer) && isObject(answer.result) ? answer.result : {};
}

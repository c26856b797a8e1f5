// What the log of a real server says about requests of MCP: each call of a tool as its operation, other messages without one.

import { afterAll, expect, test } from "bun:test";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { call, cleanUp, createFolder, serve } from "../../cli/command.ts";
import { post, rpc, toolCall } from "./clients.ts";

afterAll(cleanUp);

function linesOf(log: string, message: string): JsonObject[] {
  return log
    .split("\n")
    .filter((line) => line !== "")
    .map((line): unknown => JSON.parse(line))
    .filter(isObject)
    .filter((line) => line.message === message);
}

test("each call of a tool and each other message has one line, without its content", async () => {
  const server = await serve(createFolder(), ["--log-level", "info", "--access-log", "true"]);
  const { project_id: project } = server.ready;
  const key = String(server.ready.api_key);
  const save = (content: string) => toolCall("memory_save", { content, type: "fact" });
  await post(server.url, key, rpc("tools/list"));
  await post(server.url, key, save("Nobody reads this in a log."));
  await post(server.url, key, save(" "));
  await post(server.url, key, [toolCall("memory_list", {}, 1), toolCall("memory_list", {}, 2)]);
  await post(server.url, key, toolCall("nonsense", {}));
  await post(server.url, key, "{");
  await post(server.url, null, rpc("tools/list"));
  await post(server.url, key, rpc("tools/list"), { Origin: "http://evil.example" });
  const listed = await call(server.url, key, "/v1/audit/logs?action=memory.create");
  const records = ((await listed.json()) as { data: { logs: { id: string }[] } }).data.logs;
  const { stderr } = await server.end("SIGTERM");
  expect(stderr).not.toMatch(/Nobody reads|ml_|evil/);

  const line = (operation: string | null, status: number, code: number | null, isKnown = true) =>
    expect.objectContaining({
      method: "POST",
      path: "/mcp",
      operation,
      status,
      code,
      project: isKnown ? project : null,
      key: isKnown ? expect.any(String) : null,
      address: "127.0.0.1",
      duration_ms: expect.any(Number),
    });
  expect(linesOf(stderr, "call")).toEqual([
    line(null, 200, null),
    line("memory.create", 201, 1000),
    line("memory.create", 400, 1400),
    line("memory.list", 200, 1000),
    line("memory.list", 200, 1000),
    line(null, 200, null),
    line(null, 400, null),
    line(null, 401, 1401, false),
    line(null, 403, null, false),
    expect.objectContaining({ path: "/v1/audit/logs", operation: "audit.list", status: 200 }),
  ]);
  const told = linesOf(stderr, "call refused");
  // The record of a call that was recorded; a message that calls no tool has none, and neither has a web page.
  expect(told.map(({ code, operation, path, record }) => [code, operation, path, typeof record])).toEqual([
    [1400, "memory.create", "/mcp", "string"],
    [400, null, "/mcp", "object"],
    [1401, null, "/mcp", "string"],
    [403, null, "/mcp", "object"],
  ]);
  expect(records.map(({ id }) => id)).toContain(String(told[0]?.record));
});

// Clients of MCP that leave at every moment: before their request is complete, before the answer, within it, and with several messages
// under way, as health checks of assistants do. The log has at most one line for each call of a tool, and never a stack.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { once } from "node:events";
import { connect as connectSocket } from "node:net";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { connect, eras, post, rpc, toolCall } from "../transports/mcp/clients.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

const clientInfo = { name: "health-check", version: "1" };
const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
const envelope = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};
const listen = { _meta: envelope, notifications: { toolsListChanged: true } };

/** The messages of a client that connects and lists, in both eras, and a call of a tool. */
const messages: readonly JsonObject[] = [
  rpc("initialize", initialize),
  { jsonrpc: "2.0", method: "notifications/initialized" },
  rpc("ping"),
  rpc("tools/list"),
  rpc("server/discover", { _meta: envelope }),
  rpc("tools/list", { _meta: envelope }),
  rpc("subscriptions/listen", listen),
  toolCall("memory_search", { query: "Where?" }),
  toolCall("memory_extract", { text: "Ana: Releases go out on Tuesdays. ".repeat(40) }),
];

/** When the client leaves. */
const moments = ["within its head", "within its body", "before the answer", "within the answer"] as const;

async function leave(message: JsonObject, moment: (typeof moments)[number], isReset: boolean): Promise<void> {
  const body = JSON.stringify(message);
  const { params, method } = message;
  const isCurrent = JSON.stringify(params ?? {}).includes("2026-07-28");
  const lines = [
    "POST /mcp HTTP/1.1",
    "Host: 127.0.0.1",
    `Authorization: Bearer ${app.apiKey}`,
    "Content-Type: application/json",
    "Accept: application/json, text/event-stream",
    ...(isCurrent ? ["MCP-Protocol-Version: 2026-07-28", `Mcp-Method: ${method}`] : []),
    `Content-Length: ${body.length}`,
  ];
  const request = `${lines.join("\r\n")}\r\n\r\n${body}`;
  const length = { "within its head": 60, "within its body": request.length - 10 }[String(moment)];
  const socket = connectSocket(app.port, "127.0.0.1");
  socket.on("error", () => undefined);
  await once(socket, "connect");
  await new Promise((resolve) => socket.write(request.slice(0, length), resolve));
  if (moment === "within the answer") await Promise.race([once(socket, "data"), once(socket, "close")]);
  if (isReset) socket.resetAndDestroy();
  else socket.destroy();
}

/** Everything that was under way is answered or cancelled. */
async function settle(): Promise<void> {
  for (const name of ["memory_search", "memory_list"]) {
    const { status } = await post(app.url, app.apiKey, toolCall(name, { query: "x" }));
    expect(status).toBe(200);
  }
}

function expectCleanLog(): void {
  for (const complaint of app.complaints.splice(0)) {
    // What a client has cancelled by leaving.
    expect(complaint).toMatch(/^calls? failed /);
    expect(complaint).toContain("1503");
    expect(complaint).not.toMatch(/\n\s+at |Error:/);
  }
}

describe.each(moments)("a client that leaves %s", (moment) => {
  test("leaves no stack in the log, and the server answers others", async () => {
    const leaving = messages.flatMap((message) => [
      leave(message, moment, false),
      leave(message, moment, true),
    ]);
    await Promise.all(leaving);
    await settle();
    expectCleanLog();
  });
});

test.each(eras)("an SDK of %s that connects, lists and closes at once", async (era) => {
  const work = [...Array(6).keys()].map(async (index) => {
    const { sdk, close } = await connect(app, app.apiKey, era);
    const calls = [sdk.listTools(), sdk.callTool({ name: "memory_search", arguments: { query: "x" } })];
    if (index % 2 === 0) await calls[0];
    await close();
    await Promise.allSettled(calls);
  });
  await Promise.all(work);
  await settle();
  expectCleanLog();
});

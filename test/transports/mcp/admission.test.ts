// Tests who may send a message to the endpoint: keys, rates, permissions and plans decide as over HTTP, and before the body is read.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { connect as connectSocket } from "node:net";
import { revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { updateProject } from "../../../src/calls/operations/access/project-operations.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { connect, connectPrevious, eras, post, rpc, toolCall } from "./clients.ts";

let app: TestApp;
beforeAll(async () => {
  // Slow, so that some calls are refused however long the machine takes to send them.
  app = await startTestApp({ "plan-basic-rate-per-second": "1" });
});
afterAll(() => app.stop());

const search = toolCall("memory_search", { query: "Where?" });
const unknownKey = `ml_${"x".repeat(43)}`;

describe("a request without a valid key", () => {
  test.each<[string, string | null, string]>([
    ["that has no key", null, "The Authorization header is missing. Send Authorization: Bearer <API_KEY>."],
    ["that has an unknown key", unknownKey, "The API key is unknown or malformed."],
    ["whose variable is empty", "", "set the variable where the client is started."],
    [
      "whose variable is not set",
      ["$", "{MEMLEDGER_API_KEY}"].join(""),
      "set the variable where the client is started.",
    ],
    ["whose variable is not known", "{env:KEY}", "The Authorization header has no API key."],
  ])(
    "%s is refused with a challenge, and recorded on the chain of the installation",
    async (_, key, message) => {
      app.passTime(60_000);
      const before = app.countRecords(null);
      const { status, headers, json } = await post(app.url, key, search, { "User-Agent": "scanner/1" });
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toBe("Bearer");
      expect(json).toMatchObject({
        jsonrpc: "2.0",
        id: null,
        error: { code: -32000, message: expect.stringContaining(message), data: { code: 1401 } },
      });
      const records = app.records(null, before).filter(({ action }) => action === "mcp.request");
      expect(records.map(({ status }) => status)).toEqual([401]);
      expect(records[0]?.payload).toMatchObject({
        transport: "mcp",
        user_agent: "scanner/1",
        ip_address: "127.0.0.1",
      });
      expect(JSON.stringify(records[0]?.payload)).not.toContain("Where?");
    },
  );

  test("is answered before its body has arrived", async () => {
    const socket = connectSocket(app.port, "127.0.0.1");
    socket.write(
      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 1000000\r\n\r\n{",
    );
    const [answer] = await new Promise<Buffer[]>((resolve) => socket.once("data", (data) => resolve([data])));
    expect(String(answer)).toStartWith("HTTP/1.1 401");
    socket.destroy();
  });

  test("is sampled: a scanner cannot fill the disk", async () => {
    app.passTime(3_600_000);
    const before = app.countRecords(null);
    const replies = await Promise.all(Array.from({ length: 60 }, () => post(app.url, unknownKey, search)));
    const statuses = new Set(replies.map(({ status }) => status));
    expect(statuses).toEqual(new Set([401, 429]));
    expect(app.countRecords(null) - before).toBeLessThan(30);
  });

  test("that has a revoked key is recorded on the chain of its project", async () => {
    app.passTime(60_000);
    const { id, key } = await app.createKey(app.projectId, ["memory.read"]);
    await app.administer(revokeKey, { key: id });
    const before = app.countRecords(app.projectId);
    const { status, json } = await post(app.url, key, search);
    expect(status).toBe(401);
    expect(JSON.stringify(json)).toContain("revoked");
    expect(
      app.records(app.projectId, before).map(({ action, status, entry }) => [action, status, entry.key]),
    ).toEqual([["mcp.request", 401, id]]);
  });

  test("is an error for the official clients", async () => {
    app.passTime(60_000);
    for (const era of eras) await expect(connect(app, unknownKey, era)).rejects.toThrow();
    await expect(connectPrevious(app.url, unknownKey)).rejects.toThrow();
  });
});

describe("the rate limit", () => {
  /** The requests that the limit of the plan allows since `startedMs`; a second is added, because the clocks are not the same. */
  const allowedSince = (startedMs: number) => {
    const { rate } = app.config.plans.basic;
    if (rate === null) throw new Error("the plan has no rate");
    return rate.burst + rate.perSecond * Math.ceil((performance.now() - startedMs) / 1_000 + 1);
  };

  test("counts each request once, whatever is in it, as over HTTP", async () => {
    const project = await app.createProject("basic");
    const bodies = [rpc("ping"), rpc("tools/list"), search, "no JSON", toolCall("nonsense", {})];
    const startedMs = performance.now();
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, at) => post(app.url, project.key, bodies[at % bodies.length])),
    );
    const refused = replies.filter(({ status }) => status === 429);
    expect(replies.length - refused.length).toBeGreaterThanOrEqual(app.config.plans.basic.rate?.burst ?? 0);
    expect(replies.length - refused.length).toBeLessThanOrEqual(allowedSince(startedMs));
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers, json } of refused) {
      expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
      expect(json).toMatchObject({ id: null, error: { data: { code: 1429 } } });
    }
    app.passTime(60_000);
    expect((await post(app.url, project.key, search)).status).toBe(200);
  });

  test("counts every call of a batch", async () => {
    const project = await app.createProject("basic");
    const batch = Array.from({ length: 100 }, (_, id) => toolCall("memory_list", {}, id));
    const startedMs = performance.now();
    const replies = await Promise.all([batch, batch].map((each) => post(app.url, project.key, each)));
    const performed = app.records(project.id).filter(({ action }) => action === "memory.list").length;
    expect(performed).toBeLessThanOrEqual(allowedSince(startedMs));
    // A batch that arrives when nothing is left is refused as a whole.
    const refused = replies.map(({ status, text }) =>
      status === 429 ? batch.length : text.split("Too many calls").length - 1,
    );
    expect(performed + refused.reduce((sum, each) => sum + each)).toBe(2 * batch.length);
  });
});

describe.each(eras)("a client of %s", (era) => {
  test("hears which permission its key lacks, and the call has a record", async () => {
    const reader = await app.createKey(app.projectId, ["memory.read"]);
    const client = await connect(app, reader.key, era);
    const before = app.countRecords(app.projectId);
    const reply = await client.call("memory_save", { content: "Anything.", type: "fact" });
    expect(reply).toMatchObject({ isError: true, text: expect.stringContaining("memory.write") });
    expect(app.records(app.projectId, before).map(({ action, status }) => [action, status])).toEqual([
      ["memory.create", 403],
    ]);
    await client.close();
  });

  test("hears that the plan has changed, and the call has a record", async () => {
    const project = await app.createProject("business");
    const client = await connect(app, project.key, era);
    await app.administer(updateProject, { project: project.id, plan: "free" });
    const reply = await client.call("memory_search", { query: "Where?" });
    expect(reply).toMatchObject({
      isError: true,
      text: expect.stringContaining("plan does not include memories"),
    });
    await expect(client.sdk.readResource({ uri: "memledger://rules" })).rejects.toThrow(
      "plan does not include memories",
    );
    await expect(client.sdk.getPrompt({ name: "context" })).rejects.toThrow("plan does not include memories");
    expect(app.records(project.id).map(({ action, status }) => [action, status])).toEqual([
      ["memory.search", 403],
      ["memory.inject", 403],
      ["memory.inject", 403],
    ]);
    await client.close();
  });
});

test("a restart of the server loses nothing: there is no session", async () => {
  const clients = await Promise.all(eras.map((era) => connect(app, app.apiKey, era)));
  await app.restart();
  for (const client of clients) {
    expect(await client.call("memory_list", {})).toMatchObject({ isError: false });
    await client.close();
  }
});

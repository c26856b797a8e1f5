// Proves when a body is received and how much of all bodies is held: never before the caller is identified, and bounded per project
// and in all. What is in a body is judged in bad-input.test.ts.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createBodyBudget } from "../../../src/access/body-budget.ts";
import { permissions } from "../../../src/access/key.ts";
import { revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { deleteProject } from "../../../src/calls/operations/access/project-operations.ts";
import {
  bodiesMaxBytes,
  bodiesMaxBytesPerProject,
  bodyMaxBytes,
  bodySmallChunksMax,
} from "../../../src/platform/limits.ts";
import { leavesBodyBehind, receiveRequestBody } from "../../../src/transports/http/body.ts";
import { startTestApp } from "../../fixture.ts";
import { head, openRaw, type RawConnection, sendRaw } from "./raw.ts";
import { expectClean } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());
// Calls without a valid key are recorded one by one only now and then.
beforeEach(() => app.passTime(60_000));

const { apiKey, port, projectId } = app;
const revoked = await app.createKey(projectId, permissions);
await app.administer(revokeKey, { key: revoked.id });
const expired = await app.createKey(projectId, permissions, {
  expires_at: new Date(Date.now() + 60_000).toISOString(),
});
app.passTime(60_000);
const gone = await app.createProject("custom");
await app.administer(deleteProject, { project: gone.id });
const readOnly = await app.createKey(projectId, ["memory.read"]);
const free = await app.createProject("free");

/** A request line and headers that announce a body. */
const announce = (key: string, length: number) =>
  `${head("POST", "/v1/memories", key)}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
const fact = (content: string) => JSON.stringify({ content, memory_type: "fact" });

const refusedBefore: [name: string, key: string, code: number, chain: string | null][] = [
  ["an unknown key", `ml_${"0".repeat(43)}`, 1401, null],
  ["a revoked key", revoked.key, 1401, projectId],
  ["an expired key", expired.key, 1401, projectId],
  ["a key of a deleted project", gone.key, 1401, gone.id],
];
const refusedAfter: [name: string, key: string, code: number, chain: string][] = [
  ["without the permission", readOnly.key, 1403, projectId],
  ["of a plan without memory", free.key, 2106, free.id],
];

describe("a call that is refused for who sends it", () => {
  for (const [name, key, code, chain] of refusedBefore) {
    test(`by ${name} is answered before its body arrives, and recorded without one`, async () => {
      const before = app.countRecords(chain);
      const reply = await sendRaw(port, announce(key, 1_000));
      expectClean(reply, "POST", "/v1/memories");
      expect(reply.code).toBe(code);
      const [record, ...more] = app.records(chain, before);
      expect(more).toEqual([]);
      expect(record).toMatchObject({ action: "memory.create", entry: { code } });
      expect(Object.keys(record?.payload ?? {}).sort()).toEqual(["error_msg", "ip_address", "response_body"]);
    });

    test(`by ${name} leaves its connection to the next call`, async () => {
      const connection = openRaw(port);
      connection.send(announce(key, bodyMaxBytes), "x".repeat(bodyMaxBytes));
      expect((await connection.next()).code).toBe(code);
      connection.send(`${head("GET", "/v1/memories", apiKey)}\r\n`);
      expect((await connection.next()).status).toBe(200);
      connection.close();
    });

    test(`by ${name} does not keep a connection open that sends without end`, async () => {
      const chunked = `${head("POST", "/v1/memories", key)}Transfer-Encoding: chunked\r\n\r\n`;
      for (const start of [announce(key, 1_000_000_000), chunked]) {
        const connection = openRaw(port);
        connection.send(start);
        const reply = await connection.next();
        expect(reply.code).toBe(code);
        expect(reply.headers.get("connection")).toBe("close");
        await connection.closed;
      }
    });
  }

  describe.each(refusedAfter)("by a key %s", (_, key, code, chain) => {
    test("is answered after its body, which is recorded", async () => {
      const before = app.countRecords(chain);
      const body = fact("What was tried.");
      const reply = await sendRaw(port, announce(key, body.length), body);
      expectClean(reply, "POST", "/v1/memories");
      expect(reply.code).toBe(code);
      expect(app.records(chain, before)).toMatchObject([
        { action: "memory.create", entry: { code }, payload: { request_body: JSON.parse(body) } },
      ]);
    });

    test("is answered at once if its body is too large, and its connection is closed", async () => {
      const connection = openRaw(port);
      connection.send(announce(key, 1_000_000_000));
      const reply = await connection.next();
      expect(reply.code).toBe(code);
      expect(reply.headers.get("connection")).toBe("close");
      await connection.closed;
    });

    test("holds no more than the bodies of calls that are accepted", async () => {
      const chunk = `${(64 * 1024).toString(16)}\r\n${"x".repeat(64 * 1024)}\r\n`;
      const connection = openRaw(port);
      connection.send(
        `${head("POST", "/v1/memories", key)}Transfer-Encoding: chunked\r\n\r\n`,
        ...Array<string>(17).fill(chunk),
      );
      const reply = await connection.next();
      expect(reply.code).toBe(code);
      expect(reply.headers.get("connection")).toBe("close");
      await connection.closed;
    });
  });

  test("fills no chain: a flood by a revoked key is sampled and counted", async () => {
    const before = { project: app.countRecords(projectId), installation: app.countRecords(null) };
    const body = { content: "x".repeat(100_000), memory_type: "fact" };
    const replies = await Promise.all(
      Array.from({ length: 40 }, () => app.call("POST", "/v1/memories", { key: revoked.key, body })),
    );
    const count = (status: number) => replies.filter((reply) => reply.status === status).length;
    expect(count(401) + count(429)).toBe(40);
    expect(count(429)).toBeGreaterThanOrEqual(20);
    expect(app.countRecords(projectId) - before.project).toBe(count(401));
    const [told, ...more] = app.records(null, before.installation);
    expect(more).toEqual([]);
    expect(told).toMatchObject({ entry: { code: 1429, key: null } });
  });
});

test("a body of many tiny chunks is refused before it costs seconds, one of few is taken", async () => {
  const start = `${head("POST", "/v1/memories", app.apiKey)}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const inBytes = (text: string) => [...text].map((letter) => `1\r\n${letter}\r\n`).join("");
  const few = openRaw(port);
  few.send(start, inBytes(fact("Sent byte by byte.")), "0\r\n\r\n");
  expect((await few.next()).status).toBe(201);
  few.close();
  const many = openRaw(port);
  many.send(start, inBytes(" ".repeat(bodySmallChunksMax + 2_000)));
  const reply = await many.next();
  expect(reply).toMatchObject({ status: 400, code: 1400 });
  expect(reply.message).toContain("chunks");
  await many.closed;
});

describe("bytes of bodies that are held", () => {
  const open: RawConnection[] = [];
  afterAll(() => open.map((connection) => connection.close()));
  /** Calls whose bodies never end. The server says "100 Continue" when it has taken one on. */
  const hold = async (key: string, calls: number) => {
    for (let index = 0; index < calls; index++) {
      const connection = openRaw(port);
      connection.send(announce(key, bodyMaxBytes).replace("\r\n", "\r\nExpect: 100-continue\r\n"));
      expect((await connection.next()).status).toBe(100);
      open.push(connection);
    }
  };
  const create = (key: string) =>
    app.call("POST", "/v1/memories", { key, body: fact(`Held ${crypto.randomUUID()}.`) });

  test("are bounded per project and in all, and given back with the answer", async () => {
    const perProject = bodiesMaxBytesPerProject / bodyMaxBytes;
    const keys = await Promise.all(
      Array.from({ length: bodiesMaxBytes / bodiesMaxBytesPerProject }, () => app.createProject("custom")),
    );
    const other = await app.createProject("custom");
    const [first = other, ...others] = keys;

    await hold(first.key, perProject);
    const before = app.countRecords(first.id);
    const limited = await create(first.key);
    expectClean(limited, "POST", "/v1/memories");
    expect(limited).toMatchObject({ code: 1429, data: { limit_bytes: bodiesMaxBytesPerProject } });
    expect(limited.headers.get("retry-after")).toBe("1");
    expect(app.countRecords(first.id)).toBe(before);
    // The server drops the body and serves the next call of the connection.
    const connection = openRaw(port);
    connection.send(announce(first.key, bodyMaxBytes), "x".repeat(bodyMaxBytes));
    expect((await connection.next()).code).toBe(1429);
    connection.send(`${head("GET", "/v1/memories", first.key)}\r\n`);
    expect((await connection.next()).status).toBe(200);
    connection.close();
    expect((await app.call("GET", "/v1/memories", { key: first.key })).status).toBe(200);
    expect((await create(other.key)).status).toBe(201);

    for (const { key } of others) await hold(key, perProject);
    const full = await create(other.key);
    expectClean(full, "POST", "/v1/memories");
    expect(full.code).toBe(1503);
    expect(full.headers.get("retry-after")).toBe("1");

    const [finished, aborted] = open;
    finished?.send(fact("A body that was held and then sent.").padEnd(bodyMaxBytes));
    expect((await finished?.next())?.status).toBe(201);
    expect((await create(other.key)).status).toBe(201);
    expect((await create(first.key)).status).toBe(201);
    await hold(other.key, 1);
    expect((await create(other.key)).code).toBe(1503);
    aborted?.close();
    while ((await create(other.key)).code !== 1000) await Bun.sleep(5);
  });
});

test("a body that does not arrive in time is refused, and its connection closed", async () => {
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("{")) });
  const request = new Request("http://localhost", { method: "POST", body: endless });
  using claim = createBodyBudget()("project");
  const received = await receiveRequestBody(request, claim, 10);
  expect(received).toMatchObject({ kind: "incomplete", refusal: { code: 1400 } });
  expect(leavesBodyBehind(request)).toBe(true);
});

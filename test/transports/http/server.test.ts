// Proves what HTTP itself decides: addresses, methods, pages without a key, origins, and how the server stops.

import { afterAll, describe, expect, test } from "bun:test";
import { bodyMaxBytes } from "../../../src/platform/limits.ts";
import { startTestApp } from "../../fixture.ts";
import { head, openRaw, sendRaw } from "./raw.ts";
import { expectClean, runScenarios, type Scenario } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const { apiKey, port, projectId } = app;

describe("addresses and methods", () => {
  const unrecorded = (name: string, method: string, path: string, code: 1404 | 1405): Scenario => ({
    name,
    method,
    path,
    code,
    status: code - 1000,
    message: code === 1404 ? /\/docs/ : /Use one of/,
    recordedFor: "nobody",
  });
  runScenarios(app, [
    unrecorded("nothing lies at the root", "GET", "/", 1404),
    unrecorded("nothing lies outside the table", "GET", "/v1/nothing", 1404),
    unrecorded("another version does not exist", "GET", "/v2/memories", 1404),
    unrecorded("a slash at the end is another address", "GET", "/v1/memories/", 1404),
    unrecorded("PATCH is not allowed on a collection", "PATCH", "/v1/memories", 1405),
    unrecorded("PATCH is not allowed on a memory", "PATCH", "/v1/memories/x", 1405),
    unrecorded("POST is not allowed on a page", "POST", "/docs", 1405),
  ]);

  test("a doubled slash is another address", async () => {
    const reply = await sendRaw(port, head("DELETE", "//v1/memories", apiKey), "\r\n");
    expect(reply).toMatchObject({ status: 404, code: 1404 });
  });

  test("a path is taken as it was sent, or nothing is there", async () => {
    const { id } = (
      await app.call("POST", "/v1/memories", { body: { content: "Kept.", memory_type: "fact" } })
    ).data;
    for (const path of [
      "/v1/memories/../memories",
      "/v1/memories/%2e%2e/memories",
      "/v1/memories/.%2E/memories",
      "/v1/memories/x/../../memories",
      "/v1/./memories",
      "/v1\\memories",
      "/v1/memories\\..\\memories",
      "/../v1/memories",
      "/v1/memories/..",
      "/v1/memories/.",
      "/v1/memories/%2e",
      "/v1/memories/a\\b",
      `/v1/memories/x/../${id}`,
      "/v1/audit/logs/export/../download",
      "/v1/memories#fragment",
      "http://localhost/v1/memories/../memories",
      "/v1/mem%6fries",
      "/V1/memories",
    ]) {
      for (const method of ["DELETE", "GET"]) {
        const before = app.countRecords(projectId);
        const reply = await sendRaw(port, head(method, path, apiKey), "\r\n");
        expect({ method, path, code: reply.code }).toEqual({ method, path, code: 1404 });
        expect(app.countRecords(projectId)).toBe(before);
      }
    }
    expect((await app.call("GET", `/v1/memories/${id}`)).status).toBe(200);
  });

  test("a path may come with the server's name before it, as RFC 9112 asks, and dots in its query", async () => {
    for (const path of ["http://localhost/v1/memories", "/v1/memories?memory_type=fact", "/v1/memories?"]) {
      expect((await sendRaw(port, head("GET", path, apiKey), "\r\n")).code).toBe(1000);
    }
    const reply = await sendRaw(port, head("GET", "/v1/memories?x=/../../y", apiKey), "\r\n");
    expect(reply.code).toBe(1000);
  });

  test("an unknown address needs no key", async () => {
    expect(await app.call("GET", "/v1/nothing", { key: null })).toMatchObject({ status: 404, code: 1404 });
  });

  test("405 lists what is allowed, and so does OPTIONS", async () => {
    const refused = await app.call("PATCH", "/v1/memories", { key: null });
    expect(refused.headers.get("allow")).toBe("POST, GET, HEAD, DELETE");
    const options = await app.call("OPTIONS", "/v1/memories/x", { key: null });
    expect(options.status).toBe(204);
    expect(options.headers.get("allow")).toBe("GET, HEAD, PUT, DELETE");
  });

  test("HEAD is GET without the body", async () => {
    const reply = await app.call("HEAD", "/v1/memories");
    expect(reply).toMatchObject({ status: 200, text: "" });
    expect(Number(reply.headers.get("content-length"))).toBeGreaterThan(100);
    expect(app.records(projectId).at(-1)).toMatchObject({ action: "memory.list", status: 200 });
  });

  test("a host of one letter is not taken for a part of the path", async () => {
    const named = await startTestApp({ "allowed-hosts": "m" });
    const request = `GET /v1/memories HTTP/1.1\r\nHost: m\r\nAuthorization: Bearer ${named.apiKey}\r\n\r\n`;
    expect(await sendRaw(named.port, request)).toMatchObject({ status: 200, code: 1000 });
    await named.stop();
  });

  test("a missing or malformed Host is refused in words", async () => {
    for (const request of ["GET /v1/memories HTTP/1.0\r\n\r\n", "GET / HTTP/1.1\r\nHost: a b/c?d\r\n\r\n"]) {
      const reply = await sendRaw(port, request);
      expectClean(reply, "GET", "/");
      expect(reply).toMatchObject({ status: 400, code: 1400 });
    }
  });
});

describe("pages without a key", () => {
  test("health answers in envelopes", async () => {
    for (const [path, status] of [
      ["/health/live", "live"],
      ["/health/ready", "ready"],
    ] as const) {
      const reply = await app.call("GET", path, { key: null });
      expectClean(reply, "GET", path);
      expect(reply).toMatchObject({ status: 200, code: 1000, data: { status } });
    }
  });

  test("the OpenAPI document is served", async () => {
    const response = await fetch(`${app.url}/openapi.json`, { redirect: "error" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ openapi: "3.1.0", info: { title: "memledger" } });
  });

  test("the reference page asks nobody but this server", async () => {
    const response = await fetch(`${app.url}/docs`, { redirect: "error" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(response.headers.get("content-security-policy")).not.toMatch(/https?:|\*|unsafe-eval/);
    expect(response.headers.get("x-dns-prefetch-control")).toBe("off");
    const html = await response.text();
    expect(html).not.toMatch(/https?:\/\//);
    const script = /src="([^"]+)"/.exec(html)?.[1] ?? "";
    const bundle = await fetch(`${app.url}${script}`);
    expect(bundle.headers.get("content-encoding")).toBe("gzip");
    expect(bundle.headers.get("cache-control")).toContain("max-age");
    expect((await bundle.text()).length).toBeGreaterThan(1_000_000);
  });
});

describe("the caller's origin", () => {
  test("is recorded: IPv4 as IPv4, and a user agent cut to size", async () => {
    await app.call("GET", "/v1/memories", { headers: { "User-Agent": `x${"é".repeat(3_000)}` } });
    const payload = app.records(projectId).at(-1)?.payload;
    expect(payload?.ip_address).toBe("127.0.0.1");
    expect(payload?.user_agent).toBe(`x${"é".repeat(1_023)}`);
  });

  test("two Authorization headers are refused, even when both hold the same valid key", async () => {
    for (const second of [apiKey, "ml_other"]) {
      const request = `${head("GET", "/v1/memories", apiKey)}Authorization: Bearer ${second}\r\n\r\n`;
      const reply = await sendRaw(port, request);
      expectClean(reply, "GET", "/v1/memories");
      expect(reply).toMatchObject({ status: 401, code: 1401 });
      expect(reply.headers.get("www-authenticate")).toBe("Bearer");
    }
  });

  test("malformed keys are refused and nothing of them is kept", async () => {
    const malformed = [
      "",
      "Bearer",
      "Bearer ",
      apiKey,
      `Basic ${apiKey}`,
      `Bearer ${apiKey}x`,
      "Bearer ml_é",
    ];
    for (const value of [...malformed, `Bearer ${apiKey} ${apiKey}`, `Bearer ${apiKey.slice(0, -1)}`]) {
      app.passTime(1_000);
      const reply = await app.call("GET", "/v1/memories", { key: null, headers: { Authorization: value } });
      expectClean(reply, "GET", "/v1/memories");
      expect(reply).toMatchObject({ status: 401, code: 1401 });
    }
    expect(JSON.stringify(app.records(null))).not.toContain(apiKey.slice(3));
  });

  test("the scheme's case does not matter", async () => {
    const headers = { Authorization: `bEARER ${apiKey}` };
    expect((await app.call("GET", "/v1/memories", { key: null, headers })).status).toBe(200);
  });
});

describe("bodies that are too large", () => {
  const large = "x".repeat(2 * 1024 * 1024);
  const post = `${head("POST", "/v1/memories", apiKey)}Content-Type: application/json\r\n`;
  const chunk = `${(64 * 1024).toString(16)}\r\n${"x".repeat(64 * 1024)}\r\n`;
  const ways: [name: string, send: () => ReturnType<typeof sendRaw>][] = [
    ["with a length", () => sendRaw(port, `${post}Content-Length: ${large.length}\r\n\r\n`, large)],
    ["announced and never sent", () => sendRaw(port, `${post}Content-Length: ${large.length}\r\n\r\n`)],
    [
      "chunked",
      () =>
        sendRaw(
          port,
          `${post}Transfer-Encoding: chunked\r\n\r\n`,
          ...Array<string>(32).fill(chunk),
          "0\r\n\r\n",
        ),
    ],
    [
      "chunked without an end",
      () => sendRaw(port, `${post}Transfer-Encoding: chunked\r\n\r\n`, chunk.repeat(20)),
    ],
    ["through fetch", () => app.call("POST", "/v1/memories", { body: large })],
  ];
  for (const [name, send] of ways) {
    test(`${name} are answered with 1413 and recorded without a body`, async () => {
      const before = app.countRecords(projectId);
      const reply = await send();
      expectClean(reply, "POST", "/v1/memories");
      expect(reply).toMatchObject({ status: 413, code: 1413, data: { limit_bytes: bodyMaxBytes } });
      const [record, ...more] = app.records(projectId, before);
      expect(more).toEqual([]);
      expect(record).toMatchObject({ action: "memory.create", status: 413 });
      expect(record?.payload).not.toContainAnyKeys(["request_body", "unreadable_body"]);
    });
  }

  test("a body of exactly the limit reaches validation, one byte more does not", async () => {
    const body = (length: number) => `{"x":"${"x".repeat(length - 8)}"}`;
    expect(await app.call("POST", "/v1/memories", { body: body(bodyMaxBytes) })).toMatchObject({
      code: 1400,
    });
    expect(await app.call("POST", "/v1/memories", { body: body(bodyMaxBytes + 1) })).toMatchObject({
      code: 1413,
    });
  });

  test("a client that hangs up in the middle of its body disturbs nobody", async () => {
    const request = `${post}Content-Length: 100\r\n\r\n{"content":`;
    await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        open(socket) {
          socket.write(request);
          socket.flush();
          setTimeout(() => socket.terminate(), 20);
        },
        data() {},
      },
    });
    await Bun.sleep(60);
    expect((await app.call("GET", "/v1/memories")).status).toBe(200);
  });
});

describe("what the server of Bun cannot do, as docs/user/API.md says", () => {
  const request = `${head("GET", "/v1/memories", apiKey)}\r\n`;

  test("one request after another on a connection is answered", async () => {
    const connection = openRaw(port);
    for (let call = 0; call < 3; call++) {
      connection.send(request);
      expect((await connection.next()).status).toBe(200);
    }
    connection.close();
  });

  test("a request that comes before the answer to the one before closes the connection", async () => {
    const connection = openRaw(port);
    connection.send(request + request);
    await expect(connection.next()).rejects.toThrow("closed after 0 bytes");
  });

  test("a client that closes its half before the answer gets none", async () => {
    const connection = openRaw(port);
    connection.send(request);
    connection.halfClose();
    await expect(connection.next()).rejects.toThrow("closed after 0 bytes");
  });
});

test("a server that stops finishes the calls that run and takes no more", async () => {
  const [allRun, isStopping] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let runningCalls = 0;
  const leaving = await startTestApp({}, undefined, async (call, commit) => {
    if (call.operation === "memory.create" && ++runningCalls === 8) allRun.resolve();
    if (call.operation === "memory.create") await isStopping.promise;
    return commit(call);
  });
  const running = Array.from({ length: 8 }, (_, index) =>
    leaving.call("POST", "/v1/memories", { body: { content: `Text ${index}.`, memory_type: "fact" } }),
  );
  await allRun.promise;
  const stopped = leaving.stop();
  isStopping.resolve();
  await stopped;
  const outcomes = await Promise.allSettled(running);
  const statuses = outcomes.map((outcome) => (outcome.status === "fulfilled" ? outcome.value.status : 0));
  expect(statuses).toEqual(Array(8).fill(201));
  expect(await leaving.call("GET", "/health/live").catch(() => "closed")).toBe("closed");
});

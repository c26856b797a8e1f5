// Plays DNS rebinding: a web page whose name was given the address of this server sends requests through the browser of a user.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createWebPageCheck } from "../../../src/transports/http/network/web-page-check.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { post, rpc } from "../mcp/clients.ts";
import { openRaw } from "./raw.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.stop());

describe("the attack on a server of this machine", () => {
  const attack = (headers: Readonly<Record<string, string>>, key: string | null = app.apiKey) =>
    post(app.url, key, rpc("tools/list"), headers);
  const host = () => `evil.example:${app.port}`;

  test.each<[string, () => Readonly<Record<string, string>>, string]>([
    ["with the name of the page as Host", () => ({ Host: host(), Origin: `http://${host()}` }), "Host"],
    ["with that name alone, as same-origin requests may send", () => ({ Host: host() }), "Host"],
    ["with a right Host and the Origin of the page", () => ({ Origin: "http://evil.example" }), "Origin"],
    ["from a page without an origin", () => ({ Origin: "null" }), "Origin"],
    ["with a name that begins like this machine's", () => ({ Host: "localhost.evil.example" }), "Host"],
    ["with a number that looks like this machine's", () => ({ Host: "127.0.0.1.evil.example" }), "Host"],
    [
      "from an origin that begins like this machine's",
      () => ({ Origin: "http://localhost.evil.example" }),
      "Origin",
    ],
    ["from an extension", () => ({ Origin: "chrome-extension://abcdefghijklmnop" }), "Origin"],
    ["from a file that calls itself localhost", () => ({ Origin: "file://localhost" }), "Origin"],
  ])("%s is refused before the key is looked at", async (_, headers, named) => {
    const before = app.countRecords(null);
    for (const key of [app.apiKey, null]) {
      const { status, json } = await attack(headers(), key);
      expect(status).toBe(403);
      expect(json).toMatchObject({
        jsonrpc: "2.0",
        id: null,
        error: { message: expect.stringContaining(`The header ${named}`) },
      });
    }
    expect(app.countRecords(null)).toBe(before);
  });

  test.each<[string, () => Readonly<Record<string, string>>]>([
    ["by its address", () => ({ Host: `127.0.0.1:${app.port}` })],
    ["by its name", () => ({ Host: `localhost:${app.port}` })],
    ["by its IPv6 address", () => ({ Host: `[::1]:${app.port}` })],
    ["from a page of this machine", () => ({ Origin: "http://localhost:6274" })],
  ])("a program that reaches it %s is served", async (_, headers) => {
    expect((await attack(headers())).status).toBe(200);
  });

  test.each(["/v1/memories", "/v1/nothing", "/health/live", "/docs", "/openapi.json"])(
    "is refused at %s too, with and without a key, and without a record",
    async (path) => {
      const before = [app.countRecords(null), app.countRecords(app.projectId)];
      for (const method of ["GET", "DELETE", "OPTIONS"]) {
        for (const key of [app.apiKey, null]) {
          for (const name of [
            host(),
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example:80",
          ]) {
            const reply = await app.call(method, path, { key, headers: { Host: name } });
            expect([reply.status, reply.code]).toEqual([403, 1421]);
            expect(reply.message).toStartWith(
              `The header Host names "${name}", which is not a name of this server.`,
            );
            expect(reply.headers.has("access-control-allow-origin")).toBe(false);
          }
        }
      }
      expect([app.countRecords(null), app.countRecords(app.projectId)]).toEqual(before);
    },
  );

  test.each(["127.0.0.1", "127.1.2.3:9", "localhost:1", "LOCALHOST", "[::1]:80", "127.1"])(
    "programs may name this machine %s",
    async (name) => {
      expect((await app.call("GET", "/v1/memories", { headers: { Host: name } })).status).toBe(200);
    },
  );

  test.each([
    "a b",
    "localhost/",
    "localhost@evil.example",
    "localhost,evil.example",
    "[::1",
    "localhost#x",
    "",
  ])("the Host %p is refused, and the connection can be used again", async (name) => {
    const connection = openRaw(app.port);
    connection.send(`GET /health/live HTTP/1.1\r\nHost: ${name}\r\n\r\n`);
    const { status, code } = await connection.next();
    expect([400, 403]).toContain(status);
    expect([null, 1400, 1403, 1421]).toContain(code);
    connection.close();
  });

  test("other origins are served with a key, and get no permission to read the answer", async () => {
    const response = await app.call("GET", "/v1/memories", { headers: { Origin: "http://evil.example" } });
    expect(response.status).toBe(200);
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-control"))).toEqual([]);
    expect(response.headers.has("vary")).toBe(false);
  });
});

test("a name of the operator, and a trusted proxy with any name, are served", async () => {
  const named = await startTestApp({ "allowed-hosts": "memory.example.com,m" });
  for (const [name, status] of [
    ["memory.example.com", 200],
    ["m", 200],
    ["other.example.com", 403],
  ] as const)
    expect((await named.call("GET", "/v1/memories", { headers: { Host: name } })).status).toBe(status);
  await named.stop();
  const behind = await startTestApp({ "trusted-proxies": "127.0.0.1" });
  const headers = { Host: "memory.example.com", "X-Forwarded-For": "192.0.2.1" };
  expect((await behind.call("GET", "/v1/memories", { headers })).status).toBe(200);
  // The check of /mcp is the one that the protocol asks for, also behind a proxy.
  expect((await post(behind.url, behind.apiKey, rpc("tools/list"), headers)).status).toBe(403);
  await behind.stop();
});

describe("the check", () => {
  const check = (hostname: string, allowedHosts: string[] = [], allowedOrigins: string[] = []) => {
    const { hostFault, originFault } = createWebPageCheck({ hostname, allowedHosts, allowedOrigins });
    return (sent: Record<string, string>) => {
      const headers = new Headers(sent);
      return hostFault(headers) === null && originFault(headers) === null;
    };
  };

  test("on all addresses asks for no Host, because a proxy or a container has names of its own, but for an Origin", () => {
    const accepts = check("0.0.0.0");
    expect(accepts({ Host: "memory.example.com" })).toBe(true);
    expect(accepts({ Host: "memory.example.com", Origin: "https://memory.example.com" })).toBe(false);
    expect(accepts({ Host: "evil.example", Origin: "http://evil.example" })).toBe(false);
  });

  test("accepts the names and origins that the operator allows, and no others", () => {
    const accepts = check("0.0.0.0", ["Memory.Example.com"], ["https://chat.example.com"]);
    expect(accepts({ Host: "memory.example.com:8420" })).toBe(true);
    expect(accepts({ Host: "localhost" })).toBe(true);
    expect(accepts({ Host: "other.example.com" })).toBe(false);
    expect(accepts({ Host: "memory.example.com", Origin: "https://chat.example.com" })).toBe(true);
    expect(accepts({ Host: "memory.example.com", Origin: "http://chat.example.com" })).toBe(false);
    expect(accepts({ Host: "memory.example.com", Origin: "https://chat.example.com:8443" })).toBe(false);
  });

  test("treats every address of this machine as such", () => {
    for (const hostname of ["127.0.0.1", "127.0.0.2", "localhost", "::1"]) {
      expect(check(hostname)({ Host: "evil.example" })).toBe(false);
      expect(check(hostname)({ Host: "127.0.0.3:80" })).toBe(true);
    }
    expect(check("127.0.0.1")({})).toBe(false);
    expect(check("127.0.0.1")({ Host: "local host" })).toBe(false);
  });
});

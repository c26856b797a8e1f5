// Plays DNS rebinding: a web page whose name was given the address of this server sends requests through the browser of a user.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createWebPageCheck } from "../../../src/transports/http/web-page-check.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { post, rpc } from "../mcp/clients.ts";

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

  test("is still without a key: the other routes serve any Host, and need one, too", async () => {
    const response = await fetch(`${app.url}/v1/memories`, {
      headers: { Host: host(), Origin: `http://${host()}` },
    });
    expect(response.status).toBe(401);
    expect(response.headers.has("access-control-allow-origin")).toBe(false);
  });
});

describe("the check", () => {
  const check = (hostname: string, allowedHosts: string[] = [], allowedOrigins: string[] = []) => {
    const fault = createWebPageCheck({ hostname, allowedHosts, allowedOrigins });
    return (headers: Record<string, string>) => fault(new Headers(headers)) === null;
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

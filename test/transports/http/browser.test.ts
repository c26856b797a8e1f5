// What browsers are told: security headers on every answer, and CORS for the configured origins only.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { exportAll, send } from "../../audit/export/exporting.ts";
import { createAuthority, issue } from "../../certificates.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";
import { post, rpc } from "../mcp/clients.ts";
import { sendRaw } from "./raw.ts";

const page = "https://chat.example.com";
let app: TestApp;
let open: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  open = await startTestApp({ "cors-origins": `${page},http://localhost:5173` });
});
afterAll(() => Promise.all([app.stop(), open.stop()]));

const secure = {
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin",
};

function expectSecure(headers: Headers, path: string): void {
  const found = Object.fromEntries(Object.keys(secure).map((name) => [name, headers.get(name)]));
  expect({ path, ...found }).toEqual({ path, ...secure });
  const policy = headers.get("content-security-policy") ?? "";
  expect(policy).toContain("default-src 'none'");
  expect(policy).toContain("frame-ancestors 'none'");
  expect(headers.get("cache-control")).not.toBeNull();
  expect(headers.has("strict-transport-security")).toBe(false);
}

test("every answer has the security headers", async () => {
  const get = (path: string, key: string | null = app.apiKey, method = "GET") => ({ path, key, method });
  for (const { path, key, method } of [
    get("/v1/memories"),
    get("/v1/memories", null),
    get("/v1/memories?x=1"),
    get("/v1/memories/x"),
    get("/v1/memories", app.apiKey, "PATCH"),
    get("/v1/nothing"),
    get("/health/live", null),
    get("/health/ready", null),
    get("/v1/audit/logs"),
  ])
    expectSecure((await app.call(method, path, { key })).headers, path);
  for (const path of ["/docs", "/docs/handbook", "/docs/handbook/api", "/openapi.json", "/docs/reference.js"])
    expectSecure((await fetch(`${app.url}${path}`)).headers, path);
  expectSecure(
    (await app.call("GET", "/health/live", { headers: { Host: "evil.example" } })).headers,
    "Host",
  );
  expectSecure((await sendRaw(app.port, "GET / HTTP/1.0\r\n\r\n")).headers, "no Host");
  const { headers } = await fetch(`${app.url}/mcp`, {
    method: "POST",
    headers: {
      Authorization: `Bearer ${app.apiKey}`,
      Accept: "application/json, text/event-stream",
      "Content-Type": "application/json",
    },
    body: JSON.stringify(rpc("tools/list")),
  });
  expectSecure(headers, "/mcp");
});

test("an export file has them, too", async () => {
  const target = { url: app.url, key: app.apiKey };
  const { id } = await exportAll(target);
  const path = `/v1/audit/logs/export/${id}/download`;
  expectSecure((await send(target, "GET", path)).headers, path);
});

test("only a server with TLS for other machines forbids calls without TLS", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-browser-"));
  const own = issue(folder, createAuthority(folder), "own");
  const ca = await Bun.file(join(folder, "authority.pem")).text();
  const flags = { "tls-cert": own.certificate, "tls-key": own.key };
  for (const [host, expected] of [
    ["127.0.0.1", null],
    ["0.0.0.0", "max-age=31536000"],
  ] as const) {
    const served = await startTestApp({ ...flags, host });
    const { headers } = await fetch(`https://127.0.0.1:${served.port}/health/live`, { tls: { ca } });
    expect([host, headers.get("strict-transport-security")]).toEqual([host, expected]);
    // A browser would apply it to every other server on localhost.
    const local = await fetch(`https://localhost:${served.port}/health/live`, { tls: { ca } });
    expect([host, local.status, local.headers.get("strict-transport-security")]).toEqual([host, 200, null]);
    await served.stop();
  }
  rmSync(folder, { recursive: true });
});

describe("CORS", () => {
  const preflight = (origin: string, path = "/v1/memories", method = "POST") =>
    open.call("OPTIONS", path, {
      key: null,
      headers: {
        Origin: origin,
        "Access-Control-Request-Method": method,
        "Access-Control-Request-Headers": "authorization,content-type",
      },
    });
  const corsOf = (headers: Headers) =>
    Object.fromEntries([...headers].filter(([name]) => name.startsWith("access-control")));

  test("is off without configured origins", async () => {
    for (const method of ["OPTIONS", "GET"]) {
      const headers = { Origin: page, "Access-Control-Request-Method": "POST" };
      expect(corsOf((await app.call(method, "/v1/memories", { headers })).headers)).toEqual({});
    }
  });

  test("permits what the route allows, for the configured origins", async () => {
    for (const origin of [page, "http://localhost:5173"]) {
      const reply = await preflight(origin);
      expect([reply.status, reply.headers.get("vary")]).toEqual([204, "Origin"]);
      const cors = corsOf(reply.headers);
      expect(cors).toMatchObject({
        "access-control-allow-origin": origin,
        "access-control-allow-methods": "POST, GET, HEAD, DELETE",
        "access-control-max-age": "600",
      });
      expect(cors["access-control-allow-headers"]).toMatch(/^Authorization, Content-Type, X-Audit-Metadata,/);
      expect(cors).not.toContainKey("access-control-allow-credentials");
    }
    expect((await preflight(page, "/mcp")).headers.get("access-control-allow-methods")).toBe("POST");
  });

  test("lets the page read answers and refusals, and what it needs of their headers", async () => {
    for (const [key, status] of [
      [open.apiKey, 200],
      [null, 401],
    ] as const) {
      const reply = await open.call("GET", "/v1/memories", { key, headers: { Origin: page } });
      expect([reply.status, reply.headers.get("access-control-allow-origin")]).toEqual([status, page]);
      expect(reply.headers.get("access-control-expose-headers")).toContain("Retry-After");
      expect(reply.headers.has("access-control-allow-methods")).toBe(false);
    }
    const unknown = await open.call("GET", "/v1/nothing", { headers: { Origin: page } });
    expect([unknown.status, unknown.headers.get("access-control-allow-origin")]).toEqual([404, page]);
    const mcp = await post(open.url, open.apiKey, rpc("tools/list"), { Origin: page });
    expect(mcp.status).toBe(200);
  });

  test.each([
    "https://evil.example",
    "http://chat.example.com",
    "https://chat.example.com:8443",
    "https://chat.example.com.evil.example",
    "https://sub.chat.example.com",
    "https://chat.example.com/",
    "https://chat.example.com, https://evil.example",
    "null",
    "*",
    "",
  ])("permits nothing to %p", async (origin) => {
    for (const reply of [
      await preflight(origin),
      await open.call("GET", "/v1/memories", { headers: { Origin: origin } }),
    ]) {
      expect(corsOf(reply.headers)).toEqual({});
      expect(reply.headers.get("vary")).toBe("Origin");
    }
  });

  test("many preflights leave no record, no line in the log, and no other answer", async () => {
    const before = open.countRecords(null);
    const replies = await Promise.all(
      Array.from({ length: 500 }, () => preflight("https://evil.example", "/v1/memories/x")),
    );
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([204]));
    expect(open.countRecords(null)).toBe(before);
  });

  test.each(["*", "https://a.example/path", "a.example", "null", "https://user@a.example"])(
    "the origin %p is refused by the configuration",
    async (origin) => {
      await expect(startTestApp({ "cors-origins": origin })).rejects.toThrow(
        `--cors-origins must be comma-separated origins, such as https://chat.example.com`,
      );
    },
  );
});

test("a page may use the gateway with the official client of an API", async () => {
  const asked = "authorization,x-api-key,anthropic-version,x-stainless-lang,memledger-memory";
  const preflight = await open.call("OPTIONS", "/v1/messages", {
    key: null,
    headers: {
      Origin: page,
      "Access-Control-Request-Method": "POST",
      "Access-Control-Request-Headers": asked,
    },
  });
  expect(preflight.status).toBe(204);
  const allowed = (preflight.headers.get("access-control-allow-headers") ?? "").toLowerCase().split(", ");
  expect(allowed).toEqual(expect.arrayContaining(asked.split(",")));
  const refused = await open.call("POST", "/v1/messages", {
    key: null,
    body: {},
    headers: { Origin: page, "x-api-key": open.apiKey },
  });
  expect(refused.headers.get("access-control-allow-origin")).toBe(page);
  expect(refused.headers.get("access-control-expose-headers")).toContain("Memledger-Record");
  expect(refused.headers.get("memledger-record")).toMatch(/^[0-9a-f]{32}$/);
  expectSecure(refused.headers, "/v1/messages");
});

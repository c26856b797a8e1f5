// Attacks the sessions of the console with what a page of another origin, a rebound name and a thief can send to a real server.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Address, addresses } from "../../../../src/console/addresses.ts";
import { signInAddress, signInPath } from "../../../../src/transports/http/console/sign-in-address.ts";
import { startTestApp, type TestApp } from "../../../fixture.ts";
import { type Browser, cookieOf, newLink, request, sessionPath, signIn } from "./signed-in.ts";

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startTestApp();
  browser = await signIn(app);
});
afterAll(() => app.stop());

const project = () => ({ "Memledger-Project": app.projectId });
const fact = { content: "A forged fact.", memory_type: "fact" };
const administration = "/console/api/administration/project.create";

describe("a request that another page has the browser send", () => {
  const methods = [
    ["POST", "/v1/memories"],
    ["DELETE", "/v1/memories"],
    ["PUT", `/v1/memories/${"0".repeat(32)}`],
    ["GET", "/v1/memories"],
    ["POST", administration],
    ["DELETE", sessionPath],
  ] as const;
  const forgeries: readonly (readonly [string, Readonly<Record<string, string>>])[] = [
    ["without the token", { "Memledger-Request-Token": "" }],
    ["with the token of nobody", { "Memledger-Request-Token": "0".repeat(64) }],
    ["with the token of another length", { "Memledger-Request-Token": "x" }],
    ["of another site", { "Sec-Fetch-Site": "cross-site" }],
    ["of another name below the same site", { "Sec-Fetch-Site": "same-site" }],
    ["of another origin", { Origin: "https://evil.example", "Sec-Fetch-Site": "" }],
    ["of a sandboxed frame", { Origin: "null", "Sec-Fetch-Site": "" }],
    ["of another port of this host", { Origin: "http://127.0.0.1:1", "Sec-Fetch-Site": "" }],
    ["of the same host without TLS or with it", { Origin: "https://127.0.0.1", "Sec-Fetch-Site": "" }],
  ];

  test.each(methods.flatMap(([method, path]) => forgeries.map((each) => [method, path, ...each] as const)))(
    "%s %s %s is refused, and nothing is recorded or read",
    async (method, path, _how, headers) => {
      // A same-origin GET without a token is permitted: a link that downloads.
      if (method === "GET" && headers["Memledger-Request-Token"] === "") return;
      const before = [app.countRecords(app.projectId), app.countRecords(null)];
      const body = method === "POST" || method === "PUT" ? { body: fact } : {};
      const reply = await browser.send(method, path, { ...body, headers: { ...project(), ...headers } });
      expect([reply.status, reply.code]).toEqual([403, 1403]);
      expect([app.countRecords(app.projectId), app.countRecords(null)]).toEqual(before);
    },
  );

  test("in the forms that need no preflight is refused", async () => {
    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
    ]) {
      const headers = {
        ...project(),
        "Content-Type": type,
        "Memledger-Request-Token": "",
        "Sec-Fetch-Site": "",
      };
      const reply = await browser.send("POST", "/v1/memories", { body: JSON.stringify(fact), headers });
      expect(reply.code).toBe(1403);
    }
  });

  test("signs nobody in", async () => {
    const link = await newLink(app);
    for (const headers of [{ Origin: "https://evil.example" }, { "Sec-Fetch-Site": "cross-site" }]) {
      const reply = await request(app, "POST", sessionPath, { body: { link }, headers });
      expect([reply.code, reply.headers.getSetCookie()]).toEqual([1403, []]);
    }
    const typed = { "Content-Type": "text/plain" };
    const reply = await request(app, "POST", sessionPath, { body: JSON.stringify({ link }), headers: typed });
    expect(reply.code).toBe(1415);
    expect((await request(app, "POST", sessionPath, { body: { link } })).status).toBe(201);
  });

  test("may not be readable by it", async () => {
    const headers = { Origin: "https://evil.example" };
    const reply = await request(app, "GET", sessionPath, { headers: { ...headers, Cookie: browser.cookie } });
    expect(reply.code).toBe(1403);
    expect(reply.headers.get("access-control-allow-origin")).toBeNull();
    expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
  });
});

describe("a name that was rebound to this server", () => {
  test.each([["GET"], ["POST"], ["DELETE"]])("is no name of it: %s", async (method) => {
    const headers = { Host: `evil.example:${app.port}`, Origin: `http://evil.example:${app.port}` };
    const body = method === "POST" ? { body: { link: await newLink(app) } } : {};
    const reply = await browser.send(method, sessionPath, { ...body, headers });
    expect([reply.code, reply.headers.getSetCookie()]).toEqual([1421, []]);
    expect((await browser.send("GET", "/v1/memories", { headers: { ...project(), ...headers } })).code).toBe(
      1421,
    );
  });
});

describe("the secret of a session", () => {
  test("is accepted in the cookie only", async () => {
    const secret = browser.cookie.split("=")[1] ?? "";
    const headers = { ...project(), "Memledger-Request-Token": browser.session.request_token };
    for (const sent of [{ Authorization: `Bearer ${secret}` }, { "Memledger-Session": secret }, {}]) {
      const reply = await request(app, "GET", `/v1/memories?session=${secret}`, {
        headers: { ...headers, ...sent },
      });
      expect([401, 429, 1400]).toContain(reply.status === 400 ? 1400 : reply.status);
    }
    const mcp = await request(app, "POST", "/mcp", {
      body: {},
      headers: { ...headers, Cookie: browser.cookie },
    });
    expect([401, 429]).toContain(mcp.status);
  });

  test("does not follow from the token, and is in no answer", async () => {
    const shown = await browser.send("GET", sessionPath);
    expect(shown.text).not.toContain(browser.cookie.split("=")[1] ?? "");
    const forged = browser.cookie.replace(/=.*/, `=${browser.session.request_token}`);
    const reply = await request(app, "GET", sessionPath, { headers: { Cookie: forged } });
    expect([401, 429]).toContain(reply.status);
  });

  test("and that of a link are in no record", async () => {
    const link = await newLink(app);
    const { cookie } = await signIn(app, { link });
    await signIn(app, { key: app.apiKey });
    const records = JSON.stringify([...app.records(null), ...app.records(app.projectId)]);
    for (const secret of [link, cookie.split("=")[1] ?? "?", app.apiKey])
      expect(records).not.toContain(secret);
  });

  test("gives way to an API key that is sent with it", async () => {
    const { key } = await app.createProject("custom");
    const headers = { Cookie: browser.cookie, Authorization: `Bearer ${key}` };
    expect((await request(app, "GET", "/v1/memories", { headers })).status).toBe(200);
  });
});

describe("records", () => {
  test("of signing in are on the chain of the project for a key, and of the installation for an administrator", async () => {
    const { id, key } = await app.createProject("custom");
    const member = await signIn(app, { key }, { "User-Agent": "Example/1.0" });
    await member.send("DELETE", sessionPath);
    const [opened, closed] = app.records(id).filter(({ action }) => action.startsWith("session."));
    const origin = { transport: "console", ip_address: "127.0.0.1", user_agent: "Example/1.0" };
    expect(opened).toMatchObject({ action: "session.open", status: 201, payload: origin });
    expect(opened?.payload.session_id).toBe(member.session.id);
    expect(closed).toMatchObject({ action: "session.close", payload: { session_id: member.session.id } });
    const [administrator] = app
      .records(null)
      .filter(({ payload }) => payload.session_id === browser.session.id);
    expect(administrator).toMatchObject({ action: "session.open", payload: { os_uid: expect.any(Number) } });
  });

  test("of failed ones are limited, and say how many there were", async () => {
    app.passTime(3_600_000);
    const before = app.countRecords(null);
    const wrong = { link: `mlk_${"a".repeat(43)}` };
    const replies = [];
    for (let count = 0; count < 40; count++)
      replies.push(await request(app, "POST", sessionPath, { body: wrong }));
    const codes = replies.map(({ code }) => code);
    expect(codes.slice(0, 10)).toEqual(Array(10).fill(1401));
    expect(codes.slice(-10)).toEqual(Array(10).fill(1429));
    expect(app.countRecords(null) - before).toBeLessThan(20);
    const refused = app.records(null, before).filter(({ action }) => action === "session.open");
    expect(refused.map(({ payload }) => payload.ip_address)).toContain("127.0.0.1");
    // Somebody who has a valid link signs in all the same.
    await signIn(app);
  });
});

describe("what is sent to sign in", () => {
  test.each([
    ["nothing", undefined],
    ["no object", "[]"],
    ["not JSON", "{"],
    ["both", { link: "a", key: "b" }],
    ["neither", {}],
    ["a number", { key: 7 }],
    ["more", { key: "x", more: true }],
  ])("must be a link or a key: %s", async (_what, body) => {
    const reply = await request(app, "POST", sessionPath, {
      ...(body === undefined ? {} : { body }),
      headers: { "Content-Type": "application/json" },
    });
    expect(reply.code).toBe(1400);
  });

  test("is small", async () => {
    const reply = await request(app, "POST", sessionPath, { body: { key: "x".repeat(5_000) } });
    expect(reply.code).toBe(1413);
  });
});

test("the address of a link leads to the view that signs in, and has the secret in its fragment", () => {
  expect(signInPath).toBe(addresses["sign-in"].path);
  expect(signInAddress("http://0.0.0.0:8420", "mlk_x")).toBe("http://localhost:8420/console/sign-in#mlk_x");
  expect(signInAddress("https://[::]:8420", "mlk_x")).toBe("https://localhost:8420/console/sign-in#mlk_x");
});

describe("behind a proxy with TLS that is trusted", () => {
  let proxied: TestApp;
  beforeAll(async () => {
    proxied = await startTestApp({ "trusted-proxies": "127.0.0.1", host: "127.0.0.1" });
  });
  afterAll(() => proxied.stop());
  const forwarded = {
    Host: "memory.example.com",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-For": "203.0.113.9",
  };

  test("the cookie is bound to the host and to TLS, and the origin is that of the browser", async () => {
    const origin = { ...forwarded, Origin: "https://memory.example.com" };
    const body = { link: await newLink(proxied) };
    const reply = await request(proxied, "POST", sessionPath, { body, headers: origin });
    expect(reply.status).toBe(201);
    const [cookie] = reply.headers.getSetCookie();
    expect(cookie).toMatch(
      /^__Host-memledger_session=mls_[0-9A-Za-z]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
    );
    const headers = { ...origin, Cookie: cookieOf(reply) };
    expect((await request(proxied, "GET", sessionPath, { headers })).status).toBe(200);
    const insecure = { ...headers, "X-Forwarded-Proto": "http" };
    expect((await request(proxied, "GET", sessionPath, { headers: insecure })).code).toBe(1403);
  });

  test("a proxy that is not trusted cannot say so", async () => {
    const headers = { "X-Forwarded-Proto": "https", Origin: `https://127.0.0.1:${app.port}` };
    const reply = await request(app, "POST", sessionPath, { body: { link: await newLink(app) }, headers });
    expect([reply.code, reply.message.includes("--trusted-proxies")]).toEqual([1403, true]);
  });
});

const consoleRequests: readonly (readonly [method: string, path: string])[] = [
  ...[
    "/console",
    "/console/verifier.html",
    ...Object.values<Address>(addresses).map(({ path }) => path),
    ...["session", "events", "settings", "connections", "key-changes"].map((name) => `/console/api/${name}`),
  ].map((path) => ["GET", path] as const),
  ["POST", sessionPath],
  ["DELETE", sessionPath],
  ["POST", "/console/api/administration/project.list"],
];

test("a server with --console false has no console, and accepts no cookie", async () => {
  const without = await startTestApp({ console: "false" });
  try {
    for (const [method, path] of consoleRequests) {
      const [there, absent] = await Promise.all(
        [app, without].map(({ url }) => fetch(`${url}${path}`, { method, redirect: "manual" })),
      );
      expect([path, there?.status]).not.toEqual([path, 404]);
      expect([path, absent?.status]).toEqual([path, 404]);
    }
    const headers = { Cookie: `memledger_session_${without.port}=mls_${"a".repeat(43)}` };
    expect((await request(without, "GET", "/v1/memories", { headers })).message).toContain("Authorization");
  } finally {
    await without.stop();
  }
});

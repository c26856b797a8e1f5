// Sends the console what a browser, a page of another site or a broken proxy can send besides plain forgeries: headers that say two things,
// typed addresses, huge and malformed queries, rebound names on every route, and records whose texts try to become something else.

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { startTestApp, type TestApp } from "../../../fixture.ts";
import { type Browser, request, signIn } from "./signed-in.ts";

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startTestApp({ "cors-origins": "https://app.example" });
  browser = await signIn(app);
});
afterAll(() => app.stop());

const eventsPath = "/console/api/events";
const ofConsole = [
  eventsPath,
  "/console/api/settings",
  "/console/api/connections",
  "/console/api/key-changes",
];
const project = () => ({ "Memledger-Project": app.projectId });
const withoutToken = { "Memledger-Request-Token": "", Origin: "" };

describe("a GET with the cookie and without a token", () => {
  test.each([
    ["typed as an address", { "Sec-Fetch-Site": "none" }],
    ["of a browser that does not say where it comes from", { "Sec-Fetch-Site": "" }],
    ["that says two things", { "Sec-Fetch-Site": "same-origin, cross-site" }],
    ["that says it in other letters", { "Sec-Fetch-Site": "Same-Origin" }],
    ["of a page that CORS permits", { "Sec-Fetch-Site": "", Origin: "https://app.example" }],
  ])("%s reads nothing", async (_how, headers) => {
    const before = app.countRecords(app.projectId);
    for (const path of ["/v1/memories", "/v1/audit/logs/export", "/v1/audit/checkpoint"]) {
      const sent = { ...project(), ...withoutToken, ...headers };
      const reply = await browser.send("GET", path, { headers: sent });
      expect([path, reply.status, reply.code]).toEqual([path, 403, 1403]);
      expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
    }
    expect(app.countRecords(app.projectId)).toBe(before);
  });

  test("is no other method, whatever a header says", async () => {
    const { data } = await browser.send("POST", "/v1/memories", {
      body: { content: "It stays.", memory_type: "fact" },
      headers: project(),
    });
    for (const name of ["X-HTTP-Method-Override", "X-Method-Override", "X-HTTP-Method"]) {
      const headers = { ...project(), ...withoutToken, [name]: "DELETE" };
      expect(
        (await browser.send("GET", `/v1/memories/${data.id}?_method=DELETE`, { headers })).status,
      ).toBeOneOf([200, 400]);
    }
    expect((await browser.send("GET", `/v1/memories/${data.id}`, { headers: project() })).status).toBe(200);
  });

  test("downloads a file that no browser takes for a page", async () => {
    await browser.send("POST", "/v1/memories", {
      body: { content: "<script>alert(1)</script>", memory_type: "fact" },
      headers: { ...project(), "User-Agent": '<img src=x onerror="alert(2)">' },
    });
    const begun = await browser.send("POST", "/v1/audit/logs/export", {
      body: { start_time: "2020-01-01", end_time: "2099-01-01", format: "csv" },
      headers: project(),
    });
    const path = `/v1/audit/logs/export/${begun.data.export_id}`;
    for (;;) {
      const { data } = await browser.send("GET", path, { headers: project() });
      if (data.status === "completed") break;
      await Bun.sleep(20);
    }
    for (const name of ["download", "manifest"]) {
      const response = await fetch(`${app.url}${path}/${name}`, {
        headers: { ...project(), Cookie: browser.cookie, "Sec-Fetch-Site": "same-origin" },
      });
      expect([name, response.status]).toEqual([name, 200]);
      expect(response.headers.get("x-content-type-options")).toBe("nosniff");
      expect(response.headers.get("content-type")).not.toContain("html");
      expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="?[\w.-]+"?$/);
      await response.body?.cancel();
    }
  });
});

describe("a page that CORS permits to use the API with a key", () => {
  test("cannot use the session of a person, nor read about it", async () => {
    const headers = { ...project(), Origin: "https://app.example", "Sec-Fetch-Site": "cross-site" };
    for (const [method, path] of [
      ["POST", "/v1/memories"],
      ["POST", "/console/api/administration/project.list"],
      ...ofConsole.map((each) => ["GET", each] as const),
    ] as const) {
      const body = method === "POST" ? { body: {} } : {};
      const reply = await browser.send(method, path, { ...body, headers });
      expect([path, reply.code]).toEqual([path, 1403]);
      expect(reply.headers.get("access-control-allow-credentials")).toBeNull();
    }
  });
});

test("a rebound name reaches no route of the console, not even its pages' data", async () => {
  for (const host of [`evil.example:${app.port}`, `127.0.0.1.evil.example:${app.port}`, "evil.example"])
    for (const path of [...ofConsole, "/console/api/session"]) {
      const reply = await browser.send("GET", path, { headers: { Host: host, Origin: "" } });
      expect([host, path, reply.code]).toEqual([host, path, 1421]);
    }
});

describe("the query of the event stream", () => {
  test.each([
    ["a long text", `?project=${"a".repeat(10_000)}`],
    ["bytes that are no text", "?project=%ff%fe"],
    ["an empty text", "?project="],
    ["a path", "?project=../../etc/passwd"],
    ["an id with more behind it", `?project=${"0".repeat(32)}%0a`],
    ["an id in capital letters", `?project=${"A".repeat(32)}`],
  ])("must be an id: %s", async (_what, query) => {
    const reply = await browser.send("GET", eventsPath + query);
    expect([reply.status, reply.code]).toEqual([400, 1400]);
  });

  test("that is larger than a request may be, and a huge Last-Event-ID, end no server", async () => {
    for (const [query, headers] of [
      [`?project=${"a".repeat(200_000)}`, {}],
      ["", { "Last-Event-ID": "9".repeat(200_000) }],
    ] as const) {
      const status = await browser.send("GET", eventsPath + query, { headers }).then(
        (reply) => reply.status,
        () => 0,
      );
      // The connection may be closed while the request is still sent.
      expect(status).toBeOneOf([0, 400, 413, 414, 431]);
    }
    expect((await browser.send("GET", "/console/api/session")).status).toBe(200);
  });
});

test("the session of a key is of its project, whatever project it names", async () => {
  const [own, other] = [await app.createProject("custom"), await app.createProject("custom")];
  await app.call("POST", "/v1/memories", {
    key: other.key,
    body: { content: "Of another project.", memory_type: "fact" },
  });
  const member = await signIn(app, { key: own.key });
  for (const named of [other.id, app.projectId, "0".repeat(32), "x".repeat(5_000), "../", "%00"]) {
    const reply = await member.send("GET", "/v1/memories", { headers: { "Memledger-Project": named } });
    expect(reply.text).not.toContain("Of another project.");
    if (reply.status === 200) expect(reply.data.memories).toEqual([]);
    else expect(reply.status).toBeOneOf([400, 403]);
  }
  expect((await member.send("GET", `${eventsPath}?project=${other.id}`)).code).toBe(1403);
});

test("what signs nobody in says nothing about what exists", async () => {
  const unknown = { link: `mlk_${"b".repeat(43)}` };
  const first = await request(app, "POST", "/console/api/session", { body: unknown });
  const second = await request(app, "POST", "/console/api/session", {
    body: { key: `ml_${"b".repeat(43)}` },
  });
  for (const { status, headers, text } of [first, second]) {
    expect(status).toBe(401);
    expect(headers.getSetCookie()).toEqual([]);
    expect(text).not.toContain("bbbb");
  }
});

// Tests that what proxies say about a client counts only from proxies that the operator trusts: in records, the log, limits and links.

import { afterAll, describe, expect, test } from "bun:test";
import { startTestApp } from "../../fixture.ts";

const claims = {
  "X-Forwarded-For": "203.0.113.9",
  "X-Real-IP": "203.0.113.9",
  "X-Client-IP": "203.0.113.9",
  "True-Client-IP": "203.0.113.9",
  "CF-Connecting-IP": "203.0.113.9",
  Forwarded: "for=203.0.113.9;host=evil.example;proto=https",
  "X-Forwarded-Host": "evil.example",
  "X-Forwarded-Proto": "https",
  "X-Forwarded-Port": "1",
  "X-Forwarded-Prefix": "/evil",
  "X-Original-URL": "/v1/audit/logs",
  "X-Rewrite-URL": "/v1/audit/logs",
  "X-HTTP-Method-Override": "DELETE",
};

describe("without a trusted proxy", async () => {
  const app = await startTestApp();
  afterAll(() => app.stop());
  const lastRecord = (project: string | null) => app.records(project).at(-1);

  test("records have the address of the connection", async () => {
    await app.call("GET", "/v1/memories", { headers: claims });
    expect(lastRecord(app.projectId)).toMatchObject({
      action: "memory.list",
      payload: { ip_address: "127.0.0.1" },
    });
  });

  test("no answer repeats them", async () => {
    for (const path of ["/v1/memories", "/docs", "/openapi.json", "/console/sign-in", "/health/live"]) {
      const response = await fetch(`${app.url}${path}`, { headers: claims, redirect: "manual" });
      expect((await response.text()) + JSON.stringify([...response.headers])).not.toMatch(/evil|203\.0\.113/);
    }
    const body = { start_time: new Date().toISOString().slice(0, 10), end_time: "2099-01-01" };
    const { data } = await app.call("POST", "/v1/audit/logs/export", { body, headers: claims });
    const path = `/v1/audit/logs/export/${data.export_id}`;
    const made = await app.call("GET", path, { headers: claims });
    expect(made.text).not.toMatch(/evil|https/);
    expect(made.headers.has("strict-transport-security")).toBe(false);
  });

  test("a client cannot evade the limit of calls without a key", async () => {
    const codes = new Set<number | null>();
    for (let at = 0; at < 30; at++) {
      const headers = { ...claims, "X-Forwarded-For": `203.0.113.${at}`, Forwarded: `for=203.0.113.${at}` };
      codes.add((await app.call("GET", "/v1/memories", { key: null, headers })).code);
    }
    expect([...codes].sort()).toEqual([1401, 1429]);
    expect(app.records(null).every(({ payload }) => payload.ip_address !== "203.0.113.1")).toBe(true);
  });
});

test("with one, the address is the one that it says, and nothing else", async () => {
  const app = await startTestApp({ "trusted-proxies": "127.0.0.1" });
  try {
    await app.call("GET", "/v1/memories", {
      headers: { ...claims, "X-Forwarded-For": "198.51.100.1, 203.0.113.7" },
    });
    expect(app.records(app.projectId).at(-1)?.payload.ip_address).toBe("203.0.113.7");
    const page = await fetch(`${app.url}/openapi.json`, { headers: claims });
    expect(await page.text()).not.toContain("evil");
  } finally {
    await app.stop();
  }
});

// Proves for every route who may call it: the refusals of keys, permissions, plans and rates, and what each leaves on the ledger.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { permissions } from "../../../src/access/key.ts";
import { revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { type Route, routes, takesBody } from "../../../src/transports/http/routes.ts";
import { type CallOptions, startTestApp } from "../../fixture.ts";
import { expectApiError, expectClean, runScenarios, type Scenario } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());
// Unauthenticated calls are recorded ten times a second at most, and the plan free allows five calls a second.
beforeEach(() => app.passTime(1_000));

const { projectId } = app;
const expired = await app.createKey(projectId, permissions, {
  expires_at: new Date(Date.now() + 60_000).toISOString(),
});
app.passTime(60_000);
const revoked = await app.createKey(projectId, permissions);
await app.administer(revokeKey, { key: revoked.id });
const free = await app.createProject("free");
const unsubscribed = await app.createProject("pro", { subscription: "expired" });
const someId = "019a2b3c4d5e7f708192a3b4c5d6e7f8";

function request({
  method,
  path,
  operation,
}: Route): Pick<Scenario, "method" | "path"> & { body: CallOptions } {
  const body = Object.entries(operation.example?.input ?? {}).filter(([name]) => !path.includes(`:${name}`));
  return {
    method,
    path: path.replace(/:\w+/, someId),
    body: takesBody({ method, path, operation }) ? { body: Object.fromEntries(body) } : {},
  };
}

const isExchange = ({ operation }: Route) => operation.exchange !== undefined;

describe.each(routes.filter(isExchange))("$operation.name", ({ method, path, operation }) => {
  test.each<[string, string | null, number, RegExp, string | null]>([
    ["without a key", null, 1401, /is missing/, null],
    ["with a key that nobody made", `ml_${"0".repeat(43)}`, 1401, /unknown or malformed/, null],
    ["with an expired key", expired.key, 1401, /expired/, projectId],
    ["with a revoked key", revoked.key, 1401, /revoked/, projectId],
    ["without the permission", "lacking", 1403, /gateway\.use/, projectId],
  ])("%s is refused in the form of its API, with a record", async (_, key, code, message, chain) => {
    const others = permissions.filter((each) => each !== operation.permission);
    const used = key === "lacking" ? (await app.createKey(projectId, others)).key : key;
    const before = app.countRecords(chain);
    const reply = await app.call(method, path, { key: used, ...(method === "POST" ? { body: {} } : {}) });
    expect(reply.status).toBe(code - 1_000);
    expect(expectApiError(reply)).toMatch(message);
    const [record, ...more] = app.records(chain, before);
    expect(more).toEqual([]);
    expect(record?.entry).toMatchObject({
      action: operation.name,
      code,
      id: reply.headers.get("memledger-record"),
    });
  });

  test("needs no subscription, because its memories need none", async () => {
    const reply = await app.call(method, path, {
      key: unsubscribed.key,
      ...(method === "POST" ? { body: {} } : {}),
    });
    expect([200, 400, 404]).toContain(reply.status);
  });
});

for (const route of routes.filter((each) => !isExchange(each))) {
  const { permission, name } = route.operation;
  const { body, ...target } = request(route);
  const others = permissions.filter((other) => other !== permission);
  const lacking = await app.createKey(projectId, others);
  const refused = (scenario: Omit<Scenario, "method" | "path">): Scenario => ({
    ...target,
    ...scenario,
    options: { ...body, ...scenario.options },
  });
  const unauthenticated = { status: 401, code: 1401 };

  describe(name, () => {
    runScenarios(app, [
      refused({
        name: "without a key",
        options: { key: null },
        ...unauthenticated,
        message: /header is missing/,
        recordedFor: null,
      }),
      refused({
        name: "with a key that nobody made",
        options: { key: `ml_${"0".repeat(43)}` },
        ...unauthenticated,
        message: /unknown or malformed/,
        recordedFor: null,
      }),
      refused({
        name: "with an expired key",
        options: { key: expired.key },
        ...unauthenticated,
        message: /expired/,
        recordedFor: projectId,
      }),
      refused({
        name: "with a revoked key",
        options: { key: revoked.key },
        ...unauthenticated,
        message: /revoked/,
        recordedFor: projectId,
      }),
      refused({
        name: `without the permission ${permission}`,
        options: { key: lacking.key },
        status: 403,
        code: 1403,
        data: { permission },
        recordedFor: projectId,
      }),
      // Every plan includes the feature of the gateway.
      ...(route.operation.feature === "gateway"
        ? []
        : [
            route.operation.feature === "memory"
              ? refused({
                  name: "on a plan without memory",
                  options: { key: free.key },
                  status: 403,
                  code: 2106,
                  message: /basic plan/,
                  recordedFor: free.id,
                })
              : refused({
                  name: "without a subscription",
                  options: { key: unsubscribed.key },
                  status: 403,
                  code: 2200,
                  message: /Ask the operator to renew it/,
                  recordedFor: unsubscribed.id,
                }),
          ]),
    ]);
  });
}

describe("the rate limit of a plan", () => {
  test("answers 1429 with Retry-After, leaves no record, and ends by itself", async () => {
    const project = await app.createProject("basic");
    const listing = () => app.call("GET", "/v1/memories", { key: project.key });
    const replies = await Promise.all(Array.from({ length: 120 }, listing));
    const limited = replies.filter(({ status }) => status === 429);
    expect(limited.length).toBeGreaterThanOrEqual(15);
    expect(replies.length - limited.length).toBeGreaterThanOrEqual(100);
    for (const reply of limited) {
      expectClean(reply, "GET", "/v1/memories");
      expect(reply.code).toBe(1429);
      expect(reply.headers.get("retry-after")).toBe("1");
    }
    expect(app.countRecords(project.id)).toBe(replies.length - limited.length);
    app.passTime(1_000);
    expect((await listing()).status).toBe(200);
  });

  test("does not exist on the plan custom", async () => {
    const listing = () => app.call("GET", "/v1/memories");
    const replies = await Promise.all(Array.from({ length: 300 }, listing));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
  });

  test("holds for unauthenticated calls, so nobody can fill the disk without a key", async () => {
    const before = app.countRecords(null);
    const callWithoutKey = () => app.call("GET", "/v1/memories", { key: null });
    const replies = await Promise.all(Array.from({ length: 50 }, callWithoutKey));
    const recorded = replies.filter(({ status }) => status === 401).length;
    expect(recorded).toBeGreaterThanOrEqual(10);
    expect(recorded).toBeLessThan(20);
    expect(replies.filter(({ status }) => status === 429).length).toBe(50 - recorded);
    expect(app.countRecords(null) - before).toBe(recorded + 1);
  });
});

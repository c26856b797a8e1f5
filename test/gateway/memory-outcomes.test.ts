// A request that should have had memory and had none is seen by the operator: in the metrics, in the log, and in a warning of the console.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { memoryMissesKeptMs, memoryMissesLoggedEveryMs } from "../../src/gateway/limits.ts";
import { createMemoryOutcomes } from "../../src/gateway/memory-outcomes.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import type { LogFields } from "../../src/platform/log/logger.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../src/platform/time/clock-shift.ts";
import { upstreamSettings } from "../../src/server/config/gateway-settings.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { parseExposition, sampleValue } from "../server/metrics/exposition-text.ts";
import { readEvents } from "../transports/http/console/overview/event-reader.ts";
import { signIn } from "../transports/http/console/signed-in.ts";
import { type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";

let upstream: FakeUpstream;
let app: TestApp;
let beforeInjection: Promise<void> = Promise.resolve();
beforeAll(async () => {
  upstream = await startFakeUpstream();
  app = await startTestApp(
    { "metrics-port": "0" },
    undefined,
    async (call, commit) => {
      if (call.operation === "memory.inject") await beforeInjection;
      return commit(call);
    },
    ["late", "patient"]
      .map((name) => {
        const deadlineMs = name === "late" ? 1 : 60_000;
        return `[[gateway.upstreams]]\nname = "${name}"\nbase-url = "${upstream.origin}/v1"\nmodels = ["${name}"]\nmemory-deadline-ms = ${deadlineMs}\n`;
      })
      .join("\n"),
  );
});
afterAll(async () => {
  await app.stop();
  await upstream.close();
});

const ask = async (model: string, { key = app.apiKey, headers = {} } = {}) => {
  const body = { model, messages: [{ role: "user", content: "Where is the parcel?" }] };
  return app.call("POST", "/v1/chat/completions", { key, body, headers });
};

test("the metric, the log and the overview say how many requests had no memory, and why", async () => {
  const outcomes = async () => {
    const found = parseExposition(await (await fetch(String(app.metricsUrl))).text());
    const of = (outcome: string) => sampleValue(found, "memledger_gateway_memory_total", { outcome });
    return { found: of("found"), off: of("off"), not_permitted: of("not_permitted"), late: of("late") };
  };
  expect(await outcomes()).toEqual({ found: 0, off: 0, not_permitted: 0, late: 0 });
  const { key } = await app.createKey(app.projectId, ["gateway.use"]);
  await ask("patient");
  await ask("patient", { key });
  await ask("patient", { headers: { "memledger-memory": "off" } });
  const complete = Promise.withResolvers<void>();
  beforeInjection = complete.promise;
  expect((await ask("late")).headers.get("memledger-memory")).toBe("failed");
  expect((await ask("late")).headers.get("memledger-memory")).toBe("failed");
  complete.resolve();
  expect(await outcomes()).toEqual({ found: 1, off: 1, not_permitted: 1, late: 2 });
  app.passTime(memoryMissesLoggedEveryMs);
  await ask("patient");
  expect(app.complaints.splice(0).map((line) => line.replace(/ \{.*/s, ""))).toEqual([
    "a request did not get its memory",
    "requests did not get their memory",
  ]);

  const browser = await signIn(app);
  const reader = await readEvents(`${app.url}/console/api/events`, {
    headers: { Cookie: browser.cookie, "Sec-Fetch-Site": "same-origin" },
  });
  const { installation } = await reader.next("state");
  reader.close();
  const warnings = isObject(installation) ? (installation.warnings as JsonObject[]) : [];
  expect(warnings.find(({ code }) => code === "memory_missing")?.message).toStartWith(
    "2 requests to the gateway",
  );
});

test("an upstream without the setting waits for a second", () => {
  expect(upstreamSettings.memoryDeadlineMs.default).toBe(1_000);
});

test("the log has the first miss and then one line a minute, and old ones are forgotten", () => {
  const shift = createClockShift();
  const lines: [string, LogFields | undefined][] = [];
  const warn = (message: string, fields?: LogFields) => void lines.push([message, fields]);
  const logger = { debug() {}, info() {}, error() {}, warn };
  const clock = createClock(shift);
  const outcomes = createMemoryOutcomes({ clock, logger });
  const minute = () => {
    passTime(shift, memoryMissesLoggedEveryMs);
    clock.catchUp();
  };
  outcomes.count("late", { record: "r1" });
  outcomes.count("found");
  minute();
  expect(lines).toEqual([["a request did not get its memory", { reason: "late", record: "r1" }]]);
  outcomes.count("late");
  outcomes.count("failed");
  minute();
  expect(lines.at(-1)).toEqual([
    "requests did not get their memory",
    { late: 1, failed: 1, seconds: expect.any(Number) },
  ]);
  expect(outcomes.recentMisses()).toEqual({ late: 2, failed: 1 });
  minute();
  outcomes.count("failed", { record: "r2" });
  outcomes.close();
  expect(lines.map(([, fields]) => fields?.record)).toEqual(["r1", undefined, "r2"]);
  passTime(shift, memoryMissesKeptMs + 1);
  expect(outcomes.recentMisses()).toEqual({ late: 0, failed: 0 });
  expect(outcomes.read()).toMatchObject({ found: 1, late: 2, failed: 2 });
});

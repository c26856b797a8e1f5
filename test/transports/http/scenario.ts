// Runs tables of calls: what is sent, what is answered, what the ledger gains. Every answer passes expectClean.

import { expect, test } from "bun:test";
import { errorStatus } from "../../../src/platform/errors.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { apiRoutes } from "../../../src/transports/http/administration-routes.ts";
import { refusalsOf } from "../../../src/transports/http/openapi/openapi-refusals.ts";
import type { CallOptions, Reply, TestApp } from "../../fixture.ts";

export interface Scenario {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly options?: CallOptions;
  readonly status: number;
  /** Null for 204. */
  readonly code: number | null;
  readonly message?: RegExp;
  /** Compared with toMatchObject. */
  readonly data?: JsonObject;
  /** Whose chain gains exactly one record (null: the installation's), or that none does. */
  readonly recordedFor: string | null | "nobody";
  /** Fields of the record's payload, compared with toMatchObject. */
  readonly payload?: JsonObject;
}

export function runScenarios(app: TestApp, scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) test(scenario.name, () => runScenario(app, scenario));
}

async function runScenario(app: TestApp, scenario: Scenario): Promise<void> {
  const { method, path, options, status, code, message, data, recordedFor, payload } = scenario;
  const chain = recordedFor === "nobody" ? app.projectId : recordedFor;
  const before = app.countRecords(chain);
  const reply = await app.call(method, path, options);
  expectClean(reply, method, path);
  expect({ status: reply.status, code: reply.code, text: reply.text }).toMatchObject({ status, code });
  if (message !== undefined) expect(reply.message).toMatch(message);
  if (data !== undefined) expect(reply.data).toMatchObject(data);
  const gained = app.records(chain, before);
  if (recordedFor === "nobody") {
    expect(gained).toEqual([]);
    return;
  }
  expect(gained.map((record) => [record.action, record.status, record.entry.code])).toEqual([
    [actionOf(method, path), status, code ?? 1000],
  ]);
  const recorded = gained[0]?.payload.response_body;
  // What reads the log and what hands out files keep no answer.
  if (recorded !== undefined) expect(recorded).toEqual(JSON.parse(reply.text));
  else expect(reply.status).toBeLessThan(300);
  if (payload !== undefined) expect(gained[0]?.payload).toMatchObject(payload);
}

/** Creates a memory and returns its id. */
export async function createMemory(app: TestApp, body: JsonObject, key = app.apiKey): Promise<string> {
  const reply = await app.call("POST", "/v1/memories", { key, body });
  expect({ status: reply.status, text: reply.text }).toMatchObject({ status: 201 });
  return String(reply.data.id);
}

/** Sends a call that has to be recorded and returns its answer with the record. */
export async function sendRecorded(
  app: TestApp,
  method: string,
  path: string,
  options: CallOptions = {},
  projectId = app.projectId,
) {
  const before = app.countRecords(projectId);
  const reply = await app.call(method, path, options);
  expectClean(reply, method, path);
  const gained = app.records(projectId, before);
  expect(gained.map(({ status }) => status)).toEqual([reply.status]);
  return { ...reply, record: gained[0] };
}

/** What must hold for every answer of the service, whatever was sent: an envelope, no 500, nothing of the inside. */
export function expectClean(reply: Reply, method: string, path: string): void {
  // A language model that fails is the only failure that the contract calls one of the service.
  if (reply.code !== 2103) expect(reply.status).not.toBe(500);
  expect(reply.headers.get("x-content-type-options")).toBe("nosniff");
  if (reply.status === 204) {
    expect(reply.text).toBe("");
    expect(reply.headers.get("content-type")).toBeNull();
    return;
  }
  expect(reply.headers.get("content-type")).toBe("application/json");
  const { success, code, message, data, ...more }: Record<string, unknown> = JSON.parse(reply.text);
  expect({ success, code: typeof code, message: typeof message, data: isObject(data), more }).toEqual({
    success: reply.status < 300,
    code: "number",
    message: "string",
    data: true,
    more: {},
  });
  if (reply.status >= 300) expectActionable(reply, method, path);
}

/** The same for refusals of the gateway, which have the form of an API of language models. @returns the message */
export function expectApiError({ status, headers, text }: Reply): string {
  expect([400, 401, 403, 404, 413, 415, 429, 502, 503]).toContain(status);
  expect(headers.get("x-content-type-options")).toBe("nosniff");
  expect(headers.get("content-type")).toBe("application/json");
  const { error, ...more }: Record<string, unknown> = JSON.parse(text);
  if (!isObject(error)) throw new Error(`no error: ${text}`);
  expect(more).toEqual(more.type === undefined ? {} : { type: "error" });
  expect(error.type).toBeString();
  expect(String(error.message)).toMatch(/^[A-Z].{15,}[.?]$/su);
  expect(text).not.toMatch(inside);
  return String(error.message);
}

const inside =
  /\.ts\b|node_modules|\bat \S+ \(|SQLITE|\b(SELECT|INSERT|UPDATE|DELETE) |\/(tmp|src|home|work)\//;

function expectActionable({ status, code, message, text }: Reply, method: string, path: string): void {
  expect(new Map<string, number>(Object.entries(errorStatus)).get(String(code))).toBe(status);
  expect(message).toMatch(/^[A-Z].{15,}[.?]$/su);
  expect(text).not.toMatch(inside);
  const route = findRoute(method, path);
  if (route !== undefined) expect(refusalsOf(route).map(String)).toContain(String(code));
}

function findRoute(method: string, path: string) {
  const { pathname } = new URL(path, "http://localhost");
  const matches = apiRoutes.filter(
    (route) =>
      route.method === method && new RegExp(`^${route.path.replace(/:\w+/, "[^/]+")}$`).test(pathname),
  );
  return matches.find((route) => route.path === pathname) ?? matches[0];
}

function actionOf(method: string, path: string): string {
  const route = findRoute(method, path);
  if (route === undefined) throw new Error(`no operation at ${method} ${path}`);
  return route.operation.name;
}

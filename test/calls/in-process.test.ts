// Proves that a transport needs no HTTP: the same calls, once as objects in this process and once as requests to a real server, have the
// same answers, permissions, limits and records.

import { afterAll, describe, expect, test } from "bun:test";
import { permissions } from "../../src/access/key.ts";
import type { Answer } from "../../src/calls/contract/answer.ts";
import type { Operation, ProjectOperation } from "../../src/calls/contract/operation.ts";
import { createProject, listProjects } from "../../src/calls/operations/access/project-operations.ts";
import { appendRecord } from "../../src/calls/operations/ledger/append.ts";
import { listRecords } from "../../src/calls/operations/ledger/list.ts";
import { createMemory } from "../../src/calls/operations/memories/create.ts";
import { deleteAllMemories, deleteMemory } from "../../src/calls/operations/memories/delete.ts";
import { readMemory } from "../../src/calls/operations/memories/read.ts";
import { updateMemory } from "../../src/calls/operations/memories/update.ts";
import { searchMemories } from "../../src/calls/operations/search/search.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { administrationRequest } from "../../src/server/data-directory/administration.ts";
import { startServer } from "../../src/transports/http/network/network-server.ts";
import { pathParameters, routes } from "../../src/transports/http/routes.ts";
import { toReply } from "../fixture.ts";
import { type Called, newSecret, openCalls, openClient, recordsOf, type Send } from "./in-process.ts";
import { type Member, openSeam } from "./storage/seam.ts";

const seam = await openSeam();
const perform = openCalls(seam);
const silent = () => {};
const server = startServer({
  perform,
  clock: createClock(),
  logger: { debug: silent, info: silent, warn: silent, error: silent },
  calls: { log: silent, close: silent },
  readiness: async () => ({ ready: true, reasons: [] }),
  trustedProxies: [],
  mcp: null,
  overview: null,
  console: null,
  allowedHosts: [],
  allowedOrigins: [],
  certificate: null,
  corsOrigins: [],
  hostname: "127.0.0.1",
  port: 0,
});
afterAll(async () => {
  await server.stop();
  await seam.close();
});

async function administer(
  operation: Operation,
  fields: JsonObject,
): Promise<Pick<Answer, "status" | "code" | "data">> {
  const { answer } = await perform(operation, administrationRequest("cli", fields));
  return answer;
}

/** The same client over HTTP. */
function openHttpClient(secret: string | null): Send {
  return async ({ name }, fields, metadata) => {
    const route = routes.find(({ operation }) => operation.name === name);
    if (route === undefined) throw new Error(`no route performs ${name}`);
    const inPath = pathParameters(route);
    const path = inPath.reduce((text, field) => text.replace(`:${field}`, String(fields[field])), route.path);
    const body = Object.fromEntries(Object.entries(fields).filter(([field]) => !inPath.includes(field)));
    const hasBody = Object.keys(body).length > 0;
    const response = await fetch(`${server.url}${path}`, {
      method: route.method,
      headers: {
        ...(secret === null ? {} : { Authorization: `Bearer ${secret}` }),
        ...(hasBody ? { "Content-Type": "application/json" } : {}),
        ...(metadata === undefined ? {} : { "X-Audit-Metadata": JSON.stringify(metadata) }),
      },
      ...(hasBody ? { body: JSON.stringify(body) } : {}),
    });
    const { status, text, code, message } = toReply(response.status, response.headers, await response.text());
    const envelope: unknown = JSON.parse(text === "" ? "{}" : text);
    const data = isObject(envelope) ? (envelope.data ?? null) : null;
    return { status, code: code ?? 1000, message: code === null ? "success" : message, data };
  };
}

const owners = { ip_address: null, user_agent: null, transport: null, client_name: null };

/** Without what two projects, or two moments, never share. */
function comparable(value: unknown): Json {
  const text = JSON.stringify(value)
    .replaceAll(/[0-9a-f]{32}/g, "<id>")
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    // Written between transactions, so it may be there a moment later.
    .replaceAll(/"last_accessed_at":(null|"<time>")/g, '"last_accessed_at":"<time or null>"')
    .replaceAll("The header X-Audit-Metadata", 'The field \\"_meta\\"')
    .replaceAll("X-Audit-Metadata", "_meta");
  return JSON.parse(text);
}

interface Trace {
  readonly answers: Json;
  readonly records: Json;
  readonly payloads: readonly JsonObject[];
}

/** What the client's calls were answered, and what they left on the ledger of the project. */
async function trace(project: Member, send: Send, play: (send: Send) => Promise<Called[]>): Promise<Trace> {
  const answers = await play(send);
  const found = await recordsOf(seam, project);
  const records = found.map(({ entry: { action, status, code, memory }, payload }) => ({
    action,
    status,
    code,
    memory,
    payload: Object.fromEntries(Object.entries(payload).filter(([name]) => !Object.hasOwn(owners, name))),
  }));
  return {
    answers: comparable(answers.map((answer) => ({ ...answer }))),
    records: comparable(records),
    payloads: found.map(({ payload }) => payload),
  };
}

async function both(
  play: (send: Send) => Promise<Called[]>,
  { granted = permissions as readonly string[], plan = "custom" } = {},
) {
  const [ours, theirs] = [await seam.project({ plan }), await seam.project({ plan })];
  const object = await trace(ours, openClient(perform, await newSecret(seam, ours, granted)), play);
  const http = await trace(theirs, openHttpClient(await newSecret(seam, theirs, granted)), play);
  expect(object.answers).toEqual(http.answers);
  expect(object.records).toEqual(http.records);
  expect(object.payloads.length).toBeGreaterThan(0);
  return { object, http };
}

const idOf = ({ data }: Called): string => (isObject(data) ? String(data.id) : "");

describe("objects and HTTP requests", () => {
  test("do the same and leave the same records", async () => {
    const { object, http } = await both(async (send) => {
      const created = await send(createMemory, {
        content: "Releases go out on Tuesdays.",
        memory_type: "fact",
      });
      const memory_id = idOf(created);
      return [
        created,
        await send(readMemory, { memory_id }),
        await send(updateMemory, { memory_id, importance: 1 }, { ticket: "OPS-17" }),
        await send(searchMemories, { query: "When do we release?", top_k: 3 }),
        await send(deleteMemory, { memory_id }),
        await send(appendRecord, { action: "gateway.chat", http_status: 200 }),
      ];
    });
    expect(object.payloads[0]).toMatchObject({ transport: "mcp", client_name: "example/1.2" });
    // A call over HTTP keeps the form that version 0.1.0 gave its record.
    for (const payload of http.payloads) expect(Object.keys(payload)).not.toContain("transport");
  });

  const fact = { content: "x", memory_type: "fact" };
  const deep = (levels: number): Json => (levels === 0 ? 1 : [deep(levels - 1)]);

  test.each<[string, ProjectOperation, JsonObject, JsonObject | undefined]>([
    ["a field that is unknown", createMemory, { ...fact, colour: "red" }, undefined],
    ["a field that is invalid", createMemory, { ...fact, importance: 7 }, undefined],
    ["a memory that does not exist", readMemory, { memory_id: "0".repeat(32) }, undefined],
    ["an id that is none", deleteMemory, { memory_id: "nobody" }, undefined],
    ["a large invalid input", createMemory, { ...fact, content: "x".repeat(20_000) }, undefined],
    ["an input that is too large", createMemory, { ...fact, content: "x".repeat(1024 * 1024) }, undefined],
    ["a lone surrogate", createMemory, { ...fact, content: "\ud800" }, undefined],
    ["too many levels", appendRecord, { action: "a.b", http_status: 200, metadata: deep(70) }, undefined],
    [
      "too many values",
      appendRecord,
      { action: "a.b", http_status: 200, metadata: { a: Array(60_000).fill(1) } },
      undefined,
    ],
    ["metadata that is too large", createMemory, fact, { note: "x".repeat(5_000) }],
    ["metadata with a lone surrogate", createMemory, fact, { note: "\ud800" }],
  ])("are refused alike: %s", async (_, operation, fields, metadata) => {
    const { object } = await both(async (send) => [await send(operation, fields, metadata)]);
    expect(object.payloads).toHaveLength(1);
    expect(object.payloads[0]?.error_msg).toBeString();
  });

  test("need the same permissions and plans", async () => {
    const play = async (send: Send) => [await send(createMemory, fact), await send(deleteAllMemories, {})];
    for (const options of [{ granted: ["memory.read"] }, { plan: "free" }]) {
      const { object } = await both(play, options);
      expect(object.payloads.map(({ error_msg }) => typeof error_msg)).toEqual(["string", "string"]);
    }
  });
});

test("objects are counted by the rate limit of their key, whatever other transport it uses", async () => {
  const project = await seam.project({ plan: "free" });
  const secret = await newSecret(seam, project, permissions);
  const [object, http] = [openClient(perform, secret), openHttpClient(secret)];
  const codes = [];
  for (let call = 0; call < 6; call++) {
    codes.push((await object(listRecords, {})).code, (await http(listRecords, {})).code);
  }
  expect(codes.slice(0, 5)).toEqual(Array(5).fill(1000));
  expect(codes.filter((code) => code === 1429).length).toBeGreaterThanOrEqual(5);
  expect(await recordsOf(seam, project)).toHaveLength(codes.filter((code) => code !== 1429).length);
});

test("a key that is missing or unknown is refused in the transport's own words", async () => {
  expect(await openClient(perform, null)(createMemory, {})).toMatchObject({
    status: 401,
    code: 1401,
    message: "There is no key. Give one to the client.",
  });
  expect((await openClient(perform, `ml_${"0".repeat(43)}`)(createMemory, {})).message).toBe(
    "The key is unknown.",
  );
  expect((await openClient(perform, "no key at all")(createMemory, {})).message).toBe("The key is unknown.");
});

test("a key does not authorise administration, and administration needs a key for what belongs to a project", async () => {
  const project = await seam.project();
  const send = openClient(perform, await newSecret(seam, project, permissions));
  const before = (await administer(listProjects, {})).data;
  expect(await send(createProject, { name: "taken" })).toMatchObject({ status: 403, code: 1403 });
  expect((await administer(listProjects, {})).data).toEqual(before);
  const [record] = await recordsOf(seam, project);
  expect(record?.entry).toMatchObject({ action: "project.create", status: 403, key: expect.any(String) });
  expect(await administer(createMemory, { content: "x", memory_type: "fact" })).toMatchObject({
    status: 401,
    code: 1401,
  });
  expect(await recordsOf(seam, project)).toHaveLength(1);
});

function circular(): JsonObject {
  const fields: Record<string, Json> = {};
  fields.self = fields;
  return fields;
}

function deepest(): JsonObject {
  let value: Json = 1;
  for (let level = 0; level < 1_000_000; level++) value = [value];
  return { value };
}

test.each([
  ["contains itself", circular],
  ["has a million levels", deepest],
])("an object that %s is refused and recorded, as input and as metadata", async (_, make) => {
  const project = await seam.project();
  const send = openClient(perform, await newSecret(seam, project, permissions));
  expect(await send(createMemory, make())).toMatchObject({ status: 400, code: 1400 });
  const fact = { content: "x", memory_type: "fact" };
  expect(await send(createMemory, fact, make())).toMatchObject({ status: 400, data: { field: "_meta" } });
  expect(await recordsOf(seam, project)).toHaveLength(2);
});

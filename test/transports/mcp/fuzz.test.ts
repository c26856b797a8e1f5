// Proves over random arguments, messages and headers that each call of a tool is one record whose result fits the schema of the tool, and
// that no message brings the endpoint to a failure or shows its inside.

import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { checkChains } from "../../audit/chain-check.ts";
import { startTestApp } from "../../fixture.ts";
import { connect, post, type RawReply, rpc } from "./clients.ts";

const app = await startTestApp();
afterAll(() => app.stop());
const [modern, former] = [
  await connect(app, app.apiKey, "2026-07-28"),
  await connect(app, app.apiKey, "2025-11-25"),
];
const { tools } = await modern.sdk.listTools();
afterAll(() => Promise.all([modern.close(), former.close()]));

/** JSON that no body may contain is refused before it is a message, so it has tests of its own. */
const anyJson = fc.json({ maxDepth: 3 }).map((text): Json => JSON.parse(text));
const inside = /\bat \w+.*:\d+|node_modules|src\/|SQLITE|TypeError|ZodError|"expected":/;

/** A value that the schema of an argument allows, or nearly. */
function fitting(schema: JsonObject): fc.Arbitrary<Json> {
  const { type, enum: choices, items, anyOf, minimum = 0, maximum = 100, examples } = schema;
  if (Array.isArray(choices)) return fc.constantFrom(...choices);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.filter(isObject).map(fitting));
  if (Array.isArray(examples) && examples.length > 0) return fc.constantFrom(...examples);
  if (type === "array" && isObject(items)) return fc.array(fitting(items), { maxLength: 20 });
  if (type === "boolean") return fc.boolean();
  if (type === "integer") return fc.integer({ min: Number(minimum) - 1, max: Number(maximum) + 1 });
  if (type === "number") return fc.double({ min: Number(minimum), max: Number(maximum), noNaN: true });
  if (type === "null") return fc.constant(null);
  const id = fc.constantFrom("0".repeat(32), "2026-12-31T23:59:59Z", "Where?");
  return fc.oneof(id, fc.string({ unit: "grapheme" }), fc.string({ unit: "binary", maxLength: 20 }));
}

const call = fc.constantFrom(...tools).chain(({ name, inputSchema }) => {
  const known = Object.entries(inputSchema.properties ?? {}).map(([field, schema]) => {
    const fits = isObject(schema) ? fitting(schema as JsonObject) : anyJson;
    return [field, fc.oneof({ weight: 4, arbitrary: fits }, { weight: 1, arbitrary: anyJson })] as const;
  });
  const required = [...(inputSchema.required ?? [])];
  const own = fc.record(Object.fromEntries(known), { requiredKeys: [] });
  const complete = fc.record(Object.fromEntries(known), { requiredKeys: required });
  const strange = fc
    .tuple(own, fc.dictionary(fc.string({ unit: "binary", maxLength: 20 }), anyJson))
    .map(([fields, others]) => Object.assign({}, others, fields));
  return fc.record({
    name: fc.constant(name),
    args: fc.oneof({ weight: 4, arbitrary: complete }, { weight: 1, arbitrary: strange }),
  });
});

test("every call of a tool is one record, and its result fits the schema of the tool", async () => {
  await fc.assert(
    fc.asyncProperty(call, fc.boolean(), async ({ name, args }, isModern) => {
      const before = app.countRecords(app.projectId);
      // The client throws if a result does not fit the schema that the tool has listed.
      const reply = await (isModern ? modern : former).call(name, args);
      const records = app.records(app.projectId, before);
      expect(records).toHaveLength(1);
      const status = records[0]?.status ?? 0;
      expect([reply.isError, reply.text]).toEqual([
        status >= 400 && !(name === "memory_save" && status === 409),
        expect.stringMatching(/\S/),
      ]);
      expect(reply.text).not.toMatch(inside);
      expect(status).toBeLessThan(500);
    }),
    { numRuns: 200 },
  );
}, 120_000);

const clientInfo = { name: "a\u001b[31m\nb", version: "1" };
const handshake = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
/** Parameters of each method that are right. */
const methods: readonly (readonly [string, JsonObject])[] = [
  ["initialize", handshake],
  ["ping", {}],
  ["server/discover", {}],
  ["tools/list", {}],
  ["tools/call", { name: "memory_list", arguments: { page: 1 } }],
  ["tools/call", { name: "memory_extract", arguments: { text: "I like tea.", dry_run: true } }],
  ["resources/list", {}],
  ["resources/templates/list", {}],
  ["resources/read", { uri: "memledger://rules" }],
  ["prompts/list", {}],
  ["prompts/get", { name: "context", arguments: { query: "tea" } }],
  [
    "completion/complete",
    { ref: { type: "ref/prompt", name: "context" }, argument: { name: "query", value: "t" } },
  ],
  ["subscriptions/listen", { notifications: { toolsListChanged: true } }],
  ["notifications/cancelled", { requestId: 1 }],
];
const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": clientInfo,
  "io.modelcontextprotocol/clientCapabilities": {},
};

interface Sent {
  readonly message: JsonObject;
  readonly headers: Record<string, string>;
}

/** A message that is right, with the headers of its era. */
const right: fc.Arbitrary<Sent> = fc
  .record({
    method: fc.constantFrom(...methods),
    isModern: fc.boolean(),
    id: fc.oneof(fc.integer(), fc.string()),
    token: fc.option(fc.oneof(fc.integer(), fc.string()), { nil: undefined }),
  })
  .map(({ method: [method, params], isModern, id, token }) => {
    const progress = token === undefined ? {} : { progressToken: token };
    const _meta = isModern ? { ...meta, ...progress } : progress;
    const message = { jsonrpc: "2.0", id, method, params: { ...params, _meta } };
    const name = params.name ?? params.uri;
    const named: Record<string, string> = typeof name === "string" ? { "Mcp-Name": name } : {};
    const modernHeaders = { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method, ...named };
    return { message, headers: isModern ? modernHeaders : {} };
  });

/** Paths to members of a message. */
const places: readonly (readonly string[])[] = [
  ...["jsonrpc", "id", "method", "params", "result", "error"].map((name) => [name]),
  ...["name", "arguments", "uri", "cursor", "_meta", "requestId", "protocolVersion", "capabilities"].map(
    (name) => ["params", name],
  ),
  ...["query", "page", "text"].map((name) => ["params", "arguments", name]),
  ...["name", "version"].map((name) => ["params", "clientInfo", name]),
  ...[...Object.keys(meta), "progressToken"].map((name) => ["params", "_meta", name]),
];
/** Another value for what is there; undefined: it is missing. */
const fault = fc.record({
  place: fc.constantFrom(...places),
  value: fc.oneof(
    anyJson,
    fc.constantFrom("__proto__", "toString", "x".repeat(5_000), 2 ** 53, 1.5, undefined),
  ),
});
const visible = fc.string({
  unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
});
const strangeHeaders = fc.dictionary(
  fc.constantFrom("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id", "Last-Event-ID"),
  fc.oneof(
    visible,
    visible.map((name) => `${Buffer.from(`\u0007${name}`).toString("base64url")}.${"a".repeat(16)}`),
  ),
);

/** A right message with faults at some places, and with some headers replaced. */
const sent: fc.Arbitrary<Sent> = fc
  .tuple(right, fc.array(fault, { maxLength: 2 }), fc.oneof(fc.constant({}), strangeHeaders))
  .map(([{ message, headers }, faults, replaced]) => ({
    message: faults.reduce((changed, { place, value }) => put(changed, place, value), message),
    headers: { ...headers, ...replaced },
  }));

function put(
  target: JsonObject,
  [name = "", ...rest]: readonly string[],
  value: Json | undefined,
): JsonObject {
  const { [name]: old = null, ...others } = target;
  if (rest.length > 0) return isObject(old) ? { ...others, [name]: put(old, rest, value) } : target;
  return value === undefined ? others : { ...others, [name]: value };
}

/** Answers of JSON-RPC in the body: one, or those of all events. */
function answersOf({ text, headers: received }: RawReply): JsonObject[] {
  if (text === "") return [];
  const isStream = received.get("content-type")?.startsWith("text/event-stream") === true;
  const parts = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = ""]) => data) : [text];
  const values: Json[] = parts.map((part) => JSON.parse(part));
  return values.flatMap((value) => (Array.isArray(value) ? value : [value])).filter(isObject);
}

test("every message gets an answer of the protocol, and only operations have records", async () => {
  await fc.assert(
    fc.asyncProperty(sent, async ({ message, headers }) => {
      const before = app.countRecords(app.projectId);
      const reply = await post(app.url, app.apiKey, message, headers);
      expect([200, 202, 400, 404]).toContain(reply.status);
      expect(reply.text).not.toMatch(inside);
      const answers = answersOf(reply).filter((answer) => answer.method === undefined);
      for (const answer of answers) {
        expect(answer).toMatchObject({ jsonrpc: "2.0" });
        expect([answer.result, answer.error].filter(isObject)).toHaveLength(1);
        if (isObject(answer.error)) expect(answer.error.code).not.toBe(-32603);
      }
      // Lists and pings have results without a record, refused prompts a record without a result.
      const recorded = app.countRecords(app.projectId) - before;
      expect(recorded).toBeLessThanOrEqual(answers.length);
    }),
    { numRuns: 250 },
  );
  const { status, json } = await post(app.url, app.apiKey, rpc("ping"));
  expect([status, json]).toEqual([200, { jsonrpc: "2.0", id: 1, result: {} }]);
  const names = app.records(app.projectId).map(({ payload }) => payload.client_name ?? "");
  expect(names.filter((name) => /\p{Cc}/u.test(String(name)))).toEqual([]);
  checkChains(join(app.config.dataDir, "memledger.db"));
}, 120_000);

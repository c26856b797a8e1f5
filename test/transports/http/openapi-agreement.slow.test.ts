// Proves over generated bodies and parameters that the OpenAPI document and a server agree: the server refuses what the document excludes,
// and accepts what it allows. What neither can express is named here, with its reason.

import { afterAll, describe, expect, test } from "bun:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { openApiDocument } from "../../../src/transports/http/openapi/openapi.ts";
import { pathParameters, type Route, routes, takesBody } from "../../../src/transports/http/routes.ts";
import { type Reply, startTestApp } from "../../fixture.ts";
import { createMemory } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());
const known = await createMemory(app, { content: "The office is in Lisbon.", memory_type: "fact" });

const document: JsonObject = JSON.parse(JSON.stringify(openApiDocument()));
const ajv = new Ajv2020({ strict: false, validateFormats: true });
addFormats.default(ajv);
ajv.addSchema({ $id: "api", ...document });

const at = (value: Json | undefined, ...names: readonly string[]): Json | undefined =>
  names.reduce<Json | undefined>((found, name) => (isObject(found) ? found[name] : undefined), value);
const resolve = (schema: Json | undefined): JsonObject => {
  if (!isObject(schema)) return {};
  const { $ref, ...rest } = schema;
  if (typeof $ref !== "string") return schema;
  return { ...resolve(at(document, ...$ref.split("/").slice(1))), ...rest };
};

/** Texts at the limits of all schemas. */
const texts = [
  "",
  " ",
  "a",
  "Ab c",
  "\u0085",
  "\u00a0x\n",
  "a\0b",
  "\ud83d\ude00",
  "A".repeat(32),
  "0".repeat(32),
];
const times = [
  "2026-11-01T09:30:00Z",
  "2026-11-01t09:30:00.5+01:00",
  "2026-11-01",
  "2026-02-30",
  "2026-13-01T00:00:00Z",
  "now",
];

/** Values that a schema allows, and others near its limits. */
function values(given: Json | undefined, depth = 0): fc.Arbitrary<Json> {
  const schema = resolve(given);
  const { type, anyOf, minimum, maximum, maxLength, minItems, maxItems } = schema;
  if (Array.isArray(schema.enum)) return fc.constantFrom<Json>(...schema.enum, "other", 1, null);
  if (Array.isArray(anyOf) && type === undefined)
    return fc.oneof(...anyOf.map((each) => values(each, depth)));
  const others = fc.constantFrom<Json>(null, 1, "1", true, [], {});
  const mostly = (right: fc.Arbitrary<Json>) =>
    fc.oneof({ arbitrary: right, weight: 9 }, { arbitrary: others, weight: 1 });
  if (type === "string") {
    const max = typeof maxLength === "number" ? maxLength : 20;
    const limits = ["x".repeat(max), "x".repeat(max + 1), "\ud83d\ude00".repeat(max)];
    const format = typeof schema.format === "string" || schema.anyOf !== undefined;
    return mostly(
      format
        ? fc.constantFrom(...times)
        : fc.constantFrom(...texts, ...limits, known, "gateway.chat", "memory.create"),
    );
  }
  if (type === "integer" || type === "number") {
    const [low, high] = [Number(minimum ?? 0), Number(maximum ?? 10)];
    return mostly(
      fc.constantFrom<Json>(low, high, low - 1, high + 1, (low + high) / 2, Math.floor((low + high) / 2)),
    );
  }
  if (type === "boolean") return mostly(fc.boolean());
  if (type === "null") return fc.constant(null);
  if (type === "array") {
    const max = Number(maxItems ?? 3);
    const lengths = fc.constantFrom(Number(minItems ?? 0), 1, 2, 2, ...(max <= 16 ? [max + 1] : []));
    return mostly(
      lengths.chain((length) =>
        fc.array(values(schema.items, depth + 1), { minLength: length, maxLength: length }),
      ),
    );
  }
  if (type === "object" && isObject(schema.properties)) return mostly(objects(schema, depth + 1));
  return fc.constantFrom<Json>({}, { a: 1 }, "text", 1, null);
}

function objects(
  { properties, required, additionalProperties }: JsonObject,
  depth = 0,
): fc.Arbitrary<JsonObject> {
  const named = isObject(additionalProperties) ? { any: additionalProperties, "": additionalProperties } : {};
  const fields = Object.fromEntries(
    Object.entries({ ...(isObject(properties) ? properties : {}), ...named }).map(([name, each]) => [
      name,
      values(each, depth),
    ]),
  );
  const requiredKeys = Array.isArray(required) ? required.map(String) : [];
  const whole = fc.record(fields, { requiredKeys }) as fc.Arbitrary<JsonObject>;
  const few = fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<JsonObject>;
  const unknown = whole.map((value): JsonObject => ({ ...value, unknown_member: 1 }));
  return fc.oneof(
    { arbitrary: whole, weight: 8 },
    { arbitrary: few, weight: 1 },
    { arbitrary: unknown, weight: 1 },
  );
}

/** What JSON Schema cannot express, by the message of the server; descriptions say it. */
const inexpressible = [
  /is before start_time/,
  /is larger than ("to"|the tree)/,
  /is not a (valid )?cursor/,
  /contains no word/,
  /has no text of a user or an assistant/,
  /must have one time for each of/,
  /is read-only/,
  /outside the years/,
];
/** Where the server accepts more than the document promises. */
const lenient = (value: JsonObject): boolean => {
  const text = JSON.stringify(value);
  // Surrounding white space of tags does not count; NUL in messages that are ignored; ISO 8601 beyond RFC 3339.
  return text.includes("\\u0000") && "messages" in value ? true : /"tags?":\[?[^\]]*x{60}/.test(text);
};

const operations = routes.filter(
  ({ operation }) => operation.exchange === undefined && operation.files === undefined,
);
const pathOf = (route: Route) =>
  route.path.replaceAll(/:(\w+)/g, (_, name) => (name === "memory_id" ? known : "0".repeat(32)));

async function expectAgreement(
  route: Route,
  value: JsonObject,
  isAllowed: boolean,
  send: () => Promise<Reply>,
) {
  const { code, data, message, status } = await send();
  expect({ status: status < 500, message }).toEqual({ status: true, message });
  // In a batch, an item is refused alone.
  const results = Array.isArray(data.results) ? data.results : [];
  const isRefused = code === 1400 || results.some((each) => at(each, "code") === 1400);
  if (isRefused && inexpressible.some((each) => each.test(message))) return;
  if (!isRefused && lenient(value)) return;
  expect({ operation: route.operation.name, value, isRefused, message }).toEqual({
    operation: route.operation.name,
    value,
    isRefused: !isAllowed,
    message,
  });
}

describe.each(operations.filter(takesBody).map((route) => [route.operation.name, route] as const))(
  "the body of %s",
  (name, route) => {
    test("is refused if the document excludes it, and not otherwise", async () => {
      const described = at(
        document,
        "paths",
        route.path.replaceAll(/:(\w+)/g, "{$1}"),
        route.method.toLowerCase(),
        "requestBody",
      );
      const schema = at(described, "content", "application/json", "schema");
      const validate = ajv.compile({ $ref: `api${String(at(schema, "$ref"))}` });
      const numRuns = name === "memory.extract" ? 15 : 40;
      await fc.assert(
        fc.asyncProperty(objects(resolve(schema)), async (body) => {
          const isAllowed = validate(body) === true;
          await expectAgreement(route, body, isAllowed, () =>
            app.call(route.method, pathOf(route), { body }),
          );
        }),
        { numRuns, examples: [[{}]] },
      );
    });
  },
);

const withQuery = operations.filter((route) => {
  const own = Object.keys(route.operation.input.properties).length - pathParameters(route).length;
  return !takesBody(route) && own > 0;
});

describe.each(withQuery.map((route) => [route.operation.name, route] as const))(
  "the parameters of %s",
  (_, route) => {
    test("are refused if the document excludes them, and not otherwise", async () => {
      const described = at(document, "paths", route.path.replaceAll(/:(\w+)/g, "{$1}"), "get");
      const list = at(described, "parameters");
      const parameters = (Array.isArray(list) ? list : []).map(resolve).filter((each) => each.in === "query");
      const properties = Object.fromEntries(
        parameters.map((each) => [
          String(each.name),
          resolve(each.schema ?? at(each, "content", "application/json", "schema")),
        ]),
      );
      const required = parameters.flatMap((each) => (each.required === true ? [String(each.name)] : []));
      const rules = at(described, "x-parameter-rules");
      const validated = parameters.map(({ name, schema, content }) => {
        const described = schema ?? at(content, "application/json", "schema");
        const reference = at(described, "$ref");
        return [name, typeof reference === "string" ? { $ref: `api${reference}` } : described];
      });
      const validate = ajv.compile({
        type: "object",
        properties: Object.fromEntries(validated),
        required,
        ...(isObject(rules) ? rules : {}),
      });
      await fc.assert(
        fc.asyncProperty(objects({ properties, required }), async ({ unknown_member: __, ...value }) => {
          const sent = Object.entries(value).flatMap(([name, each]) =>
            (Array.isArray(each) ? each : [each]).map((item) => [name, item] as const),
          );
          // In a URL, everything is text.
          const isTyped = Object.entries(value).every(([name, each]) => {
            const isText = (item: Json) => typeof item === "string";
            const { type } = properties[name] ?? {};
            if (type === "array") return Array.isArray(each) && each.length > 0 && each.every(isText);
            if (type === "object") return isObject(each);
            return type === "integer"
              ? typeof each === "number"
              : type === "boolean"
                ? typeof each === "boolean"
                : isText(each);
          });
          fc.pre(isTyped);
          const query = new URLSearchParams(
            sent.map(([name, item]): [string, string] => [
              name,
              isObject(item) ? JSON.stringify(item) : String(item),
            ]),
          );
          const isAllowed = validate(value) === true;
          await expectAgreement(route, value, isAllowed, () => app.call("GET", `${pathOf(route)}?${query}`));
        }),
        { numRuns: 40 },
      );
    });
  },
);

test("a file of records in JSON is what the document says", async () => {
  const day = new Date().toISOString().slice(0, 10);
  for (let attempt = 0; attempt < 100; attempt++) {
    const { code, data } = await app.call("POST", "/v1/audit/logs/export", {
      body: { start_time: day, end_time: "2099-01-01", format: "json" },
    });
    if (code !== 1000) {
      await Bun.sleep(50);
      continue;
    }
    const path = `/v1/audit/logs/export/${data.export_id}`;
    while ((await app.call("GET", path)).data.status === "processing") await Bun.sleep(20);
    const response = await fetch(`${app.url}${path}/download`, {
      headers: { Authorization: `Bearer ${app.apiKey}` },
    });
    const records: unknown = await response.json();
    const paths = [
      "paths",
      "/v1/audit/logs/export/{export_id}/download",
      "get",
      "responses",
      "200",
      "content",
      "application/json",
      "schema",
    ];
    const schema = at(document, ...paths);
    expect(schema).toEqual({ type: "array", items: { $ref: "#/components/schemas/ExportedRecord" } });
    const validate = ajv.compile({
      type: "array",
      items: { $ref: "api#/components/schemas/ExportedRecord" },
    });
    expect(Array.isArray(records) && records.length > 0).toBe(true);
    validate(records);
    expect(validate.errors ?? []).toEqual([]);
    return;
  }
  throw new Error("no export could be made");
});

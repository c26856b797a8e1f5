// Proves that the OpenAPI document is valid 3.1, that it covers every route, and that its examples are true.

import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Value } from "@sinclair/typebox/value";
import { projectOperations } from "../../../src/calls/operations.ts";
import { isObject, type Json, type JsonObject } from "../../../src/platform/json/json.ts";
import { apiRoutes } from "../../../src/transports/http/administration-routes.ts";
import { openApiDocument } from "../../../src/transports/http/openapi/openapi.ts";
import { routes } from "../../../src/transports/http/routes.ts";

const text = JSON.stringify(openApiDocument());

describe("the OpenAPI document", () => {
  test("is valid OpenAPI 3.1", async () => {
    const validator = new Validator();
    const { valid, errors } = await validator.validate(JSON.parse(text));
    expect(errors).toBeUndefined();
    expect(valid).toBe(true);
    expect(validator.version).toBe("3.1");
  });

  test("refers only to components that exist", () => {
    const document = JSON.parse(text);
    const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)];
    expect(references.length).toBeGreaterThan(10);
    for (const [, kind = "", name = ""] of references) expect(document.components[kind][name]).toBeDefined();
    expect(text.match(/"\$ref"/g)?.length).toBe(references.length);
  });

  test("describes a memory once", () => {
    expect(JSON.parse(text).components.schemas.AgentMemory.required).toEqual([
      "id",
      "content",
      "memory_type",
      "importance",
      "is_active",
      "created_at",
      "updated_at",
      "last_accessed_at",
      "expires_at",
    ]);
    // And twice as a field that a change may repeat.
    expect(text.match(/"last_accessed_at":\{/g)?.length).toBe(3);
  });

  test("says of each operation what repeating it does, and whether it may run long", () => {
    for (const { method, path, operation } of apiRoutes) {
      const { [method.toLowerCase()]: described } = JSON.parse(text).paths[path.replace(/:(\w+)/g, "{$1}")];
      const { readOnly, destructive, idempotent } = operation.effects;
      expect(described["x-effects"]).toEqual({ read_only: readOnly, destructive, idempotent });
      expect(described["x-may-run-long"]).toBe(
        operation.scope === "project" && operation.mayRunLong === true,
      );
    }
    const { paths } = JSON.parse(text);
    expect(paths["/v1/memories/extract"].post).toMatchObject({ "x-may-run-long": true });
    expect(paths["/v1/audit/logs"].post["x-effects"].idempotent).toBe(false);
  });

  test("names an update's fields in the body and its id in the path", () => {
    const { put } = JSON.parse(text).paths["/v1/memories/{memory_id}"];
    expect(put.parameters[0]).toMatchObject({ name: "memory_id", in: "path", required: true });
    const { schema } = put.requestBody.content["application/json"];
    expect(schema).toEqual({ $ref: "#/components/schemas/MemoryUpdateRequest" });
    const { MemoryUpdateRequest } = JSON.parse(text).components.schemas;
    expect(Object.keys(MemoryUpdateRequest.properties)).toEqual([
      "content",
      "memory_type",
      "importance",
      "is_active",
      "expires_at",
      "tags",
      "metadata",
      "id",
      "created_at",
      "updated_at",
      "last_accessed_at",
      "superseded_by",
      "origin",
      "origins",
      "lead",
      "former_of",
      "if_updated_at",
      "subject",
    ]);
    expect(Object.keys(put.responses)).toContain("409");
    expect(put.responses["403"].$ref).toContain("2106");
  });

  test("describes the tags of a list as a parameter that may be sent several times", () => {
    const { get } = JSON.parse(text).paths["/v1/memories"];
    const parameter = get.parameters.find(({ name }: { name: string }) => name === "tag");
    expect(parameter).toMatchObject({ in: "query", required: false });
    // Without style and explode: form and true, which means tag=a&tag=b.
    expect(Object.keys(parameter)).not.toContainAnyValues(["style", "explode"]);
    expect(parameter.schema).toMatchObject({
      type: "array",
      minItems: 1,
      maxItems: 16,
      items: { type: "string", minLength: 1, maxLength: 64 },
    });
  });
});

describe("what a client generator makes of it", () => {
  const document = JSON.parse(text);
  const { schemas, responses } = document.components;

  test("is one type for each object: none is described in place", () => {
    const inline = everySchema({ paths: document.paths, responses }).filter(isObjectSchema);
    for (const [name, schema] of Object.entries<JsonObject>(schemas))
      inline.push(...everySchema({ ...schema, type: null, title: name }).filter(isObjectSchema));
    expect(inline.map((schema) => JSON.stringify(schema))).toEqual([]);
  });

  test("is one type for each shape: no two names have the same", () => {
    const names = Map.groupBy(Object.keys(schemas), (name) =>
      JSON.stringify({ ...schemas[name], title: "" }),
    );
    expect([...names.values()].filter(({ length }) => length > 1)).toEqual([]);
  });

  test("is one type for all refusals", () => {
    const { RangeNotSatisfiable, ...all } = responses;
    const isOfGateway = ([name]: [string, unknown]) => name.startsWith("Gateway");
    const refusals = Object.fromEntries(Object.entries<JsonObject>(all).filter((each) => !isOfGateway(each)));
    // Errors of the gateway have the form of the API that the client speaks.
    for (const [, { content }] of Object.entries<JsonObject>(all).filter(isOfGateway))
      expect(content).toEqual({
        "application/json": { schema: { $ref: "#/components/schemas/JsonObject" } },
      });
    // RFC 9110, section 15.5.17: the size of the file is in a header, and there is no body.
    expect(Object.keys(RangeNotSatisfiable).toSorted()).toEqual(["description", "headers"]);
    expect(Object.keys(RangeNotSatisfiable.headers)).toEqual(["Content-Range"]);
    const contents = Object.values<JsonObject>(refusals).map(({ content }) => content);
    expect(contents.length).toBeGreaterThan(20);
    for (const content of contents)
      expect(content).toMatchObject({
        "application/json": { schema: { $ref: "#/components/schemas/Refusal" } },
      });
    const refused = Object.values<Record<string, JsonObject>>(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => Object.entries(Object(operation.responses)))
      .filter(([status]) => Number(status) >= 400);
    expect(refused.length).toBeGreaterThan(100);
    for (const [, response] of refused) expect(Object.keys(Object(response))).toEqual(["$ref"]);
  });

  test.each([
    ...["AgentMemory", "Pagination", "SearchResult", "ExtractionItem", "ExportTask", "Checkpoint", "Refusal"],
    ...["AuditRecord", "AuditRecordDetail", "MemoryResult", "RagResult", "RagSource", "Tokens"],
  ])("has the type %s", (name) => {
    expect(schemas[name]).toMatchObject({ title: name, type: "object" });
  });

  test("knows which texts are times", () => {
    const properties = everySchema(document).flatMap(({ properties }) => Object.entries(Object(properties)));
    const parameters = Object.values<Record<string, JsonObject>>(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap((operation) => (Array.isArray(operation.parameters) ? operation.parameters : []))
      .map(({ name, schema }) => [name, schema]);
    const times = [...properties, ...parameters].filter(([name]) => /_(at|time)$/.test(String(name)));
    expect(times.length).toBeGreaterThan(15);
    for (const [name, schema] of times)
      expect({ name, schema: JSON.stringify(schema) }).toEqual({
        name,
        schema: expect.stringContaining('"format":"date-time"'),
      });
  });

  test("may find more in an answer in later versions, and may not send what is unknown", () => {
    for (const [name, schema] of Object.entries<JsonObject>(schemas)) {
      const isClosed =
        name.endsWith("Request") ||
        [
          "Tokens",
          "BatchItem",
          "UpdateItem",
          "KeyGatewayChange",
          "MetadataCondition",
          "NewOrigin",
          "NewSpan",
        ].includes(name);
      expect({ name, isClosed: schema.additionalProperties === false }).toEqual({ name, isClosed });
    }
  });
});

test("a title stands for one schema, wherever it is used", () => {
  const titled = apiRoutes
    .flatMap(({ operation: { input, output } }) => everySchema(JSON.parse(JSON.stringify([input, output]))))
    .filter(({ title }) => typeof title === "string")
    .map(({ title, default: _, ...schema }) => ({ title, schema }));
  const byTitle = Map.groupBy(titled, ({ title }) => title);
  expect(byTitle.size).toBeGreaterThan(20);
  for (const [title, uses] of byTitle)
    expect({ title, forms: new Set(uses.map(({ schema }) => JSON.stringify(schema))).size }).toEqual({
      title,
      forms: 1,
    });
});

/** All objects within a JSON value, examples left out. */
function everySchema(value: Json): JsonObject[] {
  if (Array.isArray(value)) return value.flatMap(everySchema);
  if (!isObject(value)) return [];
  const members = Object.entries(value).filter(([name]) => name !== "example" && name !== "examples");
  return [value, ...members.flatMap(([, member]) => everySchema(member))];
}

function isObjectSchema({ type }: JsonObject): boolean {
  return type === "object" || (Array.isArray(type) && type.includes("object"));
}

describe("the table of routes", () => {
  test("reaches every operation of a project exactly once", () => {
    const reached = routes.map(({ operation }) => operation.name);
    expect(reached.toSorted()).toEqual(projectOperations.map(({ name }) => name).toSorted());
  });

  test("says which kind of key each operation needs", () => {
    const { paths, security } = JSON.parse(text);
    expect(security).toEqual([{ bearer: [] }]);
    for (const { method, path, operation } of apiRoutes) {
      const described = paths[path.replace(/:(\w+)/g, "{$1}")][method.toLowerCase()];
      expect(described.security).toEqual(
        operation.scope === "project" ? undefined : [{ administration: [] }],
      );
    }
  });

  for (const { operation } of apiRoutes) {
    test(`${operation.name} has an example that its own schemas accept`, () => {
      const { example, input, output } = operation;
      if (example === undefined) throw new Error("an example is missing");
      expect([...Value.Errors(input, example.input)]).toEqual([]);
      if (output === null) expect(example.data).toBeNull();
      else expect([...Value.Errors(output, example.data)]).toEqual([]);
    });
  }
});

// Proves that the OpenAPI document is valid 3.1, that it covers every route, and that its examples are true.

import { describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { Value } from "@sinclair/typebox/value";
import { openApiDocument } from "../../src/http/openapi.ts";
import { routes } from "../../src/http/routes.ts";
import { projectOperations } from "../../src/operations.ts";

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
    expect(text.match(/"last_accessed_at":\{/g)?.length).toBe(1);
  });

  test("names an update's fields in the body and its id in the path", () => {
    const { put } = JSON.parse(text).paths["/v1/memories/{memory_id}"];
    expect(put.parameters[0]).toMatchObject({ name: "memory_id", in: "path", required: true });
    const { schema } = put.requestBody.content["application/json"];
    expect(Object.keys(schema.properties)).toEqual([
      "content",
      "memory_type",
      "importance",
      "is_active",
      "expires_at",
    ]);
    expect(Object.keys(put.responses)).toContain("409");
    expect(put.responses["403"].description).toContain("2106");
  });
});

describe("the table of routes", () => {
  test("reaches every operation of a project exactly once", () => {
    const reached = routes.map(({ operation }) => operation.name);
    expect(reached.toSorted()).toEqual(projectOperations.map(({ name }) => name).toSorted());
  });

  for (const { operation } of routes) {
    test(`${operation.name} has an example that its own schemas accept`, () => {
      const { example, input, output } = operation;
      if (example === undefined) throw new Error("an example is missing");
      expect([...Value.Errors(input, example.input)]).toEqual([]);
      if (output === null) expect(example.data).toBeNull();
      else expect([...Value.Errors(output, example.data)]).toEqual([]);
    });
  }
});

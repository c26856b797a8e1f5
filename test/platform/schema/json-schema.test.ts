// Tests the JSON Schema of operations apart from OpenAPI, in documents of their own, as MCP needs them.

import { describe, expect, test } from "bun:test";
import { installationOperations, projectOperations } from "../../../src/calls/operations.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import {
  type NamedSchemas,
  toAnswerSchema,
  toRequestSchema,
} from "../../../src/platform/schema/json-schema.ts";
import { openApiDocument } from "../../../src/transports/http/openapi/openapi.ts";

const open = (): NamedSchemas => ({ pointer: "#/$defs", byName: new Map<string, JsonObject>() });

describe.each([...projectOperations, ...installationOperations])("$name", ({ input, output }) => {
  test("describes itself in one document whose references all lead somewhere", () => {
    const named = open();
    const request = toRequestSchema(input, named);
    const answer = output === null ? null : toAnswerSchema(output, named);
    const text = JSON.stringify({ request, answer, $defs: Object.fromEntries(named.byName) });
    for (const [, title = ""] of text.matchAll(/"\$ref":"#\/\$defs\/(\w+)"/g)) {
      expect([...named.byName.keys()]).toContain(title);
    }
    expect(text).not.toContain("#/components");
    expect(request).toMatchObject({ type: "object", additionalProperties: false });
    expect(Object.keys((request.properties ?? {}) as JsonObject)).toEqual(Object.keys(input.properties));
  });
});

test("a document of its own says what OpenAPI says, at another place", () => {
  const named = open();
  for (const { input } of projectOperations) toRequestSchema(input, named);
  for (const { output } of projectOperations) if (output !== null) toAnswerSchema(output, named);
  const { components } = JSON.parse(JSON.stringify(openApiDocument()));
  expect(named.byName.size).toBeGreaterThan(5);
  for (const [title, schema] of named.byName) {
    const there = JSON.parse(JSON.stringify(schema).replaceAll("#/$defs/", "#/components/schemas/"));
    expect(components.schemas[title]).toEqual(there);
  }
});

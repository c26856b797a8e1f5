// Holds the generated files of the clients to the current API: `bun run clients` writes them.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readApi } from "../../clients/generator/api.ts";
import { generatedFiles } from "../../clients/generator/generated-files.ts";
import { typescriptFiles } from "../../clients/generator/typescript.ts";
import type { JsonObject } from "../../src/json/json.ts";
import { version } from "../../src/version.ts";

const root = join(import.meta.dir, "../../clients");
const files = Object.entries(generatedFiles());

test.each(files)("%s is that of the current API; otherwise run: bun run clients", (path, text) => {
  expect(readFileSync(join(root, path), "utf8") === text).toBe(true);
});

test("no other file is in the folders of generated files", () => {
  const found = [...new Bun.Glob("**/*generated/*.{ts,py}").scanSync({ cwd: root })].toSorted();
  const expected = files.map(([path]) => path).filter((path) => path !== "openapi.json");
  expect(found).toEqual(expected.toSorted());
});

test("the packages have the version of the server", () => {
  const manifest = JSON.parse(readFileSync(join(root, "typescript/package.json"), "utf8"));
  expect(manifest.version).toBe(version);
});

test("each package has the licence of the product", () => {
  const licence = readFileSync(join(root, "../LICENSE"), "utf8");
  expect(readFileSync(join(root, "typescript/LICENSE"), "utf8")).toBe(licence);
});

describe("the generator", () => {
  const document = (schema: JsonObject): JsonObject => ({
    info: { version: "1.0.0" },
    tags: [{ name: "Memory", description: "Memories, such as */ in a comment." }],
    paths: {
      "/v1/memories": {
        post: {
          operationId: "memoryCreate",
          tags: ["Memory"],
          summary: "Create",
          description: 'With """ and \\ in it.',
          "x-effects": { idempotent: false },
          "x-may-run-long": false,
          parameters: [],
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: "#/components/schemas/CreateRequest" } } },
          },
          responses: { 204: {} },
        },
      },
    },
    components: {
      schemas: { CreateRequest: { type: "object", required: ["field"], properties: { field: schema } } },
    },
  });

  test.each<[JsonObject, string]>([
    [{ type: "string", maxLength: 5 }, "field: string;"],
    [{ type: "integer" }, "field: number;"],
    [{ enum: ["a", "b"] }, 'field: "a" | "b";'],
    [{ type: "array", items: { enum: ["a", "b"] } }, 'field: readonly ("a" | "b")[];'],
    [{ anyOf: [{ type: "string", format: "date" }, { type: "string" }] }, "field: string;"],
    [{ anyOf: [{ type: "boolean" }, { type: "null" }] }, "field: boolean | null;"],
    [{}, "field: unknown;"],
  ])("makes of %j: %s", (schema, expected) => {
    expect(typescriptFiles(readApi(document(schema)))["models.ts"]).toContain(expected);
  });

  test.each<[JsonObject]>([
    [{ not: { type: "string" } }],
    [{ type: "string", oneOf: [] }],
    [{ type: ["string", "null"] }],
    [{ enum: [1, 2] }],
    [{ $ref: "#/components/parameters/Field" }],
  ])("refuses %j, which it does not know, instead of writing a wrong type", (schema) => {
    expect(() => readApi(document(schema))).toThrow();
  });

  test("lets no text end a comment or a string", () => {
    const text = typescriptFiles(readApi(document({ type: "string", description: "*/ alert() /*" })));
    for (const file of Object.values(text)) {
      new Bun.Transpiler({ loader: "ts" }).transformSync(file);
      expect(file).not.toContain("*/ in a comment");
      expect(file).not.toContain("*/ alert()");
    }
  });
});

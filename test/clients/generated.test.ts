// Holds the generated files of the clients to the current API: `bun run clients` writes them.

import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { readApi } from "../../clients/generator/api.ts";
import { generatedFiles } from "../../clients/generator/generated-files.ts";
import { pythonFiles } from "../../clients/generator/python.ts";
import { typescriptFiles } from "../../clients/generator/typescript.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { version } from "../../src/platform/version.ts";

const root = join(import.meta.dir, "../../clients");
const files = Object.entries(generatedFiles());

test.each(files)("%s is that of the current API; otherwise run: bun run clients", (path, text) => {
  expect(readFileSync(join(root, path), "utf8") === text).toBe(true);
});

test("no other file is in the folders of generated files", () => {
  const found = [...new Bun.Glob("**/*generated/*.{ts,py}").scanSync({ cwd: root })]
    .filter((path) => !path.startsWith("typescript/dist/"))
    .toSorted();
  const expected = files.map(([path]) => path).filter((path) => path !== "openapi.json");
  expect(found).toEqual(expected.toSorted());
});

test("the packages have the version of the server", () => {
  const manifest = JSON.parse(readFileSync(join(root, "typescript/package.json"), "utf8"));
  expect(manifest.version).toBe(version);
  const project = readFileSync(join(root, "python/pyproject.toml"), "utf8");
  expect(project).toContain(`\nversion = "${version}"\n`);
});

test("each package has the licence of the product", () => {
  const licence = readFileSync(join(root, "../LICENSE"), "utf8");
  for (const client of ["typescript", "python"])
    expect(readFileSync(join(root, client, "LICENSE"), "utf8")).toBe(licence);
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

  test.each<[JsonObject, string, string]>([
    [{ type: "string", maxLength: 5 }, "string", "str"],
    [{ type: "integer" }, "number", "int"],
    [{ enum: ["a", "b"] }, '"a" | "b"', 'Literal["a", "b"]'],
    [{ type: "array", items: { enum: ["a", "b"] } }, 'readonly ("a" | "b")[]', 'Sequence[Literal["a", "b"]]'],
    [{ anyOf: [{ type: "string", format: "date" }, { type: "string" }] }, "string", "str"],
    [{ anyOf: [{ type: "boolean" }, { type: "null" }] }, "boolean | null", "bool | None"],
    [{}, "unknown", "Any"],
  ])("makes of %j: %s, and %s", (schema, typescript, python) => {
    const api = readApi(document(schema));
    expect(typescriptFiles(api)["models.ts"]).toContain(`  field: ${typescript};\n`);
    const files = pythonFiles(api);
    for (const name of ["resources.py", "async_resources.py"])
      expect(files[name]).toContain(`        field: ${python},\n`);
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

  test("refuses two methods of one name, of which a client would have only one", () => {
    const { paths, ...others } = document({ type: "string" });
    const again = {
      ...others,
      paths: { ...Object(paths), "/v1/memories/again": Object(paths)["/v1/memories"] },
    };
    expect(() => readApi(again)).toThrow("two methods have the name create");
  });

  test("lets no text end a comment or a string", () => {
    const text = typescriptFiles(readApi(document({ type: "string", description: "*/ alert() /*" })));
    for (const file of Object.values(text)) {
      new Bun.Transpiler({ loader: "ts" }).transformSync(file);
      expect(file).not.toContain("*/ in a comment");
      expect(file).not.toContain("*/ alert()");
    }
    const { "resources.py": resources = "" } = pythonFiles(readApi(document({ type: "string" })));
    expect(resources).toContain('With \\"\\"" and \\\\ in it.');
  });
});

// Proves that query parameters and identifiers of any form are answered with their code and a message that says what to do.

import { afterAll, describe, expect, test } from "bun:test";
import { pageSizeMax } from "../../../src/platform/limits.ts";
import { type CallOptions, startTestApp } from "../../fixture.ts";
import { createMemory, sendRecorded } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const send = (method: string, path: string, options?: CallOptions) =>
  sendRecorded(app, method, path, options);

const collection = "/v1/memories";
const search = "/v1/memories/search";
const one = `${collection}/${await createMemory(app, { content: "To be changed.", memory_type: "fact" })}`;

describe("parameters of the list", () => {
  const good = [
    "page=1",
    "page=2147483648",
    "page_size=1",
    `page_size=${pageSizeMax}`,
    "sort_by=updated_at&sort_dir=asc",
    "memory%5Ftype=rule",
    "",
  ];
  for (const parameters of good) {
    test(`takes ?${parameters}`, async () => {
      expect(await send("GET", `${collection}?${parameters}`)).toMatchObject({ status: 200, code: 1000 });
    });
  }

  const bad: [parameters: string, field: string | null][] = [
    ["page=0", "page"],
    ["page=-1", "page"],
    ["page=2147483649", "page"],
    ["page=1.5", "page"],
    ["page=1.0", "page"],
    ["page=1e0", "page"],
    ["page=1e1", "page"],
    ["page=1e400", "page"],
    ["page=NaN", "page"],
    ["page=", "page"],
    ["page", "page"],
    ["page=0x10", "page"],
    ["page=01", "page"],
    ["page=%201", "page"],
    ["page=true", "page"],
    ["page_size=0", "page_size"],
    [`page_size=${pageSizeMax + 1}`, "page_size"],
    ["page_size=all", "page_size"],
    ["memory_type=facts", "memory_type"],
    ["memory_type=", "memory_type"],
    ["sort_by=content", "sort_by"],
    ["sort_by=importance;drop", "sort_by"],
    ["sort_dir=down", "sort_dir"],
    ["page=1&page=2", "page"],
    ["page=1&page=1", "page"],
    ["page[]=1", "page[]"],
    ["PAGE=1", "PAGE"],
    ["page=%zz", null],
    ["page=%ff", null],
    ["%ED%A0%80=1", null],
    ["page=%00", "page"],
  ];
  for (const [parameters, field] of bad) {
    test(`refuses ?${parameters.slice(0, 40)}`, async () => {
      const reply = await send("GET", `${collection}?${parameters}`);
      expect(reply).toMatchObject({ status: 400, code: 1400 });
      if (field !== null) expect(reply.data).toMatchObject({ field });
    });
  }

  test.each(["unknown", "__proto__", "constructor", "toString", "", "memory_id", "x".repeat(5_000)])(
    "ignores ?%s=1 and says so",
    async (name) => {
      const reply = await send("GET", `${collection}?${name}=1`);
      expect(reply).toMatchObject({ status: 200, code: 1000 });
      expect(reply.headers.get("memledger-ignored-parameters")).toBe(name.slice(0, 100));
    },
  );

  test("operations with a body take none of its fields, and those of a path not its own", async () => {
    for (const [method, path] of [
      ["POST", `${collection}?content=x`],
      ["POST", `${search}?query=x`],
      ["PUT", `${one}?importance=1`],
      ["DELETE", `${collection}?force=true`],
      ["GET", `${one}?memory_id=x`],
    ] as const) {
      const body =
        method === "POST" || method === "PUT"
          ? { body: { content: "Never stored.", memory_type: "fact" } }
          : {};
      const reply = await send(method, path, body);
      expect(reply).toMatchObject({ status: 400, code: 1400 });
      expect(reply.message).toStartWith("Query parameter ");
    }
  });
});

describe("identifiers", () => {
  const id = one.slice(collection.length + 1);
  const malformed = [
    "x",
    "0",
    id.slice(1),
    `${id}0`,
    id.toUpperCase().replace(/^0/, "O"),
    `${id.slice(0, 8)}-${id.slice(8, 12)}-${id.slice(12, 16)}-${id.slice(16, 20)}-${id.slice(20)}`,
    "g".repeat(32),
    "%zz",
    "%00",
    "%ff%fe",
    "a%2fb",
    "..%2f..%2fetc%2fpasswd",
    "null",
    "__proto__",
    "'%20OR%201=1--",
    "%F0%9F%A6%8A",
    "١".repeat(32),
    "a".repeat(8_000),
  ];
  for (const [method, options] of [
    ["GET", {}],
    ["PUT", { body: { importance: 0 } }],
    ["DELETE", {}],
  ] as const) {
    test(`${method} answers 2100 for whatever is no identifier`, async () => {
      for (const text of malformed) {
        const reply = await send(method, `${collection}/${text}`, options);
        expect({ text, status: reply.status, code: reply.code }).toEqual({ text, status: 404, code: 2100 });
      }
    });
  }

  test("a request line beyond the server's limit is refused, not crashed on", async () => {
    const response = await fetch(`${app.url}${collection}/${"a".repeat(100_000)}`);
    expect(response.status).toBe(431);
    expect((await app.call("GET", one)).status).toBe(200);
  });
});

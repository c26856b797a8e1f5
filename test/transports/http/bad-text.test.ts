// Proves that every text is counted in code points and kept verbatim, and that what is no text is refused by name.

import { afterAll, describe, expect, test } from "bun:test";
import { contentMaxCharacters } from "../../../src/platform/limits.ts";
import { type CallOptions, startTestApp } from "../../fixture.ts";
import { createMemory, sendRecorded } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const send = (method: string, path: string, options?: CallOptions) =>
  sendRecorded(app, method, path, options);

const collection = "/v1/memories";
const search = "/v1/memories/search";
const one = `${collection}/${await createMemory(app, { content: "To be changed.", memory_type: "fact" })}`;

let created = 0;

describe("texts", () => {
  const targets: [name: string, method: string, path: string, body: (text: string) => object][] = [
    ["content of a new memory", "POST", collection, (content) => ({ content, memory_type: "fact" })],
    ["content of a change", "PUT", one, (content) => ({ content })],
    ["query of a search", "POST", search, (text) => ({ query: text })],
  ];
  const good: [name: string, text: (salt: string) => string][] = [
    ["one character", (salt) => salt.slice(-1)],
    ["10,000 characters", (salt) => salt + "a".repeat(contentMaxCharacters - salt.length)],
    [
      "10,000 emoji, each of two UTF-16 units",
      (salt) => salt + "🦊".repeat(contentMaxCharacters - salt.length),
    ],
    ["emoji of many code points", (salt) => `${salt} 👩‍👩‍👧‍👦 🏴󠁧󠁢󠁳󠁣󠁴󠁿 👨🏿‍🚀`],
    ["right-to-left text", (salt) => `${salt} שלום עולם مرحبا بالعالم \u202eabc\u202c`],
    ["control characters other than NUL", (salt) => `${salt}\u0001\u001b[31m\u007f\u0085\ufeff`],
    ["noncharacters", (salt) => `${salt}\ufffe\uffff\u{10ffff}`],
    ["combining marks", (salt) => `${salt} e${"\u0301".repeat(500)}`],
    [
      "SQL and markup",
      (salt) => `${salt}'; DROP TABLE memory; -- <script>alert(1)</script> \${x} %00 \\u0000`,
    ],
  ];
  const bad: [name: string, text: string, reason: RegExp][] = [
    ["nothing", "", /blank|is empty/],
    ["white space", " \t\n\u3000\u00a0", /blank/],
    ["10,001 characters", "a".repeat(contentMaxCharacters + 1), /1 character too long/],
    ["10,001 emoji", "🦊".repeat(contentMaxCharacters + 1), /1 character too long/],
    ["NUL", "before\0after", /NUL/],
    ["a lone high surrogate", "x\ud83e", /surrogate/],
    ["a lone low surrogate", "\udd8ax", /surrogate/],
  ];
  for (const [name, method, path, body] of targets) {
    const field = name.startsWith("query") ? "query" : "content";
    for (const [kind, text] of good) {
      test(`${name}: takes ${kind} and gives it back unchanged`, async () => {
        const value = text(`${++created} ${"xyz".charAt(targets.findIndex((target) => target[0] === name))}`);
        const { status, data, record } = await send(method, path, { body: body(value) });
        expect({ status, [field]: data[field] }).toEqual({
          status: path === collection ? 201 : 200,
          [field]: value,
        });
        expect(record?.payload.request_body).toMatchObject({ [field]: value });
      });
    }
    for (const [kind, text, reason] of bad) {
      // A blank query is a query.
      if (field === "query" && kind === "white space") continue;
      test(`${name}: refuses ${kind}`, async () => {
        const reply = await send(method, path, { body: body(text) });
        expect(reply).toMatchObject({ status: 400, code: 1400, data: { field } });
        expect(reply.message).toMatch(reason);
      });
    }
    test(`${name}: refuses other types`, async () => {
      for (const value of [null, 1, true, [], ["text"], {}, { toString: "x" }]) {
        const reply = await send(method, path, { body: { ...body(""), [field]: value } });
        expect(reply).toMatchObject({ status: 400, code: 1400, data: { field } });
        expect(reply.message).toContain("must be a string");
      }
    });
  }

  test("a required field that is missing is named", async () => {
    expect((await send("POST", collection, {})).data).toMatchObject({
      field: "content",
      reason: "is required",
    });
    expect((await send("POST", collection, { body: { content: "x" } })).data).toMatchObject({
      field: "memory_type",
    });
    expect((await send("POST", search, { body: {} })).data).toMatchObject({ field: "query" });
  });
});

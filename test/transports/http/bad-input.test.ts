// Proves that whatever body is sent gets its code and a message that says what to do: fields at their limits and past them,
// wrong types, broken JSON. Texts are in bad-text.test.ts, addresses in bad-address.test.ts, sizes and keys in server.test.ts.

import { afterAll, describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { bodyMaxBytes, topKMax } from "../../../src/platform/limits.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { manyObjects } from "../../attack/heavy-bodies.ts";
import { type CallOptions, startTestApp } from "../../fixture.ts";
import { createMemory, sendRecorded } from "./scenario.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const collection = "/v1/memories";
const search = "/v1/memories/search";
const one = `${collection}/${await createMemory(app, { content: "To be changed.", memory_type: "fact" })}`;

const send = (method: string, path: string, options?: CallOptions) =>
  sendRecorded(app, method, path, options);

let created = 0;
const valid = () => ({ content: `Valid content ${++created}.`, memory_type: "fact" });
const query = { query: "anything" };

/** For each field: what is just allowed, and what is refused with what in the reason. */
const endpoints: readonly {
  readonly method: string;
  readonly path: string;
  readonly rest: () => object;
  readonly fields: Readonly<
    Record<string, { readonly good: readonly unknown[]; readonly bad: readonly unknown[] }>
  >;
}[] = [
  {
    method: "POST",
    path: collection,
    rest: valid,
    fields: {
      memory_type: {
        good: ["rule", "fact", "context"],
        bad: ["facts", "Fact", " fact", "", null, 1, [], {}],
      },
      importance: { good: [0, 1, 0.5, -0, 1e-300], bad: [-0.0001, 1.0001, 2, "0.5", null, true, [], {}] },
      expires_at: {
        good: [null, "2030-01-01T00:00:00Z", "1999-12-31T23:59:59.999-23:59", "2028-02-29T00:00:00+05:30"],
        bad: [
          "2030-01-01",
          "2030-01-01T00:00:00",
          "2030-02-30T00:00:00Z",
          "tomorrow",
          "",
          0,
          1e15,
          true,
          [],
          {},
        ],
      },
    },
  },
  {
    method: "PUT",
    path: one,
    rest: () => ({ importance: 0.5 }),
    fields: {
      memory_type: { good: ["context", "fact"], bad: ["memory", null, 0, []] },
      importance: { good: [0, 1], bad: [-1, 1.5, "1", null, []] },
      is_active: { good: [true, false], bad: ["true", 1, 0, null, [], {}] },
      expires_at: { good: [null, "2031-01-01T00:00:00Z"], bad: ["never", 1, false, {}] },
    },
  },
  {
    method: "POST",
    path: search,
    rest: () => query,
    fields: {
      memory_type: { good: ["rule"], bad: ["all", null, 3] },
      top_k: { good: [1, topKMax], bad: [0, topKMax + 1, 1.5, -1, "10", null, true, 1e300] },
      min_similarity: { good: [0, 1], bad: [-0.1, 1.1, "0.5", null, []] },
      include_expired: { good: [true, false], bad: ["false", 0, null] },
      include_inactive: { good: [true, false], bad: ["no", 1, null] },
    },
  },
  {
    method: "DELETE",
    path: collection,
    rest: () => ({}),
    fields: { memory_type: { good: ["rule"], bad: ["everything", null, "", 1, ["fact"]] } },
  },
];

for (const { method, path, rest, fields } of endpoints) {
  describe(`${method} ${path === one ? `${collection}/{memory_id}` : path}`, () => {
    for (const [field, { good, bad }] of Object.entries(fields)) {
      test(`takes ${field} within its limits`, async () => {
        for (const value of good) {
          const reply = await send(method, path, { body: { ...rest(), [field]: value } });
          expect({ value, code: reply.code, text: reply.text }).toMatchObject({ code: 1000 });
        }
      });
      test(`refuses ${field} beyond them, by name`, async () => {
        for (const value of bad) {
          const reply = await send(method, path, { body: { ...rest(), [field]: value } });
          expect({ value, status: reply.status, data: reply.data }).toEqual({
            value,
            status: 400,
            data: { field, reason: expect.stringMatching(/^(must be|has no|names a day) /) },
          });
          expect(reply.code).toBe(1400);
        }
      });
    }

    for (const field of [
      "unknown",
      "__proto__",
      "constructor",
      "toString",
      "Content",
      "content ",
      "",
      "a/b~c",
      "\u0000",
    ]) {
      test(`refuses the unknown field ${JSON.stringify(field)} by name`, async () => {
        const body = JSON.stringify(rest()).replace(
          /\}$/,
          `${Object.keys(rest()).length === 0 ? "" : ","}${JSON.stringify(field)}:1}`,
        );
        const reply = await send(method, path, { body });
        expect(reply).toMatchObject({ status: 400, code: 1400, data: { field } });
        expect(reply.message).toContain("is unknown; ");
      });
    }

    const broken: [name: string, body: string | Uint8Array, code: number, message: RegExp][] = [
      ["an array", "[]", 1400, /must be a JSON object/],
      ["null", "null", 1400, /must be a JSON object/],
      ["a number", "1", 1400, /must be a JSON object/],
      ["a string", '"text"', 1400, /must be a JSON object/],
      ["white space", "  \n", 1400, /not valid JSON/],
      ["truncated JSON", '{"content":"a', 1400, /not valid JSON/],
      ["NaN", '{"importance":NaN}', 1400, /not valid JSON/],
      ["Infinity", '{"importance":-Infinity}', 1400, /not valid JSON/],
      ["a comment", "{/* */}", 1400, /not valid JSON/],
      ["two documents", "{}{}", 1400, /not valid JSON/],
      ["a bare NUL", '{"content":"\0"}', 1400, /not valid JSON/],
      ["invalid UTF-8", Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d), 1400, /not valid UTF-8/],
      [
        "a surrogate in UTF-8",
        Uint8Array.of(0x7b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x3a, 0x31, 0x7d),
        1400,
        /UTF-8/,
      ],
      ["UTF-16", new Uint8Array(Buffer.from('\ufeff{"a":1}', "utf16le")), 1400, /not valid UTF-8/],
      ["100,000 open brackets", `{"content":${"[".repeat(100_000)}`, 1400, /more than 64 levels/],
      [
        "100,000 nested arrays",
        `{"x":${"[".repeat(100_000)}${"]".repeat(100_000)}}`,
        1400,
        /more than 64 levels/,
      ],
      ["a million empty objects", manyObjects(), 1400, /more than 50000 JSON values/],
    ];
    for (const [name, body, code, message] of broken) {
      test(`refuses ${name}`, async () => {
        const reply = await send(method, path, { body });
        expect(reply).toMatchObject({ status: code - 1000, code });
        expect(reply.message).toMatch(message);
        expect(reply.record?.payload.request_body).toBeUndefined();
        expect(reply.record?.payload.unreadable_body).toMatchObject({ length: Buffer.byteLength(body) });
      });
    }

    for (const type of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/json; charset=latin1",
      "json",
      "",
    ]) {
      test(`refuses the content type ${JSON.stringify(type)}`, async () => {
        const body = new TextEncoder().encode(JSON.stringify({ ...rest() }));
        const reply = await send(method, path, { body, headers: { "Content-Type": type } });
        expect(reply).toMatchObject({ status: 415, code: 1415 });
        expect(reply.message).toContain("application/json");
      });
    }
  });
}

describe("the media type of a body", () => {
  test.each([
    "application/json; profile=x",
    'application/json; profile="a; charset=latin1"',
    "Application/JSON;charset=UTF-8;profile=x",
    'application/json; charset="utf-8"',
    "application/json ; charset=utf8",
    "application/json;",
  ])("%s is JSON", async (type) => {
    const options = { body: JSON.stringify(query), headers: { "Content-Type": type } };
    expect(await send("POST", search, options)).toMatchObject({ status: 200 });
  });

  test.each([
    ["application/json; charset=latin1", /names the charset "latin1".* UTF-8/],
    ['application/json; charset="UTF-16"; profile=x', /names the charset "UTF-16".* UTF-8/],
    ["application/json, application/json", /Send the header Content-Type: application\/json/],
    ["application/ld+json", /Send the header Content-Type: application\/json/],
  ])("%s is refused with the reason", async (type, message) => {
    const options = { body: JSON.stringify(query), headers: { "Content-Type": type } };
    const reply = await send("POST", search, options);
    expect(reply).toMatchObject({ status: 415, code: 1415, message: expect.stringMatching(message) });
    expect(reply.record?.payload.unreadable_body).toMatchObject({ length: options.body.length });
  });

  test("is not its compression, which is refused with the reason", async () => {
    const body = Bun.gzipSync(new TextEncoder().encode(JSON.stringify(query)));
    const reply = await send("POST", search, { body, headers: { "Content-Encoding": "gzip" } });
    const message = expect.stringMatching(/has the Content-Encoding "gzip".* without compression/);
    expect(reply).toMatchObject({ status: 415, code: 1415, message });
    const plain = { body: JSON.stringify(query), headers: { "Content-Encoding": "identity" } };
    expect((await send("POST", search, plain)).status).toBe(200);
  });
});

describe("JSON of the odd kind", () => {
  test("numbers beyond all bounds are refused by name", async () => {
    for (const number of ["1e400", "-1e400", "1e309", "123456789".repeat(50)]) {
      const body = `{"content":"x","memory_type":"fact","importance":${number}}`;
      const reply = await send("POST", collection, { body });
      expect(reply).toMatchObject({ status: 400, code: 1400, data: { field: "importance" } });
    }
  });

  /** Refused by the name of the field, and recorded by length and digest: what JSON.parse makes of it is not what was sent. */
  const expectUnread = async (path: string, body: string, field: string, reason: RegExp) => {
    const { status, code, data, message, record } = await send("POST", path, { body });
    expect({ body, status, code, data }).toEqual({
      body,
      status: 400,
      code: 1400,
      data: { field, reason: expect.stringMatching(reason) },
    });
    expect(message).toStartWith(`Field "${field}" `);
    expect(record?.payload.request_body).toBeUndefined();
    const sha256 = createHash("sha256").update(body).digest("hex");
    expect(record?.payload.unreadable_body).toEqual({ length: Buffer.byteLength(body), sha256 });
  };

  test("a name that appears twice is refused, however it is written", async () => {
    const twice = /^is sent more than once/;
    await expectUnread(collection, '{"content":"a","content":"b","memory_type":"fact"}', "content", twice);
    await expectUnread(collection, '{"content":"a","\\u0063ontent":"b"}', "content", twice);
    const append = (rest: string) => `{"action":"gateway.chat","http_status":201,${rest}}`;
    const logs = "/v1/audit/logs";
    await expectUnread(logs, append('"request_body":{"a":[{},{"b":1,"b":2}]}'), "request_body/a/1/b", twice);
    await expectUnread(logs, append('"metadata":{"":1,"":1}'), "metadata/", twice);
    expect((await send("POST", logs, { body: append('"metadata":{"a":{"a":1},"b":[{"a":1}]}') })).code).toBe(
      1000,
    );
  });

  test("a number that a double cannot hold is refused, an ordinary one is recorded as it is", async () => {
    const append = (number: string) =>
      `{"action":"gateway.chat","http_status":201,"request_body":{"seed":[0,${number}]}}`;
    for (const number of [
      "9007199254740993",
      "-9223372036854775808",
      "1e400",
      "1e-400",
      "0.12345678901234567890",
    ]) {
      await expectUnread("/v1/audit/logs", append(number), "request_body/seed/1", /double precision/);
    }
    for (const number of ["9007199254740992", "0.1", "1.10", "1e3", "-1.5E-7", "0.10000000000000001"]) {
      const { code, record } = await send("POST", "/v1/audit/logs", { body: append(number) });
      expect(code).toBe(1000);
      expect(record?.payload.request_body).toEqual({ seed: [0, Number(number)] });
    }
  });

  test("an appended record with a lone surrogate is refused", async () => {
    const body = '{"action":"gateway.chat","http_status":200,"metadata":{"x":"\\ud83e"}}';
    const { code, message, record } = await send("POST", "/v1/audit/logs", { body });
    expect({ code, message }).toEqual({ code: 1400, message: expect.stringMatching(/lone surrogate/) });
    expect(record?.payload.unreadable_body).toMatchObject({ length: body.length });
  });

  test.each([
    ['{"action":"gateway.chat","http_status":200,"metadata":{"x":[{},{"y":"\\ud83e"}]}}', "metadata/x/1/y"],
    ['{"action":"gateway.chat","http_status":200,"metadata":{"x":{"a\\udd8a":1}}}', "metadata/x/a\ufffd"],
    ['{"action":"gateway.chat","http_status":200,"rag_query":["well","\\ud83e"]}', "rag_query/1"],
  ])("a lone surrogate is named by its place: %s", async (body, field) => {
    const reason = "contains a lone surrogate; send well-formed Unicode";
    const reply = await send("POST", "/v1/audit/logs", { body });
    expect(reply).toMatchObject({
      code: 1400,
      message: `Field "${field}" ${reason}.`,
      data: { field, reason },
    });
  });

  test("metadata of another type and metadata that is too long have reasons of their own", async () => {
    for (const [metadata, reason] of [
      ["[1]", "must be a JSON object, such as {}"],
      ["5", "must be a JSON object, such as {}"],
      [`{"a":"${"x".repeat(5_000)}"}`, "has 5008 bytes; the maximum is 4096"],
      ["x".repeat(4_097), "has 4097 bytes; the maximum is 4096"],
    ] as const) {
      const reply = await send("GET", collection, { headers: { "X-Audit-Metadata": metadata } });
      const message = `The header X-Audit-Metadata ${reason}.`;
      expect(reply).toMatchObject({ code: 1400, message, data: { field: "X-Audit-Metadata", reason } });
    }
  });

  test("administration is read as strictly", async () => {
    const { socket: unix } = locate(app.config.dataDir);
    for (const [body, message] of [
      ['{"name":"a","name":"b"}', 'Field "name" is sent more than once; send it once.'],
      ["{", "The body is not valid JSON. Check quotes and commas, and that the text is complete."],
      ["[]", "The body must be a JSON object."],
    ] as const) {
      const response = await fetch("http://localhost/project.create", { unix, method: "POST", body });
      expect(await response.json()).toEqual({ success: false, code: 1400, message, data: {} });
    }
  });

  test("metadata is read as strictly as a body", async () => {
    for (const [metadata, reason] of [
      ['{"a":1,"a":2}', /field "a" is sent more than once/],
      ['{"a":{"b":12345678901234567890}}', /field "a\/b" is the number 12345678901234567890/],
      [`${'{"a":'.repeat(65)}1${"}".repeat(65)}`, /more than 64 levels/],
      ["{", /not valid JSON/],
      ["[]", /must be a JSON object/],
    ] as const) {
      const reply = await send("GET", collection, { headers: { "X-Audit-Metadata": metadata } });
      expect(reply).toMatchObject({ code: 1400, data: { field: "X-Audit-Metadata" } });
      expect(reply.message).toMatch(reason);
      expect(reply.record?.payload.metadata).toBeUndefined();
    }
  });

  test("a byte order mark and escapes are understood", async () => {
    const body = '\ufeff{"content":"\\u0041\\ud83e\\udd8a escaped","memory_type":"fact"}';
    expect((await send("POST", collection, { body })).data).toMatchObject({ content: "A🦊 escaped" });
  });

  test("a lone surrogate in the name of a field is refused without being repeated", async () => {
    const reply = await send("POST", collection, {
      body: '{"\\ud83e":1,"content":"x","memory_type":"fact"}',
    });
    expect(reply).toMatchObject({ status: 400, code: 1400, data: { field: "\ufffd" } });
  });
});

describe("what the record keeps of a refused body", () => {
  const filled = (bytes: number) => {
    const body = { x: "", memory_type: "fact" };
    return { ...body, x: "x".repeat(bytes - JSON.stringify(body).length) };
  };

  test.each([5_000, bodyMaxBytes])("is all of it: %d bytes", async (bytes) => {
    const body = filled(bytes);
    const { code, record } = await send("POST", collection, { body });
    expect({ code, isKept: Bun.deepEquals(record?.payload.request_body, body) }).toEqual({
      code: 1400,
      isKept: true,
    });
  });

  test("is all of it when the rules of the operation refused it", async () => {
    const content = "Said before. ".repeat(700).trim();
    const body = { content, memory_type: "fact" };
    expect((await send("POST", collection, { body })).code).toBe(1000);
    const { code, record } = await send("POST", collection, { body });
    expect(code).toBe(2104);
    expect(record?.payload.request_body).toEqual(body);
  });
});

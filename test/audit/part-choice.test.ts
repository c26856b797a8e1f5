// Checks which values of a payload become parts, for payloads of any shape: no text that somebody chose is in part 0 or in a pointer, and
// the parts are the payload. Checks the list of what the server makes against the schemas of all operations.

import { describe, expect, test } from "bun:test";
import type { TSchema } from "@sinclair/typebox";
import fc from "fast-check";
import { madeInAnswers, partPlaces, withSender } from "../../src/audit/parts/part-choice.ts";
import { cutPayload, encodeParts } from "../../src/audit/parts/parts.ts";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { parseHeader } from "../../src/audit/verify/part-header.ts";
import { joinParts } from "../../src/audit/verify/part-places.ts";
import { verifyParts } from "../../src/audit/verify/parts.ts";
import { installationOperations, projectOperations } from "../../src/calls/operations.ts";
import type { Json, JsonObject } from "../../src/platform/json/json.ts";

const cut = (payload: JsonObject) => cutPayload(payload, [], partPlaces(payload));
const placesIn = (parts: readonly { header: string }[]) =>
  parts.flatMap(({ header }) => parseHeader(header)?.at ?? []);

function join(parts: ReturnType<typeof cut>): JsonObject | null {
  const { salt, hash, compressed } = encodeParts(parts);
  const stored = { content: new Uint8Array(Bun.zstdDecompressSync(compressed)), salt };
  const verified = verifyParts(stored, { parts: parts.length, payloadHash: hash }, runtimeCryptography);
  return verified === null ? null : joinParts(verified);
}

/** In every text and every name that somebody chose. */
const mark = "¤";
const chosenText = fc.string({ unit: "grapheme", maxLength: 8 }).map((text) => `${mark}${text}`);
/** Names that are listed somewhere are chosen, too. */
const chosenName = fc.oneof(
  chosenText,
  fc.constantFrom("id", "data", "items", "messages", "memories", "input", "status", "success", "__proto__"),
);
const free = fc.letrec<{ value: Json; object: JsonObject; array: readonly Json[] }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom<Json>(null, true, 0, 1e21),
    chosenText,
    tie("array"),
    tie("object"),
  ),
  array: fc.array(tie("value"), { maxLength: 4 }),
  object: fc
    .array(fc.tuple(chosenName, tie("value")), { maxLength: 4 })
    .map((members): JsonObject => Object.fromEntries(members)),
}));

const id = fc.constant("0193a5c0000070008000000000000004");
const time = fc.constant("2026-11-21T09:30:00.000Z");
const some = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 });
const object = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.record(members).map((value): JsonObject => JSON.parse(JSON.stringify(value)));
const objects = (members: Record<string, fc.Arbitrary<unknown>>) =>
  fc.array(object(members), { maxLength: 5 });

const memory = {
  id,
  content: some(chosenText),
  memory_type: fc.constant("fact"),
  importance: fc.constant(0.5),
  created_at: time,
  expires_at: some(fc.oneof(time, fc.constant(null))),
  tags: some(fc.array(chosenText, { maxLength: 3 })),
  metadata: some(free.object),
};
const result = { index: fc.nat(9), id, status: fc.constant("created"), message: some(chosenText) };
const data = fc.oneof(
  object(memory),
  objects(memory),
  object({
    memories: some(objects(memory)),
    results: some(
      fc.oneof(objects(result), objects({ memory: object(memory), similarity: fc.constant(0.5) })),
    ),
    rules: some(objects(memory)),
    query: some(chosenText),
    prompt: some(chosenText),
    total: fc.nat(9),
    pagination: object({ page: fc.nat(9), total: fc.nat(9) }),
    next_cursor: some(chosenText),
    later: some(
      fc.oneof(
        chosenText,
        fc.array(fc.dictionary(chosenText, free.value)),
        fc.dictionary(chosenText, free.value),
      ),
    ),
  }),
);
const ownAnswer = fc.oneof(
  object({ success: fc.constant(true), code: fc.constant(1000), message: fc.constant("success"), data }),
  object({ success: fc.constant(false), code: fc.constant(1400), message: chosenText, data: free.object }),
);
const made = {
  transport: some(fc.constantFrom("mcp", "gateway", "console")),
  session_id: some(id),
  sign_in_link: some(id),
  performed_for: some(fc.constant("gateway.chat")),
  remembers: some(object({ record: id, part: fc.constant(1), attempt: fc.constant(2) })),
  memory: some(fc.constantFrom("injected", "failed")),
  injection: some(id),
  outcome: some(fc.constant("unknown")),
  redacted: some(fc.array(fc.nat(9))),
  redacted_parts: some(fc.constant([[1, [0, 2]]])),
  payloads_through: some(fc.nat(9)),
  deleted_memories: some(fc.array(object({ id, memory_type: fc.constant("rule") }), { maxLength: 3 })),
};
const chosen = {
  ip_address: some(chosenText),
  user_agent: some(chosenText),
  client_name: some(chosenText),
  os_uid: some(fc.constant(4_294_967_294)),
  os_user: some(chosenText),
  error_msg: some(chosenText),
  metadata: some(free.object),
  request_parameters: some(free.object),
  unreadable_body: some(object({ length: fc.nat(9), sha256: chosenText })),
  model_id: some(chosenText),
  gateway_id: some(chosenText),
  input_content: some(fc.oneof(free.object, free.array)),
  output_content: some(fc.oneof(chosenText, free.object)),
  memory_query: some(fc.array(chosenText, { maxLength: 2 })),
  memory_results: some(objects(memory)),
  former_values: some(free.object),
  upstreams: some(objects({ name: chosenText, models: fc.nat(9) })),
  told: some(object({ memories: fc.array(id), sections: fc.array(chosenText) })),
  names: some(objects({ pseudonym: id, name: chosenText })),
  request_body: some(
    fc.oneof(
      free.object,
      object({ memories: fc.oneof(objects(memory), free.array), [`${mark}name`]: free.value }),
      object({ messages: fc.oneof(objects({ role: chosenText, content: chosenText }), free.value) }),
    ),
  ),
  later_member: some(free.value),
};
const payload = fc.oneof(
  object({ ...made, ...chosen, response_body: some(ownAnswer) }),
  // Of an exchange: the body of the upstream.
  object({
    ...made,
    ...chosen,
    answer: object({ end: fc.constant("complete"), id: chosenText, usage: free.object }),
    response_body: some(
      fc.oneof(free.object, ownAnswer, object({ success: fc.constant(true), data: free.object })),
    ),
  }),
);

const defined = new Set([...Object.keys(chosen), ...Object.keys(made), "sender", "answer", "response_body"]);
const inAnswers =
  /^\/(success|code|message|data(\/(content|tags|metadata|memories|results|rules|query|prompt|next_cursor|later))?)(\/\d+)?$/;

describe("any payload", () => {
  test("is cut into parts of which the first has only what the server made, and is joined again", () => {
    fc.assert(
      fc.property(payload, (before) => {
        const moved = withSender(before);
        const parts = cut(moved);
        expect(parts[0]?.text).not.toContain(mark);
        expect(parts[0]?.text).not.toContain("os_uid");
        for (const at of placesIn(parts)) {
          const [, name = "", ...inside] = at.split("/");
          expect(at === "" || defined.has(name)).toBe(true);
          const rest = at.slice(name.length + 1);
          if (name === "response_body" && rest !== "") expect(rest).toMatch(inAnswers);
          else if (name === "request_body" || name === "input_content")
            expect(rest).toMatch(/^((\/(input|memories|messages))?\/\d+)?$/);
          else if (name !== "response_body") expect(inside.join("/")).toMatch(/^\d*$/);
        }
        expect(join(parts)).toEqual(moved);
      }),
      { numRuns: 2000 },
    );
  });
});

describe("an array that would make more parts than a payload may have is not cut", () => {
  const items = (count: number, text: string) =>
    Array.from({ length: count }, (_, at) => ({ content: `${text}${at}` }));
  const answer = (results: Json) => ({ success: true, code: 1000, message: "success", data: { results } });

  test("of an answer: it is one part", () => {
    const parts = cut({ sender: { user_agent: "a" }, response_body: answer(items(9_999, "a")) });
    expect(placesIn(parts)).toEqual(["", "/sender", "/response_body/data/results"]);
  });

  test("of a request: it is in the part around it, and others are cut", () => {
    const request_body = { messages: items(10_000, "a"), memories: items(9_997, "b") };
    const parts = cut({ sender: { user_agent: "a" }, request_body });
    expect(parts.length).toBe(10_000);
    expect(placesIn(parts).slice(0, 4)).toEqual(["", "/sender", "/request_body", "/request_body/memories/0"]);
  });
});

test("a text that repeats is one part, and what an answer says of each item by itself is none", () => {
  const prompt = "Rules:\n- Use bun.";
  const results = [
    { index: 0, status: "created", id: "0193a5c0000070008000000000000004" },
    { index: 1, status: "refused", code: 1400, message: "Field bob is unknown." },
  ];
  const response_body = { success: true, code: 1000, message: "success", data: { prompt, results } };
  expect(placesIn(cut({ output_content: prompt, response_body }))).toEqual([
    "",
    "/output_content",
    "/response_body/data/prompt",
    "/response_body/data/results/1",
  ]);
});

test("a message that a request says and its record repeats is one part", () => {
  const messages = [
    { role: "user", content: "Bob lives in Oslo." },
    { role: "user", content: "And Ana?" },
  ];
  const request_body = { model: "m", messages };
  const at = ["", "/input_content", "/request_body"];
  const repeated = (array: string) =>
    [0, 1].flatMap((index) => [`${array}/${index}`, `/request_body/messages/${index}`]);
  expect(placesIn(cut({ input_content: messages, request_body }))).toEqual([
    ...at,
    ...repeated("/input_content"),
  ]);
  expect(placesIn(cut({ input_content: { messages }, request_body }))).toEqual([
    ...at,
    ...repeated("/input_content/messages"),
  ]);
});

test("the texts of a refusal are parts, its equal messages one", () => {
  const message = "Field bob is unknown.";
  const response_body = { success: false, code: 1400, message, data: { field: "bob" } };
  const parts = cut({ error_msg: message, response_body });
  expect(parts[0]?.text).toBe(
    '{"error_msg":null,"response_body":{"code":1400,"data":null,"message":null,"success":false}}',
  );
  expect(placesIn(parts)).toEqual(["", "/error_msg", "/response_body/message", "/response_body/data"]);
});

/** Every member at the outermost level of `data` of an answer, and of the items of an array there. */
function* membersOf(schema: TSchema, isItem = false): Generator<readonly [string, TSchema]> {
  for (const each of [schema, ...(schema.anyOf ?? [])]) {
    for (const [name, member] of Object.entries<TSchema>(each.properties ?? {})) {
      yield [name, member];
      if (!isItem) yield* membersOf({ anyOf: arraysIn(member) } as unknown as TSchema, true);
    }
    if (!isItem && each.items !== undefined) yield* membersOf(each.items, true);
  }
}

const arraysIn = (schema: TSchema): TSchema[] =>
  [schema, ...(schema.anyOf ?? [])].flatMap(({ items }) => (items === undefined ? [] : [items]));

test("what an operation may answer under a name that the server makes is an id, a time, one of a few words or numbers", () => {
  const found = new Set<string>();
  for (const { output, name: operation, answersWithRecords } of [
    ...projectOperations,
    ...installationOperations,
  ]) {
    if (output === null || answersWithRecords === true || operation === "audit.append") continue;
    for (const [name, schema] of membersOf(output)) {
      if (!madeInAnswers.has(name)) continue;
      found.add(name);
      const forms = (schema.anyOf ?? [schema]).filter(({ type }: TSchema) => type !== "null");
      for (const form of forms) {
        const isNumbers =
          form.type === "object" &&
          Object.values<TSchema>(form.properties).every(({ type }) => type === "integer");
        const isId = /(^|_)id$|_by$/.test(name) && form.pattern === undefined;
        const isMade =
          isNumbers ||
          isId ||
          form.format === "date-time" ||
          form.type === "integer" ||
          form.enum !== undefined ||
          form.const !== undefined;
        expect([operation, name, isMade]).toEqual([operation, name, true]);
      }
    }
  }
  expect([...found].sort()).toEqual([...madeInAnswers].sort());
});

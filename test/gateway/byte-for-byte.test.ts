// Proves over HTTP that the gateway changes nothing on the way: whatever a client sends and an upstream answers, in whatever pieces, arrives
// byte for byte on the other side, except for memory.

import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { eventStream, type PreparedAnswer } from "./fake-upstream.ts";
import { type ServedGateway, startGateway, withoutMemory } from "./served.ts";
import { chatStream, event, messagesStream, responsesStream } from "./streams.ts";

let served: ServedGateway;
beforeAll(async () => {
  served = await startGateway();
});
afterAll(() => served[Symbol.asyncDispose]());

interface Dialect {
  readonly path: string;
  readonly stream: readonly string[];
  /** Members that make a body one of this API. */
  readonly conversation: object;
}
const user = { role: "user", content: "When do we release?" };
const dialects: readonly Dialect[] = [
  { path: "/v1/chat/completions", stream: chatStream, conversation: { messages: [user] } },
  { path: "/v1/responses", stream: responsesStream, conversation: { input: [user], store: false } },
  { path: "/v1/messages", stream: messagesStream, conversation: { messages: [user], max_tokens: 9 } },
];

interface Arrived {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

async function ask(path: string, body: string, headers: Record<string, string> = {}): Promise<Arrived> {
  const { app } = served;
  // Nothing is decompressed, so that the bytes are those on the wire.
  const init = { method: "POST", body, decompress: false, redirect: "manual" as const };
  const response = await fetch(`${app.url}${path}`, {
    ...init,
    headers: { Authorization: `Bearer ${app.apiKey}`, "Content-Type": "application/json", ...headers },
  });
  return {
    status: response.status,
    headers: response.headers,
    body: Buffer.from(await response.arrayBuffer()),
  };
}
const off = { "Memledger-Memory": "off" };
const lastReceived = () => served.upstream.received.at(-1)?.body.toString("utf8") ?? "";

/** Cuts bytes at random places. */
function cutAt(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const at = [...new Set(places.map((place) => Math.floor(place * bytes.length)))].toSorted((a, b) => a - b);
  return [...at, bytes.length].map((end, index) => bytes.subarray(at[index - 1] ?? 0, end));
}
const places = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), { maxLength: 12 });

/** Events that no API has, comments, and what is no event at all. */
const noise = fc.oneof(
  fc.constantFrom(
    ": ping\n\n",
    "\n",
    "retry: 10\n\n",
    "data:\n\n",
    "data: [DONE]\n\n",
    "id: 7\ndata: {}\r\n\r\n",
  ),
  fc.string({ unit: "binary", maxLength: 40 }).map((text) => `data: ${text}\n\n`),
  fc.string({ unit: "grapheme", maxLength: 40 }),
  fc.json().map((text) => event(text, "extension")),
);
const headerValue = fc
  .string({ unit: fc.constantFrom(..."abc XYZ019;=,/"), maxLength: 20 })
  .map((text) => text.trim());

test("a stream arrives as it was sent, whatever is in it, and wherever it is cut", async () => {
  const { upstream } = served;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...dialects),
      fc.array(fc.tuple(fc.nat(20), noise), { maxLength: 4 }),
      places,
      headerValue,
      fc.boolean(),
      async ({ path, stream, conversation }, inserted, cuts, value, hasMemory) => {
        const events = [...stream];
        for (const [at, text] of inserted) events.splice(at % (events.length + 1), 0, text);
        const bytes = Buffer.from(events.join(""));
        const headers = { ...eventStream, "x-ratelimit-remaining-tokens": "7", "x-extension": value };
        upstream.answerWith(() => ({ headers, body: cutAt(bytes, cuts) }));
        const body = JSON.stringify({ model: "m", ...conversation, stream: true });
        const arrived = await ask(path, body, hasMemory ? {} : off);
        expect(arrived.body.toString("latin1")).toBe(bytes.toString("latin1"));
        expect(arrived.status).toBe(200);
        expect(arrived.headers.get("content-type")).toBe(eventStream["Content-Type"]);
        expect(arrived.headers.get("x-ratelimit-remaining-tokens")).toBe("7");
        expect(arrived.headers.get("x-extension")).toBe(value);
        expect(withoutMemory(lastReceived(), served.sections)).toBe(body);
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

test("a request and an answer of any bytes pass, with the status of the upstream", async () => {
  const { upstream } = served;
  const member = fc.tuple(fc.string({ unit: "grapheme" }), fc.json());
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...dialects),
      fc.array(member, { maxLength: 4 }),
      fc.uint8Array({ maxLength: 2_000 }),
      places,
      fc.constantFrom(200, 201, 400, 402, 404, 422, 429, 500, 503, 529),
      fc.boolean(),
      async ({ path, conversation }, members, bytes, cuts, status, hasMemory) => {
        const prepared: PreparedAnswer = { status, body: cutAt(bytes, cuts), headers: { "request-id": "r" } };
        upstream.answerWith(() => prepared);
        const known = [
          "model",
          "stream",
          "messages",
          "input",
          "system",
          "instructions",
          "prompt",
          "max_tokens",
        ];
        const names = new Set<string>(known);
        const more = members
          .filter(([name]) => !names.has(name) && names.add(name))
          .map(([name, value]) => `${JSON.stringify(name)} :\t${value}`);
        const base = JSON.stringify({ model: "m", ...conversation }).slice(0, -1);
        const body = `${[base, ...more].join(" ,\n")}}\n`;
        const arrived = await ask(path, body, hasMemory ? {} : off);
        expect(Buffer.compare(arrived.body, bytes)).toBe(0);
        expect(arrived.status).toBe(status);
        expect(arrived.headers.get("request-id")).toBe("r");
        expect(withoutMemory(lastReceived(), served.sections)).toBe(body);
      },
    ),
    { numRuns: 60 },
  );
}, 120_000);

test.each(dialects)(
  "$path: a chunk of 16 MB, and an event of 16 MB",
  async ({ path, stream, conversation }) => {
    const { upstream } = served;
    const enormous = event({ type: "extension", filler: "x".repeat(16 * 1024 * 1024) }, "extension");
    const text = [...stream.slice(0, 3), enormous, ...stream.slice(3)].join("");
    upstream.answerWith(() => ({ headers: eventStream, body: text }));
    const body = JSON.stringify({ model: "m", ...conversation, stream: true });
    const arrived = await ask(path, body, off);
    expect(Buffer.compare(arrived.body, Buffer.from(text))).toBe(0);
  },
);

test("bytes after the end of a stream", async () => {
  const text = `${chatStream.join("")}: statistics\n\ndata: {"x":1}\n\nwithout an end`;
  served.upstream.answerWith(() => ({ headers: eventStream, body: [text] }));
  const body = JSON.stringify({ model: "m", messages: [user], stream: true });
  expect((await ask("/v1/chat/completions", body, off)).body.toString()).toBe(text);
});

test("a compressed answer stays compressed, although none was asked for", async () => {
  const answer = JSON.stringify({ id: "x", choices: [] });
  const body = Bun.gzipSync(Buffer.from(answer));
  served.upstream.answerWith(() => ({ headers: { "Content-Encoding": "gzip" }, body }));
  const arrived = await ask("/v1/chat/completions", JSON.stringify({ model: "m", messages: [user] }), off);
  expect(arrived.headers.get("content-encoding")).toBe("gzip");
  expect(Buffer.compare(arrived.body, body)).toBe(0);
  expect(served.upstream.received.at(-1)?.headers["accept-encoding"]).toBe("identity");
});

test("an empty answer, and one without a type", async () => {
  const body = JSON.stringify({ model: "m", messages: [user] });
  served.upstream.answerWith(() => ({ status: 200, body: [] }));
  const arrived = await ask("/v1/chat/completions", body, off);
  expect([arrived.status, arrived.body.length]).toEqual([200, 0]);
});

test("a hundred images and a system prompt of 1 MB reach the upstream", async () => {
  const url = `data:image/png;base64,${Buffer.alloc(60_000, 7).toString("base64")}`;
  const images = Array.from({ length: 100 }, () => ({ type: "image_url", image_url: { url } }));
  const messages = [
    { role: "system", content: "Be brief. ".repeat(100_000) },
    { role: "user", content: [{ type: "text", text: "What is this?" }, ...images] },
  ];
  const body = JSON.stringify({ model: "m", messages });
  served.upstream.answerWith(null);
  const arrived = await ask("/v1/chat/completions", body);
  expect(arrived.status).toBe(200);
  expect(withoutMemory(lastReceived(), served.sections)).toBe(body);
  const [record] = served.app.records(served.app.projectId).slice(-1);
  const recorded = JSON.stringify(record?.payload);
  expect(record?.action).toBe("gateway.chat");
  expect(recorded).not.toContain(url.slice(30, 200));
  expect(recorded).toContain(new Bun.CryptoHasher("sha256").update(Buffer.alloc(60_000, 7)).digest("hex"));
});

// Proves that streams are read the same however they are cut, that what is forwarded are the bytes of the upstream, and that the final
// event is held back.

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerStream } from "../../src/gateway/answer/answer-stream.ts";
import { SseReader } from "../../src/gateway/answer/sse-reader.ts";
import type { DialectName } from "../../src/gateway/dialects/dialect.ts";
import { dialects } from "../../src/gateway/dialects/dialects.ts";
import { chatStream, chatUsageEvent, event, messagesStream, responsesStream } from "./streams.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (parts: readonly Uint8Array[]) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(Buffer.concat(parts));
const streams: Readonly<Record<DialectName, string[]>> = {
  chat: chatStream,
  responses: responsesStream,
  messages: messagesStream,
};

interface Relayed {
  readonly sent: string;
  readonly held: string;
  readonly isFinal: boolean;
  readonly answer: unknown;
}

function relay(
  name: DialectName,
  chunks: readonly Uint8Array[],
  options: { removesUsageEvent?: boolean; heldMaxBytes?: number } = {},
): Relayed {
  const assembler = dialects[name].assemble({ choices: 1 });
  const stream = new AnswerStream({ assembler, removesUsageEvent: false, ...options });
  const sent = chunks.flatMap((chunk) => stream.push(chunk));
  const { isFinal } = stream;
  const held = stream.end();
  return { sent: decode(sent), held: decode(held), isFinal, answer: assembler.answer() };
}

const cutAt = (bytes: Uint8Array, at: number) => [bytes.subarray(0, at), bytes.subarray(at)];
const single = (bytes: Uint8Array) => [...bytes].map((byte) => Uint8Array.of(byte));

describe.each(["chat", "responses", "messages"] as const)("%s", (name) => {
  const parts = streams[name];
  // Clients of Chat Completions accept an answer without [DONE], so the chunk with the reason of the end is held back, too.
  const final = parts.slice(name === "chat" ? -3 : -1).join("");
  const lineEnds = { LF: "\n", "CR LF": "\r\n", CR: "\r" };

  test.each(Object.entries(lineEnds))("cut at every byte, with %s", (_, lineEnd) => {
    const text = parts.join("").replaceAll("\n", lineEnd);
    const bytes = encode(text);
    const end = final.replaceAll("\n", lineEnd);
    const whole = relay(name, [bytes]);
    expect(whole.sent + whole.held).toBe(text);
    expect(whole.held).toBe(end);
    for (let at = 0; at <= bytes.length; at++) {
      const { sent, held, answer } = relay(name, cutAt(bytes, at));
      expect(sent + held).toBe(text);
      expect(held).toBe(end);
      expect(answer).toEqual(whole.answer);
    }
    expect(relay(name, single(bytes))).toMatchObject({
      sent: whole.sent,
      held: whole.held,
      answer: whole.answer,
    });
  });

  test("what is sent before the end never contains the beginning of the final event", () => {
    const text = parts.join("");
    const sentMax = encode(text).length - encode(final).length;
    const stream = new AnswerStream({
      assembler: dialects[name].assemble({ choices: 1 }),
      removesUsageEvent: false,
    });
    let sent = 0;
    for (const byte of single(encode(text))) {
      for (const part of stream.push(byte)) sent += part.length;
      expect(sent).toBeLessThanOrEqual(sentMax);
    }
    expect([sent, stream.isFinal]).toEqual([sentMax, true]);
  });

  test("broken off anywhere: the same bytes, nothing thrown, and the answer is not complete", () => {
    const bytes = encode(parts.join(""));
    for (let at = 0; at < bytes.length - encode(final).length; at += 7) {
      const { sent, held, answer, isFinal } = relay(name, [bytes.subarray(0, at)]);
      expect(Buffer.from(sent + held).length).toBe(
        Buffer.from(new TextDecoder().decode(bytes.subarray(0, at))).length,
      );
      expect(isFinal).toBe(false);
      expect(answer).toMatchObject({ isComplete: false });
    }
  });

  test("malformed events are skipped and counted", () => {
    const bad = [
      "data: {\n\n",
      "data\n\n",
      "data: null\n\n",
      "data: [1]\n\n",
      `data: {"a":${"[".repeat(5_000)}\n\n`,
    ];
    const [first = "", ...rest] = parts;
    const { sent, held, answer } = relay(name, [encode([first, ...bad, ...rest].join(""))]);
    expect(sent + held).toBe([first, ...bad, ...rest].join(""));
    expect(answer).toEqual({
      ...Object(relay(name, [encode(parts.join(""))]).answer),
      skippedEvents: bad.length,
    });
  });

  test("anything at all: what goes in comes out", () => {
    const pieces = fc.oneof(
      fc.constantFrom(...parts, "\r", "\n", "\r\n", "data:", "event: x\n", "\ufeff"),
      fc.string(),
    );
    fc.assert(
      fc.property(fc.array(pieces), fc.infiniteStream(fc.integer({ min: 1, max: 40 })), (texts, sizes) => {
        const bytes = encode(texts.join(""));
        const chunks: Uint8Array[] = [];
        for (let at = 0; at < bytes.length; ) {
          const size = sizes.next().value ?? 1;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const one = relay(name, [bytes]);
        const many = relay(name, chunks);
        expect(one.sent + one.held).toBe(texts.join("").toWellFormed());
        expect(many.sent + many.held).toBe(one.sent + one.held);
        expect(many.answer).toEqual(one.answer);
        expect(many.held).toBe(one.held);
      }),
      { numRuns: 200 },
    );
  });
});

describe("the event that only reports the usage", () => {
  test("is left out if only the gateway has asked for it, however the stream is cut", () => {
    const text = chatStream.join("");
    const bytes = encode(text);
    const expected = text.replace(chatUsageEvent, "");
    for (let at = 0; at <= bytes.length; at++) {
      const { sent, held } = relay("chat", cutAt(bytes, at), { removesUsageEvent: true });
      expect(sent + held).toBe(expected);
    }
    const bySingles = relay("chat", single(bytes), { removesUsageEvent: true });
    expect(bySingles.sent + bySingles.held).toBe(expected);
    expect(bySingles.answer).toMatchObject({ tokens: { total_tokens: 19 } });
  });

  test("a report together with a part of the answer stays", () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const text =
      event({ choices: [{ index: 0, delta: { content: "x" }, finish_reason: "stop" }], usage }) +
      event("[DONE]");
    const { sent, held, answer } = relay("chat", [encode(text)], { removesUsageEvent: true });
    expect(sent + held).toBe(text);
    expect(answer).toMatchObject({ tokens: { total_tokens: 2 }, text: "x" });
  });
});

describe("limits", () => {
  test("of a long incomplete event the end is held back, whatever it is", () => {
    const long = `data: {"type":"response.completed","response":{"output":[],"a":"${"x".repeat(5_000)}"}}\n\n`;
    const assembler = dialects.responses.assemble({ choices: 1 });
    const stream = new AnswerStream({ assembler, removesUsageEvent: false, heldMaxBytes: 100 });
    const bytes = encode(long);
    const sent = single(bytes).flatMap((byte) => stream.push(byte));
    expect(stream.isFinal).toBe(true);
    expect(decode(sent).length).toBeLessThanOrEqual(bytes.length - 100);
    expect(decode(sent)).not.toContain("}}");
    expect(decode([...sent, ...stream.end()])).toBe(long);
  });

  test("what follows the final event is held back up to the limit, and then dropped", () => {
    const assembler = dialects.messages.assemble({ choices: 1 });
    const stream = new AnswerStream({ assembler, removesUsageEvent: false, heldMaxBytes: 1_000 });
    const sent = stream.push(encode(messagesStream.join("")));
    for (let count = 0; count < 1_000; count++) expect(stream.push(encode(": x\n\n".repeat(20)))).toEqual([]);
    const text = decode([...sent, ...stream.end()]);
    expect(text.startsWith(messagesStream.join(""))).toBe(true);
    expect(text.length - messagesStream.join("").length).toBeLessThan(1_200);
  });

  test("a server that reports an end with every chunk still streams, and the last end is held back", () => {
    const chunk = (content: string) =>
      event({ choices: [{ index: 0, delta: { content }, finish_reason: "stop" }] });
    const assembler = dialects.chat.assemble({ choices: 1 });
    const stream = new AnswerStream({ assembler, removesUsageEvent: false });
    const sent = ["a", "b", "c"].map((text) => decode(stream.push(encode(chunk(text)))));
    expect(sent).toEqual(["", chunk("a") + chunk("b"), chunk("c")]);
    expect(stream.push(encode(event("[DONE]")))).toEqual([]);
    expect(assembler.answer().text).toBe("abc");
  });

  test.each(["\n", "\r\n"])("a comment is forwarded at once, without an event (line end %j)", (lineEnd) => {
    const comment = `: still thinking${lineEnd}`;
    const usage = `data: ${JSON.stringify({ choices: [], usage: { total_tokens: 1 } })}${lineEnd}${lineEnd}`;
    const assembler = dialects.chat.assemble({ choices: 1 });
    const stream = new AnswerStream({ assembler, removesUsageEvent: true });
    expect(decode(stream.push(encode(comment)))).toBe(comment);
    expect(decode(stream.push(encode(comment + usage + comment)))).toBe(comment + comment);
  });

  test("an event that is too long is forwarded, counted and not kept; its name still tells that it is the final one", () => {
    const reader = new SseReader(1_000);
    const text = `${event("x".repeat(2_000), "response.completed")}${event("short")}`;
    const events = single(encode(text)).flatMap((byte) => reader.push(byte));
    expect(events.map(({ type, data }) => [type, data])).toEqual([
      ["response.completed", null],
      [null, "short"],
    ]);
    const assembler = dialects.responses.assemble({ choices: 1 });
    expect(assembler.take({ type: "response.completed", data: null, start: 0, end: 1 })).toBe("end");
    expect(assembler.answer()).toMatchObject({ isComplete: true, skippedEvents: 1 });
  });

  test("a line without an end is not kept", () => {
    const reader = new SseReader(1_000);
    const part = encode("x".repeat(1_000));
    for (let count = 0; count < 1_000; count++) expect(reader.push(part)).toEqual([]);
    expect(reader.completeUntil).toBe(0);
    expect(reader.end()).toMatchObject({ data: null });
  });
});

describe("events", () => {
  const read = (text: string) => {
    const reader = new SseReader();
    const events = reader.push(encode(text));
    const last = reader.end();
    return [...events, ...(last === null ? [] : [last])].map(({ type, data }) => [type, data]);
  };

  test.each([
    ["data: a\ndata: b\n\n", [[null, "a\nb"]]],
    [
      "data:a\n\ndata:  b\n\n",
      [
        [null, "a"],
        [null, " b"],
      ],
    ],
    ["data\n\n", [[null, ""]]],
    [": comment\nid: 7\nretry: 10\nevent: x\ndata: a\n\n", [["x", "a"]]],
    ["event: x\n\ndata: a\n\n", [[null, "a"]]],
    ["\ufeffdata: a\n\n", [[null, "a"]]],
    [
      "data: a\r\rdata: b\r\n\r\n",
      [
        [null, "a"],
        [null, "b"],
      ],
    ],
    ["\n\n\n", []],
    ["data: without an end", [[null, "without an end"]]],
    ["data: a\n", [[null, "a"]]],
  ])("%j", (text, expected) => {
    expect(read(text)).toEqual(expected);
  });
});

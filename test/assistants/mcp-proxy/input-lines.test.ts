// Tests the division of stdin into lines and of a response into events, however the bytes arrive.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { readEvents } from "../../../src/assistants/mcp-proxy/event-stream.ts";
import { readLines } from "../../../src/assistants/mcp-proxy/input-lines.ts";

async function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  let at = 0;
  for (let n = 0; at < bytes.length; n++) {
    const size = sizes.length === 0 ? bytes.length : Math.max(1, sizes[n % sizes.length] ?? 1);
    yield bytes.subarray(at, at + size);
    at += size;
  }
}

const linesOf = (bytes: Uint8Array, sizes: readonly number[] = [], max = 1_000) =>
  Array.fromAsync(readLines(chunksOf(bytes, sizes), max));
const eventsOf = (text: string, sizes: readonly number[]) =>
  Array.fromAsync(
    readEvents(
      new ReadableStream({
        async start(stream) {
          for await (const chunk of chunksOf(Buffer.from(text), sizes)) stream.enqueue(chunk);
          stream.close();
        },
      }),
    ),
  );

const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { maxLength: 5 });

test("lines arrive as they were written, in chunks of any size", () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "x"))),
      sizes,
      async (lines, chunks) => {
        const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(""));
        expect(await linesOf(bytes, chunks, 10_000)).toEqual(lines.map((line) => line.toWellFormed()));
      },
    ),
  ));

test("the last line needs no line feed", async () => {
  expect(await linesOf(Buffer.from("a\nb"))).toEqual(["a", "b"]);
  expect(await linesOf(Buffer.from(""))).toEqual([]);
});

test("a line that is too long, or not UTF-8, is dropped, and the next one is read", async () => {
  const long = Buffer.from(`${"x".repeat(11)}\n${"y".repeat(10)}\n`);
  for (const chunk of [1, 3, 100]) expect(await linesOf(long, [chunk], 10)).toEqual([null, "y".repeat(10)]);
  expect(await linesOf(Uint8Array.of(0xff, 0x0a, 0x61, 0x0a))).toEqual([null, "a"]);
});

test("events arrive whole, with any line ends and in chunks of any size", () =>
  fc.assert(
    fc.asyncProperty(fc.constantFrom("\n", "\r\n", "\r"), sizes, async (end, chunks) => {
      const lines = [
        ": comment",
        "event: message",
        "id: 1",
        'data: {"a":1}',
        "",
        "data:two",
        "data: lines",
        "",
      ];
      const text = [...lines, "data: cut off"].map((line) => line + end).join("");
      expect(await eventsOf(text, chunks)).toEqual(['{"a":1}', "two\nlines"]);
    }),
  ));

test("an event is complete when the stream ends with its empty line, whatever the line end is", async () => {
  for (const end of ["\n", "\r\n", "\r"]) {
    for (const size of [1, 3, 100])
      expect(await eventsOf(`data: last${end}${end}`, [size])).toEqual(["last"]);
  }
});

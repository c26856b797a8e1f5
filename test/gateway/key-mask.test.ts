// Proves that a key is replaced wherever the pieces of an error are cut, and that nothing else changes.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { maskKey } from "../../src/gateway/key-mask.ts";

const key = "aab-aac";

async function* pieces(bytes: Buffer, cuts: readonly number[]): AsyncIterable<Uint8Array> {
  const ends = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    yield bytes.subarray(start, end);
    start = end;
  }
}

test("the key is replaced, wherever it is cut", async () => {
  const parts = fc.array(fc.constantFrom(key, "a", "aa", "b", "aab-", "-aac", "ä", "\n"), { maxLength: 20 });
  const property = fc.asyncProperty(parts, fc.array(fc.nat(), { maxLength: 12 }), async (texts, cuts) => {
    const text = texts.join("");
    const received: Uint8Array[] = [];
    for await (const piece of maskKey(pieces(Buffer.from(text), cuts), key)) received.push(piece);
    expect(Buffer.concat(received).toString("utf8")).toBe(text.replaceAll(key, "[key]"));
  });
  await fc.assert(property, { numRuns: 500 });
});

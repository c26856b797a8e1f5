// Tests the hashes of the browser against those of the runtime.

import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { browserCryptography } from "../../src/console/verification/browser-cryptography.ts";

const expected = (parts: readonly (string | Uint8Array)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
};

test("SHA-256 has the values of FIPS 180-4 at every length around their blocks", () => {
  expect(browserCryptography.createSha256().update("abc").digest()).toBe(
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
  );
  const hash = browserCryptography.createSha256();
  for (let length = 0; length <= 300; length++) {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
    expect(hash.update(bytes).digest()).toBe(expected([bytes]));
    const target = new Uint8Array(32);
    browserCryptography.hashInto(bytes, target);
    expect(Buffer.from(target).toString("hex")).toBe(expected([bytes]));
  }
});

test("parts of any length make the hash of the whole, texts as UTF-8", () => {
  const part = fc.oneof(
    fc.string({ unit: "binary", maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }),
    fc.nat(140_000).map((length) => "\u20ac\u{1f600}a".repeat(length / 4)),
  );
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const hash = browserCryptography.createSha256();
      for (const each of parts) hash.update(each);
      expect(hash.digest()).toBe(expected(parts));
    }),
    { numRuns: 200 },
  );
  // An unpaired surrogate becomes U+FFFD, also where the memory for encoding ends.
  const text = `${"x".repeat(65_535)}\ud800y`;
  expect(browserCryptography.createSha256().update(text).digest()).toBe(
    expected([new TextEncoder().encode(text)]),
  );
});

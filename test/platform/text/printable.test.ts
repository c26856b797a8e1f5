// Tests that no text of a client or a file can control a terminal.

import { expect, test } from "bun:test";
import { toPrintable, toPrintableJson, toPrintableLine } from "../../../src/platform/text/printable.ts";

const controls = [
  ...Array.from({ length: 32 }, (_, code) => code).filter((code) => code !== 9 && code !== 10),
  ...Array.from({ length: 33 }, (_, at) => 0x7f + at),
  ...[0x2028, 0x2029, 0x202a, 0x202e, 0x2066, 0x2069],
].map((code) => String.fromCharCode(code));

test.each(controls.map((char) => [char.charCodeAt(0).toString(16), char]))("U+%s is replaced", (_, char) => {
  expect(toPrintable(`a${char}[31mb`)).toBe("a\ufffd[31mb");
  const json = toPrintableJson({ [`a${char}`]: char });
  expect(json).toMatch(/^[ -~]+$/);
  expect(JSON.parse(json)).toEqual({ [`a${char}`]: char });
});

test("line feeds and tabs stay in a text, and not in a line", () => {
  expect(toPrintable("a\n\tb")).toBe("a\n\tb");
  expect(toPrintableLine("a\n\tb\r")).toBe("a\ufffd\ufffdb\ufffd");
});

test("all other texts stay", () => {
  const text = "Grüße 数 👩‍👩‍👧‍👦 שלום\u200f é\u0301";
  expect(toPrintable(text)).toBe(text);
  expect(JSON.parse(toPrintableJson(text))).toBe(text);
});

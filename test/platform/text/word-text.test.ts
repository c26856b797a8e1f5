// Two texts have the same words, in whatever form their characters are written.

import { expect, test } from "bun:test";
import { toWordText } from "../../../src/platform/text/word-text.ts";
import { toAsciiJson } from "./ascii-json.ts";

const said = 'Zoë Müller: "Käse & 𝐅isch",\nnever!';
const words = " zoë müller käse fisch never ";

test("words in lower case, without punctuation", () => {
  expect(toWordText(said)).toBe(words);
  expect(toWordText("我对花生过敏。")).toBe(" 我 对 花 生 过 敏 ");
  expect(toWordText(" ... ")).toBe(" ");
});

const inHtml = (toEntity: (character: string) => string) => said.replace(/[^\w\s:!,]/gu, toEntity);

const forms: Record<string, string> = {
  JSON: JSON.stringify(said),
  "JSON in JSON": JSON.stringify(JSON.stringify(said)),
  "JSON in ASCII": toAsciiJson(said),
  "JSON in ASCII in JSON": toAsciiJson(toAsciiJson(said)),
  "JSON in ASCII, capitals": toAsciiJson(said)
    .replace(/\\u..../g, (encoded) => encoded.toUpperCase())
    .replaceAll("\\U", "\\u"),
  "a URL": encodeURIComponent(said),
  "a form": new URLSearchParams({ said }).toString().replace("said=", ""),
  "HTML, decimal": inHtml((character) => `&#${character.codePointAt(0)};`),
  "HTML, hexadecimal": inHtml((character) => `&#x${character.codePointAt(0)?.toString(16)};`),
  "HTML, by names": said.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
  "decomposed characters": said.normalize("NFD"),
  "invisible characters": said.replaceAll("l", "l\u00ad").replaceAll("s", "\u200bs\u2060"),
};
test.each(Object.entries(forms))("the same words in %s", (_, text) => {
  expect(toWordText(text)).toBe(words);
});

test("what only looks like an escape stays", () => {
  expect(toWordText("100% of 50%zz &#; &#x110000; \\u12")).toBe(" 100 of 50 zz x110000 u12 ");
});

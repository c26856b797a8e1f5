// Owns the form in which two texts are compared whose punctuation, case, line breaks, invisible characters or escapes differ: their words.
// Pure.

import { decodePercent } from "./percent-encoding.ts";

/** Characters as JSON (also in a JSON string), URLs and HTML write them, and those that nobody sees. */
const written =
  /\\+u(?<unit>[0-9a-f]{4})|(?<percent>(?:%[0-9a-f]{2})+)|&#(?:x(?<hex>[0-9a-f]{1,6})|(?<decimal>[0-9]{1,7}));|\p{Default_Ignorable_Code_Point}+/giu;
/** What is left of JSON and HTML stands for no letter: without this, `\n` and `&quot;` would leave one. */
const separators = /\\+[bfnrt"/\\]|&(?:amp|lt|gt|quot|apos|nbsp);/gi;
/** Scripts without spaces between words have a word for each character. */
const words =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu;

/** The words in lower case, separated and surrounded by single spaces; a single space without words. */
export function toWordText(text: string): string {
  const found = foldCase(text).replace(separators, " ").match(words);
  return found === null ? " " : ` ${found.join(" ")} `;
}

/** Compatible characters, both cases (also of letters such as ß, which become several), and all ways to write a character are equal. */
export function foldCase(text: string): string {
  return text.replace(written, decode).normalize("NFKC").toUpperCase().toLowerCase().normalize("NFKC");
}

function decode(encoded: string, ...match: readonly unknown[]): string {
  const { unit, percent, hex, decimal } = match.at(-1) as Record<string, string | undefined>;
  if (unit !== undefined) return String.fromCharCode(Number.parseInt(unit, 16));
  if (percent !== undefined) return decodePercent(percent) ?? encoded;
  if (hex === undefined && decimal === undefined) return "";
  const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return point <= 0x10ffff ? String.fromCodePoint(point) : encoded;
}

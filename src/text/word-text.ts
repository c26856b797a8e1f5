// Owns the form in which two texts are compared whose punctuation, case, line breaks or escapes differ: their words. Pure.

/** Escapes of JSON, also of JSON in a JSON string: without them, `\n` and `\u003c` would leave a letter or a word. */
const escapes = /\\+(?:u[0-9a-f]{4}|[bfnrt"/\\])/gi;
/** Scripts without spaces between words have a word for each character. */
const words =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]|[\p{L}\p{M}\p{N}]+/gu;

/** The words in lower case, separated and surrounded by single spaces; a single space without words. */
export function toWordText(text: string): string {
  const found = foldCase(text).replace(escapes, " ").match(words);
  return found === null ? " " : ` ${found.join(" ")} `;
}

/** Compatible characters and both cases are equal. */
export function foldCase(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

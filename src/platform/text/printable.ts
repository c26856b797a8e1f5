// Owns how texts that clients, files or servers have chosen reach a terminal: nothing in them moves the cursor, sets a colour, a title or the
// clipboard, or changes the order in which characters are shown.

/** Control characters but line feed and tab, line separators, and what changes the order of characters (bidirectional text). */
const unprintable = /[^\P{Cc}\n\t]|[\u2028-\u202e\u2066-\u2069]/gu;

/** The text with a replacement character for each of them. Line feeds and tabs stay. */
export function toPrintable(text: string): string {
  return text.replaceAll(unprintable, "\uFFFD");
}

/** The same in one line. */
export function toPrintableLine(text: string): string {
  return toPrintable(text).replaceAll(/[\n\t]/g, "\uFFFD");
}

/** JSON text with the same characters escaped; JSON escapes only the first 32 itself. */
export function toPrintableJson(value: unknown): string {
  const escaped = (char: string) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return JSON.stringify(value).replaceAll(unprintable, escaped);
}

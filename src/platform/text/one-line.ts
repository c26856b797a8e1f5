// Owns a text on one line. Pure.

/** Each run of white space is one blank; none is left at both ends. */
export function onOneLine(text: string): string {
  return text.replace(/[\s\p{White_Space}]+/gu, " ").trim();
}

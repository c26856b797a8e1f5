// Owns the division of a long text into passages. Pure. Must never lose a character that is not white space.

/** UTF-16 offsets; the end is exclusive. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** Divides after a line or a word where possible. The passages are trimmed and not empty. */
export function passageRanges(text: string, maxCharacters: number): TextRange[] {
  const passages: TextRange[] = [];
  for (let start = 0; start < text.length; ) {
    const window = text.slice(start, start + maxCharacters);
    const end = start + (start + maxCharacters < text.length ? borderOf(window) : window.length);
    const passage = text.slice(start, end);
    const from = start + (passage.length - passage.trimStart().length);
    if (passage.trim() !== "") passages.push({ start: from, end: from + passage.trim().length });
    start = end;
  }
  return passages;
}

/** A border near the start would make very small passages. A surrogate pair is not divided. */
function borderOf(window: string): number {
  const border = window.search(/\s\S*$/) + 1;
  if (border > window.length / 2) return border;
  return window.length - (/[\uD800-\uDBFF]$/.test(window) ? 1 : 0);
}

export function toPassages(text: string, maxCharacters: number): string[] {
  return passageRanges(text, maxCharacters).map(({ start, end }) => text.slice(start, end));
}

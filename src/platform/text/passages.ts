// Owns the division of a long text into passages. Pure. Must never lose a character that is not white space.

/** Divides after a line or a word where possible. The passages are trimmed and not empty. */
export function toPassages(text: string, maxCharacters: number): string[] {
  const passages: string[] = [];
  let rest = text;
  while (rest.length > maxCharacters) {
    const window = rest.slice(0, maxCharacters);
    const boundary = Math.max(window.lastIndexOf("\n"), window.lastIndexOf(" ")) + 1;
    // A boundary near the start would make very small passages. A surrogate pair is not divided.
    const isPair = /[\uD800-\uDBFF]$/.test(window);
    const length = boundary > maxCharacters / 2 ? boundary : maxCharacters - (isPair ? 1 : 0);
    passages.push(rest.slice(0, length).trim());
    rest = rest.slice(length);
  }
  return [...passages, rest.trim()].filter((passage) => passage !== "");
}

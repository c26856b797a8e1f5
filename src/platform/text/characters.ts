// Owns counting and shortening texts without splitting a character. Texts of clients have any length and any content.

/** Enough to recognise a name that a client has chosen, when a message repeats it. */
const shownNameMaxCharacters = 100;

/** Whether a text has nothing but white space, as Unicode or JavaScript define it. */
export function isBlank(text: string): boolean {
  return /^[\s\p{White_Space}]*$/u.test(text);
}

/** Number of Unicode code points. */
export function countCharacters(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

/** At most so many UTF-16 units of the text, as well-formed Unicode. */
export function shorten(text: string, maxCharacters: number): string {
  const isSplit = text.length > maxCharacters && /[\ud800-\udbff]/.test(text.charAt(maxCharacters - 1));
  return text.slice(0, isSplit ? maxCharacters - 1 : maxCharacters).toWellFormed();
}

/** A name that a client has chosen, as messages repeat it. */
export function shortenName(name: string): string {
  return shorten(name, shownNameMaxCharacters);
}

/** The end of the text from the beginning of a word, if there is one: at most so many UTF-16 units, as well-formed Unicode. */
export function endOfText(text: string, maxCharacters: number): string {
  if (text.length <= maxCharacters) return text;
  const end = text.slice(-maxCharacters);
  const beginsWord = /\s/u.test(text.charAt(text.length - maxCharacters - 1));
  const words = beginsWord ? end : end.replace(/^\S*\s+/u, "");
  return (words === "" ? end : words).toWellFormed();
}

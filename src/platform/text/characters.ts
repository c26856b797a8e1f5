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

/** The borders of words in any language (Unicode, UAX #29), also where there is no white space between them. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** The end of the text from the beginning of a word, if there is one: at most so many Unicode code points, without white space around them. */
export function endOfText(text: string, maxCharacters: number): string {
  const end = [...text.slice(-2 * maxCharacters)].slice(-maxCharacters).join("");
  if (end.length === text.length) return text.trim();
  // Twice as much, because the word at the border may begin in front of it.
  const around = text.slice(-2 * end.length);
  const at = around.length - end.length;
  const { index = at, segment = "" } = segmenter.segment(around).containing(at) ?? {};
  return ((index < at ? around.slice(index + segment.length).trim() : "") || end.trim()).toWellFormed();
}

// Owns how a value is quoted in a command line that a message tells people to copy. Runs nothing.

/** A word as a POSIX shell reads it back. */
export function quoteWord(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

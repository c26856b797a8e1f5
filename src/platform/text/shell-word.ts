// Owns the quoting of values in shell commands that a message shows. Must never run a command.

/** Quotes a word for a POSIX shell. */
export function quoteWord(word: string): string {
  return /^[\w./:=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

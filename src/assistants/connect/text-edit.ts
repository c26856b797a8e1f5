// Owns what a text says about its form: its line breaks, indentation, and positions as lines and columns. Knows no format.

/** The line break of a text: that of its first line. */
export function lineBreakOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? "\n";
}

/** The white space at the beginning of the line that contains the position. */
export function indentAt(text: string, position: number): string {
  const start = text.lastIndexOf("\n", position - 1) + 1;
  return /^[ \t]*/.exec(text.slice(start, position))?.[0] ?? "";
}

/** "line 3, column 7", both from 1. */
export function describePosition(text: string, position: number): string {
  const before = text.slice(0, position);
  const line = before.split("\n").length;
  return `line ${line}, column ${position - before.lastIndexOf("\n")}`;
}

/** The configuration file cannot be edited. The message is the fault without a full stop; the caller names the file. */
export class UnusableConfiguration extends Error {
  /** A sentence. */
  readonly remedy: string;

  constructor(message: string, remedy = "Correct the file and try again.") {
    super(message);
    this.name = "UnusableConfiguration";
    this.remedy = remedy;
  }
}

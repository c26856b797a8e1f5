// Owns the end of a sentence that is put together from parts.

/** With a full stop, unless the text ends with a sign of its own, as in "is unknown; did you mean ...?". */
export function endSentence(text: string): string {
  return /[.?!]$/.test(text) ? text : `${text}.`;
}

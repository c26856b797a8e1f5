// Owns labels: short texts that are compared exactly, such as tags. Texts in different Unicode forms (NFC, NFD) are one label, and white
// space around a label does not count. Similar letters and invisible characters inside are not compared.

/** The label that a text means: Unicode NFC, without white space at both ends. */
export function toLabel(text: string): string {
  return text.normalize("NFC").replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "");
}

/** Whether a label contains a character of the Unicode category Cc, such as a line feed. */
export function hasControlCharacter(label: string): boolean {
  return /\p{Cc}/u.test(label);
}

/** Negative if `a` comes before `b`: by Unicode code points, as UTF-8 sorts them and unlike `<`, which compares UTF-16. */
export function compareLabels(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

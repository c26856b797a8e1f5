// Owns which texts a spreadsheet may read as a formula when it opens a CSV file. Exports escape them, and verifiers know it.

/** White space, control characters and invisible characters, which programs remove before they read a cell. */
const ignored =
  "\\x00-\\x20\\x7f-\\xa0\\xad\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufeff";
/** `=`, `+`, `-`, `@` and their full-width and small forms, which some programs read as the same. */
const signs = "=+\\-@\\uff1d\\uff0b\\uff0d\\uff20\\ufe62\\ufe63\\ufe66\\ufe6b";
const formula = new RegExp(`^(?:[\\t\\r\\n]|[${ignored}]*[${signs}])`);

export function mayBeFormula(text: string): boolean {
  return formula.test(text);
}

// Owns the texts of names in certificates, which others chose. Must never return a control character.

import type { RelativeDistinguishedNames } from "pkijs";

const attributes: Readonly<Record<string, string>> = {
  "2.5.4.3": "CN",
  "2.5.4.5": "serialNumber",
  "2.5.4.6": "C",
  "2.5.4.7": "L",
  "2.5.4.8": "ST",
  "2.5.4.10": "O",
  "2.5.4.11": "OU",
  "2.5.4.97": "organizationIdentifier",
};

const textMaxLength = 200;

/** Such as `O=Example, CN=Time stamps`. */
export function nameText({ typesAndValues }: RelativeDistinguishedNames): string {
  const parts = typesAndValues.map(
    ({ type, value }) => `${attributes[type] ?? type}=${String(value.valueBlock.value)}`,
  );
  return plainText(parts.join(", "));
}

/** A text of others on one line. */
export function plainText(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").slice(0, textMaxLength);
}

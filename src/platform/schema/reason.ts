// Owns the schema of the reason that is given for administration and for erasures.

import { Text } from "./schema.ts";

const maxCharacters = 500;

export const reasonText = Text({
  maxLength: maxCharacters,
  description: `Reason, stored in the audit record: 1 to ${maxCharacters} characters. The record of an erasure keeps it, so give a ticket number, not the name of a person.`,
  examples: ["Order 4711 of the data protection officer"],
});

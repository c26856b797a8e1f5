// Owns the schema of the reason that is given for administration and for erasures.

import { Text } from "./schema.ts";

const maxCharacters = 500;

export const reasonText = Text({
  maxLength: maxCharacters,
  description: `Why, for whoever reads the ledger later: 1 to ${maxCharacters} characters. The record of an erasure keeps it, so give the number of an order or a ticket, not the name of a person.`,
  examples: ["Order 4711 of the data protection officer"],
});

// Owns the text of a query and the modes of a search: what searches, injections and checks have in common.

import { queryMaxCharacters } from "../../platform/limits.ts";
import { AnyText } from "../../platform/schema/schema.ts";

export const query = AnyText({
  maxLength: queryMaxCharacters,
  description: "Text of the query, in natural language.",
  examples: ["When do we release?"],
});

export const searchModes = ["semantic", "hybrid"] as const;

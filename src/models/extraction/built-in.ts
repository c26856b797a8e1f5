// Owns extraction without a language model. Whatever the detail is, each item is a part of the text.

import type { ExtractedItem, ExtractionDetail, ExtractionSource } from "../../memory/extraction/extractor.ts";
import { extractByRules } from "./rules/extract.ts";
import { extractVerbatim } from "./verbatim.ts";

/** Those that need no language model. */
export const builtInDetails = ["essential", "verbatim"] as const satisfies readonly ExtractionDetail[];

/** The items of the text in its order. `now`: milliseconds since 1970. */
export function extractBuiltIn(source: ExtractionSource, now: number): ExtractedItem[] {
  return source.detail === "essential" ? extractByRules(source, now) : extractVerbatim(source, now);
}

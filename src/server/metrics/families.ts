// Owns the only list of all metrics. docs/operator/METRICS.md has the same; a test compares them.

import { familiesOfCalls } from "./call-families.ts";
import { familiesOfContents } from "./content-families.ts";
import type { Family } from "./family.ts";
import { familiesOfHealth } from "./health-families.ts";
import { familiesOfSearches } from "./search-families.ts";

export const families: readonly Family[] = [
  ...familiesOfCalls,
  ...familiesOfSearches,
  ...familiesOfContents,
  ...familiesOfHealth,
];

// Owns the only list of what people are warned about in the console: when, how severe it is, and how to repair it. docs/CONSOLE.md has the
// same list; a test compares them. Must never read anything itself: warnings follow from facts.

import type { InstallationFacts } from "./facts.ts";
import { ledgerWarnings } from "./ledger-warnings.ts";
import { projectWarnings } from "./project-warnings.ts";
import { serverWarnings } from "./server-warnings.ts";
import { storageWarnings } from "./storage-warnings.ts";
import { severities, type Warning, type WarningRule } from "./warning.ts";

export const warningRules: readonly WarningRule[] = [
  ...serverWarnings,
  ...storageWarnings,
  ...ledgerWarnings,
  ...projectWarnings,
];

/** The most severe ones first. */
export function findWarnings(facts: InstallationFacts): Warning[] {
  const found = warningRules.flatMap(({ code, severity, find }) => {
    const warning = find(facts);
    return warning === null ? [] : [{ code, severity, view: null, ...warning }];
  });
  return severities.flatMap((severity) => found.filter((warning) => warning.severity === severity));
}

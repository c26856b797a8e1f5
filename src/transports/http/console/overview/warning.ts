// Owns what a warning of the overview is, and the words that several of them use.

import { quoteWord } from "../../../../platform/text/shell-word.ts";
import type { InstallationFacts } from "./facts.ts";

/** critical: calls fail or data is at risk now. warning: that will happen. notice: a person should know. */
export const severities = ["critical", "warning", "notice"] as const;
type Severity = (typeof severities)[number];

export interface Warning {
  readonly code: string;
  readonly severity: Severity;
  /** What is wrong: one or more sentences. */
  readonly message: string;
  /** What to do: one or more sentences, with the command if there is one. */
  readonly remedy: string;
  /** Address of the view that repairs or shows it; null: there is none. */
  readonly view: string | null;
}

export interface WarningRule extends Pick<Warning, "code" | "severity"> {
  /** When the warning is given, as a clause for the documentation. */
  readonly when: string;
  /** Null: nothing to warn about. */
  readonly find: (facts: InstallationFacts) => Found | null;
}

interface Found extends Pick<Warning, "message" | "remedy"> {
  readonly view?: string;
}

export const logRemedy = "Read the log of the server, which has the cause.";

/** The complete command for the data directory of this installation. */
export function commandFor({ dataDir }: Pick<InstallationFacts, "dataDir">, command: string): string {
  return `memledger ${command} --data-dir ${quoteWord(dataDir)}`;
}

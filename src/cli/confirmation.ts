// Owns the confirmation prompt before a command deletes data. Without a terminal there is no prompt, and --yes is required.

import { createInterface } from "node:readline/promises";
import { toPrintable } from "../platform/text/printable.ts";
import type { Terminal } from "./terminal.ts";

export interface Confirmation {
  /** What the command will do, in one or two sentences. */
  readonly warning: string;
  /** What the user must type. */
  readonly word: string;
  /** A description of the word, such as "the name of the project". */
  readonly wordDescription: string;
}

/**
 * Call it before anything slow.
 * @throws Error when no prompt is possible; its message contains the warning of `question`, if it is given.
 */
export function requirePrompt(terminal: Terminal, question?: Confirmation): void {
  if (terminal.canPrompt) return;
  const warning = question === undefined ? "" : `${question.warning} `;
  const why = terminal.isJson
    ? "--json disables the confirmation prompt"
    : "there is no terminal for the confirmation prompt";
  throw new Error(`${warning}This cannot be undone, and ${why}. Add --yes to confirm.`);
}

/** Asks the user to type the word. @throws Error when the user types something else */
export async function confirm({ warning, word, wordDescription }: Confirmation): Promise<void> {
  // Clients choose the names. A control character in a name must not reach the terminal.
  const question = toPrintable(`${warning}\nType ${wordDescription} to confirm: `);
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const typed = await Promise.race([lines.question(question), ended]);
    if (typed.trim() === word) return;
  } finally {
    lines.close();
  }
  throw new Error(`Not confirmed: the text typed is not ${wordDescription}. Nothing was changed.`);
}

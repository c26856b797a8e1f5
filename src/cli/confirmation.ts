// Owns asking a person before a command destroys something. Without a terminal nobody can be asked, so --yes must say it.

import { createInterface } from "node:readline/promises";
import type { Terminal } from "./terminal.ts";

export interface Confirmation {
  /** What will happen, in a sentence. */
  readonly warning: string;
  /** What the person must type: something that is not typed by habit. */
  readonly word: string;
  /** What the word is, such as "the name of the project". */
  readonly wordIs: string;
}

/** @throws Error when there is nobody to ask; it has the warning of a question that is known already. Call it before anything slow. */
export function requirePerson(terminal: Terminal, question?: Confirmation): void {
  if (terminal.canAsk) return;
  const warning = question === undefined ? "" : `${question.warning} `;
  const why = terminal.isJson ? "with --json nobody is asked for" : "there is no terminal to ask for";
  throw new Error(`${warning}This cannot be undone, and ${why} a confirmation. Add --yes to confirm it.`);
}

/** @throws Error when the person types something else. */
export async function confirm({ warning, word, wordIs }: Confirmation): Promise<void> {
  // Names come from clients; a control character in one must not reach the terminal.
  const question = `${warning}\nType ${wordIs} to confirm: `.replaceAll(/[^\P{Cc}\n]/gu, "�");
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const ended = new Promise<string>((resolve) => lines.once("close", () => resolve("")));
    const typed = await Promise.race([lines.question(question), ended]);
    if (typed.trim() === word) return;
  } finally {
    lines.close();
  }
  throw new Error(`Not confirmed: that is not ${wordIs}. Nothing was changed.`);
}

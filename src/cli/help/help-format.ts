// Owns the layout of help: in 80 columns, or in those of a narrower terminal. A long option has its description on the next lines.

import type { Help } from "commander";

const maxColumns = 80;
const termColumns = 24;
const indent = "  ";

/** Overrides of the help of commander. */
export const helpFormat = {
  showGlobalOptions: true,
  helpWidth: Math.min(maxColumns, Math.max(40, process.stdout.columns ?? maxColumns)),

  padWidth: () => termColumns,

  formatItem(this: Help, term: string, _: number, description: string): string {
    if (description === "") return `${indent}${term}`;
    const start = indent.length + termColumns + indent.length;
    const wrapped = wrap(description, (this.helpWidth ?? maxColumns) - start).join(`\n${" ".repeat(start)}`);
    return term.length <= termColumns
      ? `${indent}${term.padEnd(termColumns)}${indent}${wrapped}`
      : `${indent}${term}\n${" ".repeat(start)}${wrapped}`;
  },
};

/** Lines of text, divided between words. */
function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length > 0 && longer.length <= columns) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// Binds `memledger config print`: shows every setting with its value and its source.

import type { Command } from "commander";
import { addServerSettings, bindWork, type Session } from "../command.ts";
import { table } from "../terminal.ts";

export function addConfigCommands(program: Command, session: Session): void {
  const config = program.command("config").description("Show the configuration.");
  const print = config
    .command("print")
    .description("Show every setting with its value and its source. Accepts the options of serve.");
  addServerSettings(print);
  bindWork(print, session, async ({ reports }) => ({
    data: Object.fromEntries(reports.map(({ name, value, source }) => [name, { value, source }])),
    text: table(
      ["setting", "value", "source"],
      reports.map(({ name, value, source }) => [name, toText(name, value), source]),
    ),
  }));
}

function toText(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.join(",") || "none";
  if (value !== null) return String(value);
  return name.startsWith("plans.") ? "unlimited" : "none";
}

// Owns how a command is bound to its work: configuration in, one report out, failures told in one line. Knows no command.

import { type Command, Option } from "commander";
import { type Loaded, loadConfig } from "../config/config.ts";
import type { Setting } from "../config/setting.ts";
import { flagOf, settings } from "../config/settings.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-codes.ts";
import { failureMessage } from "./failure-message.ts";
import type { Report, Terminal } from "./terminal.ts";

/** What a command works with. */
export interface Invocation extends Loaded {
  readonly terminal: Terminal;
  /** By the option's attribute name; see `attributeOf`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
}

/** The report is printed when the work is done; null when everything has been printed. */
export type Work = (invocation: Invocation) => Promise<Report | null>;

/** Where commands leave what has to be printed and how the process ends. */
export interface Session {
  readonly terminal: Terminal;
  exitCode: ExitCode;
}

/** These can be set for every command; the others belong to the commands that use them. */
export const globalSettings: readonly Setting<unknown>[] = [settings.dataDir, settings.logLevel];

export interface BindOptions {
  /** Whether a run with these operands uses flags only, so that no variable and no memledger.toml can be wrong for it. */
  readonly needsNoConfig?: (operands: readonly string[]) => boolean;
}

export function bindWork(
  command: Command,
  session: Session,
  work: Work,
  { needsNoConfig = () => false }: BindOptions = {},
): void {
  command.action(async () => {
    const { terminal } = session;
    let isDebugging = false;
    let dataDir: string | null = null;
    try {
      const options: Readonly<Record<string, unknown>> = command.optsWithGlobals();
      const flags = flagsFrom(options);
      const loaded = needsNoConfig(command.args)
        ? loadConfig({ flags, readsFile: false })
        : loadConfig({ flags, variables: terminal.variables });
      isDebugging = loaded.config.logLevel === "debug";
      dataDir = loaded.config.dataDir;
      const report = await work({ ...loaded, terminal, options, operands: command.args });
      if (report !== null) await terminal.print(report);
    } catch (error) {
      session.exitCode = await tellFailure(terminal, error, { isDebugging, dataDir });
    }
  });
}

/** One line that says what to do, and the exit code that goes with it. */
export async function tellFailure(
  terminal: Terminal,
  error: unknown,
  { isDebugging = false, dataDir = null }: { isDebugging?: boolean; dataDir?: string | null } = {},
): Promise<ExitCode> {
  const exitCode = exitCodeOf(error);
  const message = failureMessage(error, dataDir);
  terminal.note(`memledger: ${message}`);
  if (isDebugging) terminal.note(Bun.inspect(error));
  else if (exitCode === exitCodes.usage) terminal.note('Run "memledger --help" to see how it is used.');
  const code =
    error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : null;
  if (terminal.isJson) {
    await terminal.print({ data: { error: { message, code, exit_code: exitCode } }, text: "" });
  }
  return exitCode;
}

export function addSettings(command: Command, added: readonly Setting<unknown>[]): Command {
  for (const setting of added) command.addOption(optionOf(setting));
  return command;
}

function optionOf(setting: Setting<unknown>): Option {
  const fallback = setting.default === null ? "" : ` (default: ${setting.default})`;
  return new Option(`${flagOf(setting)} <${setting.placeholder}>`, `${setting.description}${fallback}`);
}

/** `--search-cache-mb` becomes `searchCacheMb`, as commander names it. */
export function attributeOf(flag: string): string {
  return new Option(flag).attributeName();
}

function flagsFrom(options: Readonly<Record<string, unknown>>): Record<string, string> {
  const flags = Object.values(settings).map((setting): [string, unknown] => [
    setting.name,
    options[attributeOf(flagOf(setting))],
  ]);
  return Object.fromEntries(flags.filter((flag): flag is [string, string] => typeof flag[1] === "string"));
}

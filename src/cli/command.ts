// Owns how a command runs: it loads the configuration, prints one report, and prints a failure in one line. Knows no command.

import { type Command, Option } from "commander";
import { type Loaded, loadConfig } from "../server/config/config.ts";
import { retiredSettings } from "../server/config/retired-settings.ts";
import type { Setting } from "../server/config/setting.ts";
import { flagOf, generalSettings, settings } from "../server/config/settings.ts";
import { userDataDirectory } from "../server/config/user-data-directory.ts";
import { type ExitCode, exitCodeOf, exitCodes } from "./exit-codes.ts";
import { failureMessage } from "./failure-message.ts";
import type { Report, Terminal } from "./terminal.ts";

/** The input of a command. */
export interface Invocation extends Loaded {
  readonly terminal: Terminal;
  /** By the option's attribute name; see `attributeOf`. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly operands: readonly string[];
}

/** The report is printed when the work is done. Null: the work has printed everything itself. */
export type Work = (invocation: Invocation) => Promise<Report | null>;

/** Shared by all commands of a run: the terminal and the exit code. */
export interface Session {
  readonly terminal: Terminal;
  exitCode: ExitCode;
}

/** Options of every command. The other settings are options of the commands that use them. */
export const globalSettings: readonly Setting<unknown>[] = [settings.dataDir, settings.logLevel];

interface BindOptions {
  /** True: with these operands the command reads neither environment variables nor memledger.toml. */
  readonly ignoresConfig?: (operands: readonly string[]) => boolean;
  /** The data directory if none is named: a folder in the working directory, or that of programs which assistants start anywhere. A witness has one of its own. */
  readonly dataDir?: "in the working directory" | "of the user" | "of a witness";
}

export function bindWork(
  command: Command,
  session: Session,
  work: Work,
  { ignoresConfig = () => false, dataDir: place = "in the working directory" }: BindOptions = {},
): void {
  command.action(async () => {
    const { terminal } = session;
    let isDebugging = false;
    let dataDir: string | null = null;
    try {
      const options: Readonly<Record<string, unknown>> = command.optsWithGlobals();
      const flags = flagsFrom(options);
      const loaded = ignoresConfig(command.args)
        ? loadConfig({ flags, readsFile: false })
        : loadConfig({ flags, variables: terminal.variables, ...defaultsOf(place, terminal) });
      isDebugging = loaded.config.logLevel === "debug";
      dataDir = loaded.config.dataDir;
      const report = await work({ ...loaded, terminal, options, operands: command.args });
      if (report !== null) await terminal.print(report);
    } catch (error) {
      session.exitCode = await reportFailure(terminal, error, { isDebugging, dataDir, command });
    }
  });
}

function defaultsOf(place: BindOptions["dataDir"], { variables }: Terminal) {
  if (place === "of a witness") return { defaultDataDir: "memledger-witness" };
  return place === "of the user" ? { defaultDataDir: userDataDirectory(variables) } : {};
}

/** Prints one line that says what to do. `command` is the one whose help is named. @returns the exit code of the error */
export async function reportFailure(
  terminal: Terminal,
  error: unknown,
  {
    command,
    isDebugging = false,
    dataDir = null,
  }: { command: Command; isDebugging?: boolean; dataDir?: string | null },
): Promise<ExitCode> {
  const exitCode = exitCodeOf(error);
  const message = await failureMessage(error, dataDir);
  terminal.writeError(`memledger: ${message}`);
  if (isDebugging) terminal.writeError(Bun.inspect(error));
  else if (exitCode === exitCodes.usage) terminal.writeError(helpAdvice(command));
  const code =
    error instanceof Error && "code" in error && typeof error.code === "number" ? error.code : null;
  if (terminal.isJson) {
    // If standard output is what failed, stderr has said so.
    await terminal
      .print({ data: { error: { message, code, exit_code: exitCode } }, text: "" })
      .catch(() => undefined);
  }
  return exitCode;
}

function helpAdvice(command: Command): string {
  const names: string[] = [];
  for (let each: Command | null = command; each !== null; each = each.parent) names.unshift(each.name());
  const listed = command.commands.length === 0 ? "options" : "commands and options";
  return `Run "${names.join(" ")} --help" for the list of ${listed}.`;
}

/** @param headingOf heading of a setting in the help; default: that of all options */
export function addSettings(
  command: Command,
  added: readonly Setting<unknown>[],
  headingOf: (setting: Setting<unknown>) => string | null = () => null,
): Command {
  for (const setting of added) {
    const option = optionOf(setting);
    const heading = headingOf(setting);
    command.addOption(heading === null ? option : option.helpGroup(heading));
  }
  return command;
}

/** All settings of a server. Those of earlier versions are accepted, too. */
export function addServerSettings(
  command: Command,
  headingOf?: (setting: Setting<unknown>) => string | null,
): void {
  const own = generalSettings.filter((setting) => !globalSettings.includes(setting));
  addSettings(command, own, headingOf);
  for (const setting of retiredSettings) command.addOption(optionOf(setting).hideHelp());
}

function optionOf(setting: Setting<unknown>): Option {
  const isWithoutDefault = setting.default === null || String(setting.default) === "";
  const fallback = isWithoutDefault ? "" : ` (default: ${setting.default})`;
  return new Option(`${flagOf(setting)} <${setting.placeholder}>`, `${setting.description}${fallback}`);
}

/** The name under which commander keeps an option: `searchCacheMb` for `--search-cache-mb`. */
export function attributeOf(flag: string): string {
  return new Option(flag).attributeName();
}

function flagsFrom(options: Readonly<Record<string, unknown>>): Record<string, string> {
  const flags = [...generalSettings, ...retiredSettings].map((setting): [string, unknown] => [
    setting.name,
    options[attributeOf(flagOf(setting))],
  ]);
  return Object.fromEntries(flags.filter((flag): flag is [string, string] => typeof flag[1] === "string"));
}

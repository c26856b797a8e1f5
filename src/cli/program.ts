// Owns the command line: the list of commands, and the exit code of a run.

import { Command, CommanderError } from "commander";
import { disableTelemetry } from "../platform/native/telemetry.ts";
import { addSettings, globalSettings, reportFailure, type Session } from "./command.ts";
import { commandWord } from "./command-word.ts";
import { type ExitCode, exitCodeMeanings, exitCodes } from "./exit-codes.ts";
import { suggestCommand } from "./help/command-suggestion.ts";
import { helpFormat } from "./help/help-format.ts";
import { versionReport, versionText } from "./help/version.ts";
import { createTerminal } from "./terminal.ts";

/**
 * All commands, in the order of the help. A command that is named is the only one that is loaded: an assistant waits for the start of the
 * program, and the server is large.
 */
const commands: Readonly<Record<string, () => Promise<(program: Command, session: Session) => void>>> = {
  serve: async () => (await import("./server/serve.ts")).addServeCommand,
  console: async () => (await import("./server/console.ts")).addConsoleCommands,
  witness: async () => (await import("./server/witness.ts")).addWitnessCommand,
  stop: async () => (await import("./server/stop.ts")).addStopCommand,
  mcp: async () => (await import("./assistants/mcp.ts")).addMcpCommand,
  project: async () => (await import("./access/project.ts")).addProjectCommands,
  key: async () => (await import("./access/key.ts")).addKeyCommands,
  "admin-key": async () => (await import("./access/admin-key.ts")).addAdministrationKeyCommands,
  memory: async () => (await import("./memories/memory.ts")).addMemoryCommands,
  conversation: async () => (await import("./memories/conversation.ts")).addConversationCommands,
  suggestion: async () => (await import("./memories/suggestion.ts")).addSuggestionCommands,
  audit: async () => (await import("./audit/audit.ts")).addAuditCommands,
  backup: async () => (await import("./backup/backup.ts")).addBackupCommand,
  restore: async () => (await import("./backup/restore.ts")).addRestoreCommand,
  connect: async () => (await import("./assistants/connect.ts")).addConnectCommand,
  reembed: async () => (await import("./server/reembed.ts")).addReembedCommand,
  health: async () => (await import("./server/health.ts")).addHealthCommand,
  doctor: async () => (await import("./doctor/doctor.ts")).addDoctorCommand,
  config: async () => (await import("./server/config.ts")).addConfigCommands,
  hook: async () => (await import("./assistants/hook.ts")).addHookCommands,
  docs: async () => (await import("./help/docs.ts")).addDocsCommand,
  completion: async () => (await import("./help/completion.ts")).addCompletionCommand,
  man: async () => (await import("./help/man.ts")).addManCommand,
  version: async () => (await import("./help/version.ts")).addVersionCommand,
};

/** Commands that describe all commands. */
const describing: readonly string[] = ["completion", "man"];

/** Runs one command. `words` are the arguments after the program's name. Never throws: every outcome is an exit code. */
export async function runCommand(words: readonly string[]): Promise<ExitCode> {
  const exitCode = await parseAndRun(words);
  // Clients of assistants block the prompt of the user otherwise.
  return commandWord(words) === "hook" ? exitCodes.done : exitCode;
}

async function parseAndRun(words: readonly string[]): Promise<ExitCode> {
  disableTelemetry();
  const session: Session = { terminal: createTerminal(words.includes("--json")), exitCode: exitCodes.done };
  const program = await createProgram(session, words);
  try {
    requireHelpOfCommand(program, words);
    await program.parseAsync(words[0] === "help" ? [...words.slice(1), "--help"] : [...words], {
      from: "user",
    });
    return session.exitCode;
  } catch (error) {
    // commander throws after --help and --version, which it has printed.
    if (error instanceof CommanderError && error.exitCode === 0) return exitCodes.done;
    if (error instanceof CommanderError && error.code === "commander.help") {
      const message = "A command is missing. Add --help for the list of commands.";
      const data = { error: { message, code: null, exit_code: exitCodes.usage } };
      if (session.terminal.isJson) await session.terminal.print({ data, text: "" });
      return exitCodes.usage;
    }
    const command = namedCommand(program, words);
    return reportFailure(session.terminal, withSuggestion(error, command), { command });
  }
}

/** commander shows the help of the group. @throws CommanderError when the words ask for the help of a command that does not exist */
function requireHelpOfCommand(program: Command, words: readonly string[]): void {
  const options = words.findIndex((word) => word.startsWith("-"));
  const leading = options === -1 ? words : words.slice(0, options);
  if (!leading.includes("help") && !words.includes("--help") && !words.includes("-h")) return;
  let command = program;
  for (const word of leading.filter((each) => each !== "help")) {
    const named = command.commands.find((each) => each.name() === word);
    if (named === undefined && command.commands.length === 0) return;
    if (named === undefined)
      throw new CommanderError(2, "commander.unknownCommand", `error: unknown command '${word}'`);
    command = named;
  }
}

/** Adds what to write in place of an unknown command. */
function withSuggestion(error: unknown, command: Command): unknown {
  if (!(error instanceof CommanderError) || error.code !== "commander.unknownCommand") return error;
  const [, word = ""] = /'(.*)'/.exec(error.message) ?? [];
  const suggested = suggestCommand(command, word);
  // commander compares the names of the commands at this place only.
  const [unknown = ""] = error.message.split("\n");
  error.message = suggested === null ? unknown : `${unknown}. Did you mean "${suggested}"?`;
  return error;
}

/** The innermost command that the words name, because an error of commander does not say which command it belongs to. */
function namedCommand(program: Command, words: readonly string[]): Command {
  return words.reduce(
    (command, word) => command.commands.find((each) => each.name() === word) ?? command,
    program,
  );
}

export async function createProgram(session: Session, words: readonly string[]): Promise<Command> {
  const program = new Command("memledger")
    .description("An AI memory with a tamper-evident audit ledger.")
    .version(versionText, "-V, --version", "print the version and the commit")
    .helpOption("-h, --help", "show this help")
    .helpCommand("help [command]", "show the help of a command")
    .option("--json", "print the result as one line of JSON, the last line on stdout")
    .exitOverride()
    // reportFailure prints errors.
    .configureOutput({
      outputError: () => undefined,
      // commander writes help and version itself.
      writeOut(text) {
        const data = text.trimEnd() === versionText ? versionReport.data : { help: text };
        process.stdout.write(session.terminal.isJson ? `${JSON.stringify(data)}\n` : text);
      },
    })
    .configureHelp(helpFormat)
    .addHelpText("after", `\nExit codes:\n${exitCodeLines()}`);
  addSettings(program, globalSettings);
  const word = commandWord(words) ?? "";
  const named = describing.includes(word) ? [] : Object.entries(commands).filter(([name]) => name === word);
  for (const [, load] of named.length === 0 ? Object.entries(commands) : named) {
    const add = await load();
    add(program, session);
  }
  return program;
}

function exitCodeLines(): string {
  const names = Object.keys(exitCodes).filter((name): name is keyof typeof exitCodes => name in exitCodes);
  return names.map((name) => `  ${String(exitCodes[name]).padEnd(4)} ${exitCodeMeanings[name]}`).join("\n");
}

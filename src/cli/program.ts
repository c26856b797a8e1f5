// Owns the command line: the list of commands, and the exit code of a run.

import { Command, CommanderError } from "commander";
import { disableTelemetry } from "../native/telemetry.ts";
import { addAuditCommands } from "./audit.ts";
import { addSettings, globalSettings, reportFailure, type Session } from "./command.ts";
import { addConfigCommands } from "./config.ts";
import { addConnectCommand } from "./connect.ts";
import { addDoctorCommand } from "./doctor.ts";
import { type ExitCode, exitCodeMeanings, exitCodes } from "./exit-codes.ts";
import { addHookCommands, isHook } from "./hook.ts";
import { addKeyCommands } from "./key.ts";
import { addMcpCommand } from "./mcp.ts";
import { addProjectCommands } from "./project.ts";
import { addReembedCommand } from "./reembed.ts";
import { addServeCommand } from "./serve.ts";
import { addStopCommand } from "./stop.ts";
import { createTerminal } from "./terminal.ts";
import { addVersionCommand, versionReport, versionText } from "./version.ts";

/** Runs one command. `words` are the arguments after the program's name. Never throws: every outcome is an exit code. */
export async function runCommand(words: readonly string[]): Promise<ExitCode> {
  const exitCode = await parseAndRun(words);
  return isHook(words) ? exitCodes.done : exitCode;
}

async function parseAndRun(words: readonly string[]): Promise<ExitCode> {
  disableTelemetry();
  const session: Session = { terminal: createTerminal(words.includes("--json")), exitCode: exitCodes.done };
  const program = createProgram(session);
  try {
    await program.parseAsync([...words], { from: "user" });
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
    return reportFailure(session.terminal, error, { command: namedCommand(program, words) });
  }
}

/** The innermost command that the words name, because an error of commander does not say which command it belongs to. */
function namedCommand(program: Command, words: readonly string[]): Command {
  return words.reduce(
    (command, word) => command.commands.find((each) => each.name() === word) ?? command,
    program,
  );
}

function createProgram(session: Session): Command {
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
    .configureHelp({ showGlobalOptions: true })
    .addHelpText("after", `\nExit codes:\n${exitCodeLines()}`);
  addSettings(program, globalSettings);
  addServeCommand(program, session);
  addStopCommand(program, session);
  addMcpCommand(program, session);
  addProjectCommands(program, session);
  addKeyCommands(program, session);
  addAuditCommands(program, session);
  addConnectCommand(program, session);
  addReembedCommand(program, session);
  addDoctorCommand(program, session);
  addConfigCommands(program, session);
  addHookCommands(program, session);
  addVersionCommand(program, session);
  return program;
}

function exitCodeLines(): string {
  const names = Object.keys(exitCodes).filter((name): name is keyof typeof exitCodes => name in exitCodes);
  return names.map((name) => `  ${String(exitCodes[name]).padEnd(4)} ${exitCodeMeanings[name]}`).join("\n");
}

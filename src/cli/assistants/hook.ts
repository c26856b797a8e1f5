// Binds `memledger hook`: the commands that an assistant's client runs at the start of a conversation, with each prompt, and at the end.
// Must never end with another exit code than 0, because clients block the prompt of the user otherwise (Claude Code: code 2).

import { type Command, Option } from "commander";
import { type HookName, hookClientNames, hookNames } from "../../assistants/hooks/client.ts";
import { hookDeadlineMs } from "../../assistants/hooks/limits.ts";
import { defaultDetail, extractionDetails } from "../../memory/extraction/extractor.ts";
import { bindWork, type Session } from "../command.ts";
import { addSubjectOption, addTargetOptions } from "../server-target.ts";
import { extractInBackground } from "./hook-extraction.ts";
import { runHook } from "./hook-run.ts";

const descriptions: Readonly<Record<HookName, string>> = {
  "session-start": "Print the rules and the most important memories.",
  "user-prompt": "Print the memories that are relevant to the prompt.",
  "session-end": "Extract memories from the transcript, in the background.",
};

/** Clients run hooks in any working directory. */
const ofUser = { dataDir: "of the user" } as const;

export function addHookCommands(program: Command, session: Session): void {
  const hook = program
    .command("hook")
    .description("Answer a hook of an assistant's client. Reads the client's JSON from stdin.");
  for (const name of hookNames) {
    const command = addOptions(hook.command(name).description(descriptions[name]));
    if (name === "session-end") command.addOption(detailOption());
    bindWork(command, session, (invocation) => runHook(name, invocation), ofUser);
  }
  const extract = addOptions(hook.command("extract", { hidden: true }))
    .requiredOption("--session <id>")
    .requiredOption("--transcript <file>")
    .addOption(detailOption());
  bindWork(extract, session, extractInBackground, ofUser);
}

function detailOption(): Option {
  return new Option(
    "--detail <detail>",
    "essential: what stays useful for months; verbatim: everything, word for word; full: every statement, with a language model",
  )
    .choices(extractionDetails)
    .default(defaultDetail);
}

function addOptions(command: Command): Command {
  return addSubjectOption(addTargetOptions(command))
    .addOption(
      new Option("--client <name>", "the client that runs the hook")
        .choices(hookClientNames)
        .makeOptionMandatory(),
    )
    .addOption(
      new Option("--deadline-ms <number>", "for tests on slow machines").hideHelp().default(hookDeadlineMs),
    );
}

// Binds `memledger completion`: prints a script with which a shell completes command lines. The script contains all words, so pressing
// Tab starts no program, reads no data directory and appends no audit record.

import { Argument, type Command } from "commander";
import { bindWork, type Session } from "../command.ts";
import { type CommandNode, treeOf } from "../command-tree.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { zshScript } from "./zsh.ts";

const scripts: Readonly<Record<string, (tree: CommandNode) => string>> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};

/** @param program gets all commands before the work begins */
export function addCompletionCommand(program: Command, session: Session): void {
  const command = program
    .command("completion")
    .description("Print the script with which a shell completes commands, options and their values.")
    .addArgument(new Argument("<shell>", "shell that reads the script").choices(Object.keys(scripts)));
  bindWork(
    command,
    session,
    async ({ operands: [shell = ""] }) => {
      const script = scripts[shell]?.(treeOf(program)) ?? "";
      return { data: { shell, script }, text: script };
    },
    { ignoresConfig: () => true },
  );
}

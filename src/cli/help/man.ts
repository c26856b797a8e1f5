// Binds `memledger man`: prints the manual page, which `man -l` and a package read.

import type { Command } from "commander";
import { bindWork, type Session } from "../command.ts";
import { treeOf } from "../command-tree.ts";
import { manualPage } from "./manual-page.ts";

/** @param program gets all commands before the work begins */
export function addManCommand(program: Command, session: Session): void {
  const command = program
    .command("man")
    .description("Print the manual page of all commands, for man: memledger man > memledger.1");
  bindWork(
    command,
    session,
    async () => {
      const page = manualPage(treeOf(program));
      return { data: { page }, text: page };
    },
    { ignoresConfig: () => true },
  );
}

// Binds `memledger memory`: memories of a project out of files and into files, through the API.

import type { Command } from "commander";
import type { Session } from "./command.ts";
import { addMemoryImportCommand } from "./memory-import.ts";

export function addMemoryCommands(program: Command, session: Session): void {
  const memory = program.command("memory").description("Import memories.");
  addMemoryImportCommand(memory, session);
}

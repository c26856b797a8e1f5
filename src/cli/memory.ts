// Binds `memledger memory`: memories of a project out of files and into files, through the API.

import type { Command } from "commander";
import type { Session } from "./command.ts";
import { addMemoryExportCommand } from "./memory-export.ts";
import { addMemoryImportCommand } from "./memory-import.ts";

export function addMemoryCommands(program: Command, session: Session): void {
  const memory = program.command("memory").description("Export and import memories.");
  addMemoryExportCommand(memory, session);
  addMemoryImportCommand(memory, session);
}

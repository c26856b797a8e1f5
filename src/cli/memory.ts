// Binds `memledger memory`: commands for many memories of a project, through the API.

import type { Command } from "commander";
import type { Session } from "./command.ts";
import { addMemoryExportCommand } from "./memory-export.ts";
import { addMemoryImportCommand } from "./memory-import.ts";
import { addMemoryReactivateCommand } from "./memory-reactivate.ts";

export function addMemoryCommands(program: Command, session: Session): void {
  const memory = program.command("memory").description("Export, import and reactivate memories.");
  addMemoryExportCommand(memory, session);
  addMemoryImportCommand(memory, session);
  addMemoryReactivateCommand(memory, session);
}

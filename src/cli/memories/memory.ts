// Binds `memledger memory`: commands for many memories of a project, through the API.

import type { Command } from "commander";
import type { Session } from "../command.ts";
import { addMemoryExportCommand } from "./export.ts";
import { addMemoryImportCommand } from "./import.ts";
import { addMemoryReactivateCommand } from "./reactivate.ts";

export function addMemoryCommands(program: Command, session: Session): void {
  const memory = program.command("memory").description("Export, import and reactivate memories.");
  addMemoryExportCommand(memory, session);
  addMemoryImportCommand(memory, session);
  addMemoryReactivateCommand(memory, session);
}

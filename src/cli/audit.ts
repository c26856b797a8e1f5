// Binds the commands of `memledger audit`. Knows none of their work.

import type { Command } from "commander";
import { addVerifyCommand } from "./audit-verify.ts";
import type { Session } from "./command.ts";

export function addAuditCommands(program: Command, session: Session): void {
  const audit = program.command("audit").description("Prove what the ledger holds.");
  addVerifyCommand(audit, session);
}

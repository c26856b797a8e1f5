// Binds the commands of `memledger audit`. Knows none of their work.

import type { Command } from "commander";
import { attestProject } from "../audit/attest.ts";
import { pruneRecords } from "../audit/prune.ts";
import { redactRecords } from "../audit/redact.ts";
import { isObject, type Json } from "../json.ts";
import { bindOperation } from "./administration.ts";
import { addExportCommand } from "./audit-export.ts";
import { addVerifyCommand } from "./audit-verify.ts";
import type { Session } from "./command.ts";

export function addAuditCommands(program: Command, session: Session): void {
  const audit = program
    .command("audit")
    .description("Prove what the ledger holds, export it, attest it, prune and erase.");
  addVerifyCommand(audit, session);
  addExportCommand(audit, session);
  bindOperation(audit, session, {
    name: "checkpoint",
    operation: attestProject,
    fields: [
      { flags: "--project <id|name>", field: "project", description: "whose chain", isRequired: true },
    ],
    toText: noteOf,
  });
  bindOperation(audit, session, {
    name: "redact",
    operation: redactRecords,
    fields: [
      { flags: "--record <id>", field: "record", description: "one audit record" },
      { flags: "--memory <id>", field: "memory", description: "every record that holds this memory" },
    ],
  });
  bindOperation(audit, session, { name: "prune", operation: pruneRecords });
}

/** The note alone, so that `memledger audit checkpoint --project P > FILE` keeps what `--checkpoint FILE` reads. */
function noteOf(data: Json): string {
  return isObject(data) && typeof data.note === "string" ? data.note : "";
}

// Binds the commands of `memledger audit`. Knows none of their work.

import { type Command, InvalidArgumentError } from "commander";
import { signCheckpoints } from "../audit/checkpoint-operations.ts";
import { pruneRecords } from "../audit/prune.ts";
import { redactRecords } from "../audit/redact.ts";
import { isObject, type Json } from "../json/json.ts";
import { bindOperation, describe, rowsOf } from "./administration.ts";
import { addExportCommand } from "./audit-export.ts";
import { addVerifyCommand } from "./audit-verify.ts";
import type { Session } from "./command.ts";
import { addRotateKeyCommand } from "./rotate-key.ts";
import { table } from "./terminal.ts";

export function addAuditCommands(program: Command, session: Session): void {
  const audit = program
    .command("audit")
    .description("Prove what the ledger holds, export it, attest it, prune and erase.");
  addVerifyCommand(audit, session);
  addExportCommand(audit, session);
  addRotateKeyCommand(audit, session);
  bindOperation(audit, session, {
    name: "checkpoint",
    operation: signCheckpoints,
    fields: [
      { flags: "--project <id|name>", field: "project", description: "whose chain (default: all chains)" },
    ],
    toText: notesOf,
  });
  bindOperation(audit, session, {
    name: "redact",
    operation: redactRecords,
    fields: [
      { flags: "--record <id>", field: "record", description: "one audit record" },
      { flags: "--memory <id>", field: "memory", description: "every record that holds this memory" },
      { flags: "--delete-memory", field: "delete_memory", description: "delete the memory, too" },
    ],
    check: ({ record, memory }) => {
      if (record === undefined && memory === undefined)
        throw new InvalidArgumentError("Name what to erase: --record ID or --memory ID.");
      if (record !== undefined && memory !== undefined)
        throw new InvalidArgumentError(
          "--record and --memory exclude each other. Run the command once for each of them.",
        );
    },
    confirmation: async () => ({
      warning:
        "This erases what these audit records hold, for good, and removes the exports that hold them. The chain keeps their entries and still verifies.",
      word: "erase",
      wordIs: 'the word "erase"',
    }),
    toText: erasureOf,
  });
  bindOperation(audit, session, { name: "prune", operation: pruneRecords, toText: sweepOf });
}

/** What a sweep of retention did with each chain. */
function sweepOf(data: Json): string {
  const chains = isObject(data) ? rowsOf(data.chains ?? null) : [];
  if (chains.length === 0) return "No record is older than its retention.";
  const rows = chains.map(({ project, records, payloads, anchored_through, skipped }) =>
    [project ?? "(installation)", records, payloads, anchored_through, skipped].map((cell) => cell ?? null),
  );
  return table(["project", "records removed", "payloads removed", "removed up to", "skipped"], rows);
}

/** What was erased, and what was not. */
function erasureOf(data: Json): string {
  const parts = [describe(data)];
  if (isObject(data) && Array.isArray(data.exports) && data.exports.length > 0) parts.push(exportsRemoved);
  if (isObject(data) && data.memory === "kept") parts.push(memoryKept);
  return parts.join("\n\n");
}

const exportsRemoved =
  "The files of these exports were removed from the server. Copies that were downloaded must be deleted by hand.";
const memoryKept =
  "The memory itself is still there with its text, and new records will hold it. To delete it, add --delete-memory.";

/** The notes alone, so that `memledger audit checkpoint > FILE` keeps what `audit verify --checkpoint FILE` reads. */
function notesOf(data: Json): string {
  const checkpoints = isObject(data) ? rowsOf(data.checkpoints ?? null) : [];
  return checkpoints.map(({ note }) => `${note}\n`).join("");
}

// Binds the commands of `memledger audit` to their operations.

import { type Command, InvalidArgumentError } from "commander";
import { acceptRecords } from "../../calls/operations/ledger/accept-records.ts";
import { eraseRecords } from "../../calls/operations/ledger/erase-records.ts";
import { pruneRecords } from "../../calls/operations/ledger/prune.ts";
import { traceRecords } from "../../calls/operations/ledger/trace-records.ts";
import { isObject, type Json, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import { bindOperation, describe } from "../access/administration.ts";
import type { Session } from "../command.ts";
import { table } from "../terminal.ts";
import { addCheckpointCommand } from "./checkpoint.ts";
import { addExportCommand } from "./export.ts";
import { addListCommands } from "./list.ts";
import { addReceiptCommand } from "./receipt.ts";
import { addRotateKeyCommand } from "./rotate-key.ts";
import { addTimeStampCommands } from "./time-stamp.ts";
import { addVerifierCommand } from "./verifier.ts";
import { addVerifyCommand } from "./verify.ts";
import { addVerifyReceiptCommand } from "./verify-receipt.ts";
import { addVerifyReportCommand } from "./verify-report.ts";
import { addWriteReportCommand } from "./write-report.ts";

export function addAuditCommands(program: Command, session: Session): void {
  const audit = program
    .command("audit")
    .description("Verify, list, trace, export, sign, prune and redact audit records.");
  addVerifyCommand(audit, session);
  addVerifierCommand(audit, session);
  addWriteReportCommand(audit, session);
  addVerifyReportCommand(audit, session);
  addReceiptCommand(audit, session);
  addVerifyReceiptCommand(audit, session);
  addListCommands(audit, session);
  addExportCommand(audit, session);
  addRotateKeyCommand(audit, session);
  addCheckpointCommand(audit, session);
  addTimeStampCommands(audit, session);
  bindOperation(audit, session, {
    name: "redact",
    operation: eraseRecords,
    fields: [
      ...erasedFields,
      {
        flags: "--delete-memory",
        field: "delete_memory",
        description: "also delete the memory, or the memories that were made from the record",
      },
    ],
    check: requireOne,
    confirmation: async () => ({
      warning:
        "This permanently erases the text from the payloads of these audit records and removes the exports that contain them. The entries of the records and the other parts of the payloads are kept, and the chain still verifies.",
      word: "erase",
      wordDescription: 'the word "erase"',
    }),
    toText: erasedText,
  });
  bindOperation(audit, session, {
    name: "trace",
    operation: traceRecords,
    fields: erasedFields,
    check: requireOne,
    toText: tracedText,
  });
  bindOperation(audit, session, {
    name: "accept",
    operation: acceptRecords,
    confirmation: async () => ({
      warning:
        "Records that another program has written become part of the ledger, and the server signs them. Before that, verify the database with memledger audit verify and find out who can write to its folder.",
      word: "accept",
      wordDescription: 'the word "accept"',
    }),
    toText: acceptedText,
  });
  bindOperation(audit, session, { name: "prune", operation: pruneRecords, toText: prunedText });
}

const erasedFields = [
  {
    flags: "--record <id>",
    field: "record",
    description: "id of an audit record: all records that hold its text",
  },
  { flags: "--memory <id>", field: "memory", description: "id of a memory: all records that hold its text" },
];

function requireOne({ record, memory }: JsonObject): void {
  if (record === undefined && memory === undefined)
    throw new InvalidArgumentError("--record ID or --memory ID is required.");
  if (record !== undefined && memory !== undefined)
    throw new InvalidArgumentError(
      "--record and --memory cannot be used together. Run the command once for each of them.",
    );
}

/** What an erasure would erase, one row for each record. */
function tracedText(data: Json): string {
  const { records = null, memories = null } = isObject(data) ? data : {};
  const rows = objectsIn(records).map(({ id, action, holding, parts }) =>
    [id, action, holding, parts ?? "all"].map((cell) => cell ?? null),
  );
  const shown =
    rows.length === 0 ? "No record holds the text." : table(["record", "action", "holds", "parts"], rows);
  const kept =
    Array.isArray(memories) && memories.length > 0
      ? `Memories with the text: ${memories.join(", ")}`
      : "No memory has the text.";
  return `${shown}\n\n${kept}`;
}

function acceptedText(data: Json): string {
  return chainsText(data, "Nothing to accept: the server has written all newest records.", {
    "signed up to": "covered",
    "accepted up to": "newest",
    hash: "hash",
  });
}

/** The result of a retention run, one row for each chain. */
function prunedText(data: Json): string {
  return chainsText(data, "No record is older than its retention.", {
    "records removed": "records",
    "payloads removed": "payloads",
    "removed up to": "anchored_through",
    skipped: "skipped",
  });
}

/** @param columns the member of a chain that each column shows @param none what is said without chains */
function chainsText(data: Json, none: string, columns: Readonly<Record<string, string>>): string {
  const chains = isObject(data) ? objectsIn(data.chains) : [];
  if (chains.length === 0) return none;
  const rows = chains.map((chain) => [
    chain.project ?? "(installation)",
    ...Object.values(columns).map((member) => chain[member] ?? null),
  ]);
  return table(["project", ...Object.keys(columns)], rows);
}

/** The result of an erasure, and what the operator still has to do. */
function erasedText(data: Json): string {
  const parts = [describe(data)];
  if (isObject(data) && Array.isArray(data.exports) && data.exports.length > 0) parts.push(exportsRemoved);
  if (isObject(data) && data.memory === "kept") parts.push(memoryKept);
  const { remaining_memories: remaining = null } = isObject(data) ? data : {};
  if (Array.isArray(remaining) && remaining.length > 0) parts.push(memoriesRemain);
  return parts.join("\n\n");
}

const exportsRemoved =
  "The files of these exports were removed from the server. Delete downloaded copies yourself.";
const memoryKept =
  "The memory itself was not deleted, and new records may contain it. To delete it, run the command again with --delete-memory.";

const memoriesRemain =
  "The remaining memories still have the text. Erase them, too, if they are about the same.";

// Binds `memledger audit list` and `audit show` to their operations. Options of the list are its filters, and its table ends with the option
// of the next page.

import type { Command } from "commander";
import { listChain } from "../../calls/operations/ledger/list-chain.ts";
import { showRecord } from "../../calls/operations/ledger/show-record.ts";
import { isObject, type Json, objectsIn } from "../../platform/json/json.ts";
import { auditPageSizeDefault, pageSizeMax } from "../../platform/limits.ts";
import { bindOperation, type Field, wholeNumber } from "../access/administration.ts";
import type { Session } from "../command.ts";
import { list, table } from "../terminal.ts";
import { recordFields } from "./record-fields.ts";

const fields: readonly Field[] = [
  {
    flags: "--project <id|name>",
    field: "project",
    description: "project whose records are listed (default: the installation)",
  },
  {
    flags: "--from <time>",
    field: "start_time",
    description: "only records from this ISO 8601 date or time on; UTC without a time zone",
  },
  {
    flags: "--to <time>",
    field: "end_time",
    description: "only records up to this date or time; a date includes the whole day",
  },
  ...recordFields,
  {
    flags: "--page-size <number>",
    field: "page_size",
    description: `number of records to show, 1 to ${pageSizeMax} (default: ${auditPageSizeDefault})`,
    read: wholeNumber,
  },
  {
    flags: "--cursor <text>",
    field: "cursor",
    description: "the cursor that the page before has printed, with the same options",
  },
];

export function addListCommands(audit: Command, session: Session): void {
  bindOperation(audit, session, { name: "list", operation: listChain, fields, toText: toTable });
  bindOperation(audit, session, {
    name: "show",
    operation: showRecord,
    operand: { show: "record-id", field: "record" },
    toText: toFields,
  });
}

const columns: Readonly<Record<string, string>> = {
  time: "created_at",
  action: "action",
  status: "http_status",
  code: "error_code",
  key: "key_id",
  memory: "memory_id",
  id: "id",
};

function toTable(data: Json): string {
  const { logs = null, total = 0, next_cursor: cursor = null } = isObject(data) ? data : {};
  const rows = objectsIn(logs);
  if (rows.length === 0) return "No record matches.";
  const cells = rows.map((row) => Object.values(columns).map((field) => row[field] ?? null));
  const shown = table(Object.keys(columns), cells);
  const next = cursor === null ? "" : ` To show older ones, repeat the command with --cursor ${cursor}`;
  return `${shown}\n\n${rows.length} of ${total} records, newest first.${next}`;
}

/** Fields without a value are left out. */
function toFields(data: Json): string {
  const fields = isObject(data) ? Object.entries(data).filter(([, value]) => value !== null) : [];
  return list(
    Object.fromEntries(
      fields.map(([name, value]) => [
        name,
        typeof value === "object" ? JSON.stringify(value) : shown(name, value),
      ]),
    ),
  );
}

/** Nobody has checked for whom a client acts. */
function shown(name: string, value: Json): Json {
  return name === "on_behalf_of" ? `${value} (as the client said; not checked)` : value;
}

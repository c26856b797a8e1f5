// Binds `memledger admin-key ...` to the operations on administration keys. Only create prints the secret.

import type { Command } from "commander";
import {
  createAdministrationKey,
  listAdministrationKeys,
  revokeAdministrationKey,
} from "../../calls/operations/access/administration-key-operations.ts";
import { type Json, objectsIn } from "../../platform/json/json.ts";
import type { Session } from "../command.ts";
import { tableOf } from "../terminal.ts";
import { bindOperation, type Field } from "./administration.ts";
import { expires, requireKeyId, toSecretText } from "./key.ts";

const fields: readonly Field[] = [
  {
    flags: "--name <text>",
    field: "name",
    description: "name of the key, such as the program that uses it",
    isRequired: true,
  },
  expires,
];

export function addAdministrationKeyCommands(program: Command, session: Session): void {
  const keys = program
    .command("admin-key")
    .description("Manage the keys with which programs administer projects and API keys over HTTP.");
  bindOperation(keys, session, {
    name: "create",
    operation: createAdministrationKey,
    fields,
    toText: toSecretText,
  });
  bindOperation(keys, session, { name: "list", operation: listAdministrationKeys, toText: toTable });
  bindOperation(keys, session, {
    name: "revoke",
    operation: revokeAdministrationKey,
    operand: { show: "key-id", field: "key" },
    check: (input) => requireKeyId(input, "memledger admin-key list"),
  });
}

const columns = ["id", "name", "created_at", "expires_at", "revoked_at", "last_used_at"];

function toTable(data: Json): string {
  const rows = objectsIn(data);
  if (rows.length === 0) return "There are no administration keys.";
  return tableOf(columns, rows);
}

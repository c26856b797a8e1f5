// Binds `memledger key ...` to the operations on API keys. Only create prints the secret.

import { type Command, InvalidArgumentError } from "commander";
import { mayContainSecret, permissions } from "../../access/key.ts";
import { createKey, listKeys, revokeKey, updateKey } from "../../calls/operations/access/key-operations.ts";
import { type Json, type JsonObject, objectsIn } from "../../platform/json/json.ts";
import type { Session } from "../command.ts";
import { tableOf } from "../terminal.ts";
import { bindOperation, describe, type Field } from "./administration.ts";
import { gatewayFields } from "./key-gateway.ts";

const project: Field = {
  flags: "--project <id|name>",
  field: "project",
  description: "project of the key",
  isRequired: true,
};

export const expires: Field = {
  flags: "--expires <time>",
  field: "expires_at",
  description: "expiry time, such as 2026-12-31T23:59:59Z (default: never)",
};

const fields: readonly Field[] = [
  project,
  {
    flags: "--permissions <list>",
    field: "permissions",
    description: `comma-separated permissions: ${permissions.join(", ")}`,
    isRequired: true,
    read: (text) =>
      text
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
  },
  { flags: "--name <text>", field: "name", description: "name of the key, such as its purpose" },
  expires,
  {
    flags: "--subject <name>",
    field: "subject",
    description:
      "the subject that the key is for, such as user:42, or several, such as 'user:*' (default: all)",
  },
  ...gatewayFields,
];

const key = { show: "key-id", field: "key" };

export function addKeyCommands(program: Command, session: Session): void {
  const keys = program.command("key").description("Manage the API keys of a project.");
  bindOperation(keys, session, { name: "create", operation: createKey, fields, toText: toSecretText });
  bindOperation(keys, session, { name: "list", operation: listKeys, fields: [project], toText: toTable });
  bindOperation(keys, session, {
    name: "update",
    operation: updateKey,
    operand: key,
    fields: gatewayFields,
    check: requireChange,
  });
  bindOperation(keys, session, {
    name: "revoke",
    operation: revokeKey,
    operand: key,
    check: requireNoSecret,
  });
}

/** @throws InvalidArgumentError */
function requireChange(input: JsonObject): void {
  requireNoSecret(input);
  if (input.gateway !== undefined) return;
  throw new InvalidArgumentError("Give at least one option, such as --gateway-memory off.");
}

/** @throws InvalidArgumentError */
function requireNoSecret(input: JsonObject): void {
  requireKeyId(input, "memledger key list --project NAME");
}

/** @param listing the command that shows the ids. @throws InvalidArgumentError for a secret, because the input of an operation is recorded */
export function requireKeyId({ key }: JsonObject, listing: string): void {
  if (typeof key !== "string" || !mayContainSecret(key)) return;
  throw new InvalidArgumentError(
    `Give the id of the key, not the key itself. Nothing was sent. Run "${listing}" to show the ids.`,
  );
}

export function toSecretText(data: Json): string {
  return `${describe(data)}\n\nSave the key now: it is not shown again.`;
}

function toTable(data: Json): string {
  const rows = objectsIn(data);
  if (rows.length === 0) return "The project has no keys.";
  const columns = [
    ...["id", "name", "permissions", "created_at", "expires_at", "revoked_at", "last_used_at"],
    ...(rows.some(({ subject }) => subject !== undefined) ? ["subject"] : []),
    ...(rows.some(({ gateway }) => gateway !== null) ? ["gateway"] : []),
  ];
  return tableOf(columns, rows);
}

// Owns the administration of administration keys. Only commands on the machine of the server can perform it. The secret is only in the
// answer to administration_key.create, and in no record.

import { type Static, Type } from "@sinclair/typebox";
import type { AdministrationKey } from "../../../access/administration-key.ts";
import { readExpiry } from "../../../access/expiry.ts";
import { createAdministrationSecret, digestSecret } from "../../../access/key.ts";
import { Refusal } from "../../../platform/errors.ts";
import { nameMaxCharacters } from "../../../platform/limits.ts";
import { Fields, Nullable, Text, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { installationOperation } from "../../contract/operation.ts";

const name = Text({ maxLength: nameMaxCharacters, description: "Name of the key, such as its purpose." });
const keyId = Text({ maxLength: nameMaxCharacters, description: "Id of the administration key." });
const expiresAt = Nullable(Timestamp({ description: "Expiry time; null: the key does not expire." }));

const keyView = {
  id: Type.String(),
  name,
  created_at: Timestamp({ description: "When the key was created." }),
  expires_at: expiresAt,
  revoked_at: Nullable(Timestamp({ description: "When the key was revoked; null: it is not revoked." })),
  last_used_at: Nullable(
    Timestamp({ description: "When the key was last used, accurate to the minute; null: never." }),
  ),
};

export const createAdministrationKey = installationOperation({
  name: "administration_key.create",
  summary: "Create an administration key",
  description:
    "Creates a key with which a program can administer projects and API keys over HTTP. The key is shown only once.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  secret: true,
  success: 201,
  input: Fields({ name, expires_at: Type.Optional(expiresAt) }),
  output: Fields({ ...keyView, key: Type.String({ description: "The key itself. It is not shown again." }) }),

  async apply(transaction, input, { now }) {
    const secret = createAdministrationSecret();
    const key = await transaction.access.insertAdministrationKey(
      { name: input.name, secretDigest: digestSecret(secret), expiresAt: readExpiry(input.expires_at, now) },
      now,
    );
    return { data: { ...toView(key), key: secret } };
  },
});

export const listAdministrationKeys = installationOperation({
  name: "administration_key.list",
  summary: "List administration keys",
  description: "Lists all administration keys. The keys themselves are not shown.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  input: Fields({}),
  output: Type.Array(Fields(keyView)),

  async apply(transaction) {
    return { data: (await transaction.access.listAdministrationKeys()).map(toView) };
  },
});

export const revokeAdministrationKey = installationOperation({
  name: "administration_key.revoke",
  summary: "Revoke an administration key",
  description:
    "Revokes an administration key immediately and permanently. What it has created remains. Revoking a revoked key changes nothing.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({ key: keyId }),
  output: Fields(keyView),

  async apply(transaction, input, { now }) {
    const key = await transaction.access.findAdministrationKey(input.key);
    if (key === null)
      throw new Refusal(
        1400,
        `There is no administration key "${input.key}". Run "memledger admin-key list" to list them.`,
      );
    const revokedAt = key.revokedAt ?? now;
    await transaction.access.revokeAdministrationKey(key.id, revokedAt);
    return { data: toView({ ...key, revokedAt }) };
  },
});

function toView(key: AdministrationKey): Static<ReturnType<typeof Fields<typeof keyView>>> {
  return {
    id: key.id,
    name: key.name,
    created_at: toTimestamp(key.createdAt),
    expires_at: key.expiresAt === null ? null : toTimestamp(key.expiresAt),
    revoked_at: key.revokedAt === null ? null : toTimestamp(key.revokedAt),
    last_used_at: key.lastUsedAt === null ? null : toTimestamp(key.lastUsedAt),
  };
}

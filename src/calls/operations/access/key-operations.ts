// Owns the administration of API keys. The secret is only in the answer to key.create, and in no record.

import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../../access/caller.ts";
import { readExpiry } from "../../../access/expiry.ts";
import {
  createSecret,
  digestSecret,
  hideSecrets,
  type Key,
  type Permission,
  permissions,
  permissionsForSubjects,
} from "../../../access/key.ts";
import {
  changeKeyGateway,
  keyGatewayChange,
  keyGatewayView,
  toKeyGatewayView,
} from "../../../access/key-gateway.ts";
import { fieldRefusal, Refusal } from "../../../platform/errors.ts";
import type { Json } from "../../../platform/json/json.ts";
import { nameMaxCharacters, subjectMaxCharacters } from "../../../platform/limits.ts";
import { Choice, Fields, Label, Nullable, Text, Timestamp } from "../../../platform/schema/schema.ts";
import { toLabel } from "../../../platform/text/label.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { installationOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";
import { type Asker, requireProject } from "./require-project.ts";

const project = Text({ maxLength: nameMaxCharacters, description: "Id or name of the project." });
const name = Text({ maxLength: nameMaxCharacters, description: "Name of the key, such as its purpose." });
const keyId = Text({ maxLength: nameMaxCharacters, description: "Id of the key." });
const permission = Choice(permissions, { description: "An allowed kind of operations." });
const expiresAt = Nullable(Timestamp({ description: "Expiry time; null: the key does not expire." }));

const boundSubject = Label({
  maxLength: subjectMaxCharacters,
  description:
    "The subject that the key is for; with a * at its end: all subjects whose names begin so. The key can do nothing else. Absent: the key is for the project and all subjects.",
  examples: ["user:42", "user:*"],
});

const keyFields = {
  id: Type.String({ description: "Id of the key." }),
  name,
  project_id: Type.String({ description: "Id of its project." }),
  permissions: Type.Array(permission),
  created_at: Timestamp({ description: "When the key was created." }),
  expires_at: expiresAt,
  revoked_at: Nullable(Timestamp({ description: "When the key was revoked; null: it is not revoked." })),
  last_used_at: Nullable(
    Timestamp({ description: "When the key was last used, accurate to the minute; null: never." }),
  ),
  subject: Type.Optional(boundSubject),
  gateway: keyGatewayView,
};
const keyView = Fields(keyFields, { title: "ApiKey" });

const exampleProject = "019a2b3c00007a608192a3b4c5d6e7f8";
const example = {
  id: "019a2b3c0a1b7c2d8e3f405162738495",
  name: "user 42",
  project_id: exampleProject,
  permissions: ["memory.read", "memory.write"],
  created_at: "2026-11-21T09:30:00.000Z",
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
  gateway: null,
} as const;

export const createKey = installationOperation({
  name: "key.create",
  summary: "Create an API key",
  description: "Creates an API key for a project. The key is shown only once.",
  unrecorded: ["subject"],
  effects: { readOnly: false, destructive: false, idempotent: false },
  secret: true,
  success: 201,
  input: Fields({
    project,
    name: Type.Optional(name),
    permissions: Type.Array(permission, { minItems: 1, description: "Permissions of the key." }),
    expires_at: Type.Optional(expiresAt),
    subject: Type.Optional(boundSubject),
    gateway: Type.Optional(keyGatewayChange),
  }),
  output: Fields(
    { ...keyFields, key: Type.String({ description: "The key itself. It is not shown again." }) },
    { title: "CreatedApiKey" },
  ),
  example: {
    input: { project: exampleProject, name: "user 42", permissions: ["memory.read", "memory.write"] },
    data: { ...example, key: "ml_..." },
  },

  async apply(transaction, input, { now, origin }) {
    const owner = await requireProject(transaction, input.project, origin);
    const secret = createSecret();
    const key = await transaction.access.insertKey(
      owner,
      {
        name: input.name ?? "unnamed",
        secretDigest: digestSecret(secret),
        permissions: [...new Set(input.permissions)],
        expiresAt: readExpiry(input.expires_at, now),
        subject: input.subject === undefined ? null : bindTo(input.subject, input.permissions),
        gateway: changeKeyGateway(null, input.gateway ?? null),
      },
      now,
    );
    return { data: { ...toView(key, owner.id), key: secret } };
  },
});

export const listKeys = installationOperation({
  name: "key.list",
  summary: "List API keys",
  description: "Lists the API keys of a project. The keys themselves are not shown.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  input: Fields({ project }),
  output: Type.Array(keyView),
  example: { input: { project: exampleProject }, data: [example] },

  async apply(transaction, input, { origin }) {
    const owner = await requireProject(transaction, input.project, origin);
    const keys = await transaction.access.listKeys(owner);
    return withoutNames(keys.map((key) => toView(key, owner.id)));
  },
});

export const updateKey = installationOperation({
  name: "key.update",
  summary: "Change an API key",
  description:
    "Changes the settings of a key for requests to the gateway. The change applies to the next request. Name, permissions and expiry of a key cannot be changed: create another key.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({ key: keyId, gateway: keyGatewayChange }),
  output: keyView,
  example: {
    input: { key: example.id, gateway: { memory: false } },
    data: { ...example, gateway: toKeyGatewayView({ memory: { isOn: false } }) },
  },

  async apply(transaction, input, { origin }) {
    const { key, project } = await requireKey(transaction, input.key, origin);
    if (key.revokedAt !== null) {
      throw new Refusal(1400, `The key "${key.id}" is revoked, so it cannot be changed. Create another key.`);
    }
    const changed: Key = { ...key, gateway: changeKeyGateway(key.gateway, input.gateway) };
    await transaction.access.updateKey(changed);
    return withoutNames(toView(changed, project.id));
  },
});

export const revokeKey = installationOperation({
  name: "key.revoke",
  summary: "Revoke an API key",
  description: "Revokes a key immediately and permanently. Revoking a revoked key changes nothing.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({ key: keyId }),
  output: keyView,
  example: {
    input: { key: example.id },
    data: { ...example, revoked_at: "2026-11-22T09:30:00.000Z" },
  },

  async apply(transaction, input, { now, origin }) {
    const { key, project } = await requireKey(transaction, input.key, origin);
    const revokedAt = key.revokedAt ?? now;
    await transaction.access.revokeKey(key.id, revokedAt);
    return withoutNames(toView({ ...key, revokedAt }, project.id));
  },
});

/** Of subjects: no record has them, so that an erasure need not look for them there. */
function withoutNames<View extends object>(data: View): { readonly data: View; readonly recorded: Json } {
  const recorded: Json = JSON.parse(
    JSON.stringify(data, (name, value) => (name === "subject" ? undefined : value)),
  );
  return { data, recorded };
}

/** @throws Refusal 1400 when no such key could use one of the permissions */
function bindTo(subject: string, given: readonly Permission[]): string {
  const unusable = given.find((each) => !permissionsForSubjects.includes(each));
  if (unusable === undefined) return toLabel(subject);
  const reason = `has ${unusable}, which is for the whole project; a key for a subject can have ${permissionsForSubjects.join(", ")}`;
  throw fieldRefusal("permissions", reason);
}

/** @throws Refusal 1400; 1404 for an administration key */
async function requireKey({ access }: Transaction, id: string, asker: Asker): Promise<Caller> {
  const found = await access.findCaller(id);
  if (found !== null) return found;
  if (asker.administrationKey !== undefined)
    throw new Refusal(
      1404,
      `There is no key "${hideSecrets(id)}". GET /v1/admin/keys?project=PROJECT lists the keys of a project with their ids.`,
    );
  throw new Refusal(
    1400,
    `There is no key "${id}". Run "memledger key list --project NAME" to list the keys of a project.`,
  );
}

function toView(key: Key, projectId: string): Static<typeof keyView> {
  return {
    id: key.id,
    name: key.name,
    project_id: projectId,
    permissions: [...key.permissions],
    created_at: toTimestamp(key.createdAt),
    expires_at: key.expiresAt === null ? null : toTimestamp(key.expiresAt),
    revoked_at: key.revokedAt === null ? null : toTimestamp(key.revokedAt),
    last_used_at: key.lastUsedAt === null ? null : toTimestamp(key.lastUsedAt),
    ...(key.subject === null ? {} : { subject: key.subject }),
    gateway: toKeyGatewayView(key.gateway),
  };
}

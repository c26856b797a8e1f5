// Owns the local key of a project: programs of the user who owns the data directory use it without a secret (key-without-secret.ts).
// Must never give a program another key of the project.

import { type Static, Type } from "@sinclair/typebox";
import { localKeyName } from "../../../access/key.ts";
import type { Project } from "../../../access/project.ts";
import { Refusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { nameMaxCharacters } from "../../../platform/limits.ts";
import { Fields, Text } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";
import { findKeyWithoutSecret, insertKeyWithoutSecret } from "./key-without-secret.ts";
import { insertProject } from "./project-operations.ts";
import { unknownProject } from "./require-project.ts";

const localKey = {
  name: localKeyName,
  // Programs of this machine remember and search, and use language models. The ledger is read by commands.
  permissions: ["memory.read", "memory.write", "gateway.use"],
  // A model may read this message, so it does not contain the command that undoes what the operator has decided.
  ended: ({ name }: Project) =>
    new Refusal(
      1401,
      `The local key of the project "${name}" was revoked or has expired, so programs of this machine cannot use the project. Ask the person who manages its keys to permit them again.`,
    ),
} as const;

const output = Fields({
  project_id: Type.String(),
  key_id: Type.String(),
  created_project: Type.Boolean({ description: "Whether this call created the project." }),
  created_key: Type.Boolean({ description: "Whether this call created the key." }),
});

export const useLocalKey = installationOperation({
  name: "key.local",
  summary: "Use the local key of a project",
  description: "Names the key of a project that programs of this machine use. Creates what does not exist.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  input: Fields({
    project: Text({ maxLength: nameMaxCharacters, description: "Id or name of the project." }),
  }),
  output,

  async apply(transaction, input, { now }) {
    const found = await transaction.access.findProject(input.project);
    // The id of a deleted project, or of another data directory, is not meant as the name of a new one.
    if (found === null && toId(input.project) !== null) throw unknownProject(input.project);
    const project = found ?? (await insertProject(transaction, { name: input.project }, now));
    const existing = await findKeyWithoutSecret(transaction, project, localKey, now);
    const key = existing ?? (await insertKeyWithoutSecret(transaction, project, localKey, now));
    const data: Static<typeof output> = {
      project_id: project.id,
      key_id: key.id,
      created_project: found === null,
      created_key: existing === null,
    };
    return { data };
  },
});

// Owns the key of a project with which administrators act in the console. It has all permissions, and nobody keeps its secret
// (key-without-secret.ts). Revoking it ends the access of the console to the project. Must never create a project.

import { type Static, Type } from "@sinclair/typebox";
import type { Caller } from "../../../access/caller.ts";
import { consoleKeyName, permissions } from "../../../access/key.ts";
import { Refusal } from "../../../platform/errors.ts";
import { Fields, Id } from "../../../platform/schema/schema.ts";
import { installationOperation } from "../../contract/operation.ts";
import { findKeyWithoutSecret, insertKeyWithoutSecret, isValid } from "./key-without-secret.ts";
import { requireProject } from "./require-project.ts";

const consoleKey = { name: consoleKeyName, permissions, ended: consoleKeyEnded } as const;

const output = Fields({ project_id: Type.String(), key_id: Type.String() });

export const useConsoleKey = installationOperation({
  name: "key.console",
  summary: "Use the console's key of a project",
  description:
    "Names the key of a project with which administrators act in the console. Creates it if there is none.",
  effects: { readOnly: false, destructive: false, idempotent: true },
  input: Fields({ project: Id({ description: "Id of the project." }) }),
  output,

  async apply(transaction, input, { now }) {
    const project = await requireProject(transaction, input.project);
    const existing = await findKeyWithoutSecret(transaction, project, consoleKey, now);
    const key = existing ?? (await insertKeyWithoutSecret(transaction, project, consoleKey, now));
    const data: Static<typeof output> = { project_id: project.id, key_id: key.id };
    return { data };
  },
});

/** The key that is used: the newest valid one, else the newest. Null: there was never one, so it can be created. @param keys the oldest first */
export function chooseConsoleKey(keys: readonly Caller[], now: number): Caller | null {
  return keys.findLast(({ key }) => isValid(key, now)) ?? keys.at(-1) ?? null;
}

/** 1403: the session is valid, and the project cannot be used from the console. */
export function consoleKeyEnded({ name }: { readonly name: string }): Refusal {
  return new Refusal(
    1403,
    `The key "${consoleKeyName}" of the project "${name}" was revoked or has expired, so the console cannot use the project. To permit it again, create another key with this name: memledger key create --project PROJECT --name ${consoleKeyName} --permissions memory.read,memory.write.`,
  );
}

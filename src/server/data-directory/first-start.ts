// Owns the creation of the first project and its first key, with the same operations as the commands.

import { permissions } from "../../access/key.ts";
import type { InstallationOperation } from "../../calls/contract/operation.ts";
import { createKey } from "../../calls/operations/access/key-operations.ts";
import { createProject } from "../../calls/operations/access/project-operations.ts";
import { createSignInLink } from "../../calls/operations/access/session-operations.ts";
import type { Perform } from "../../calls/perform.ts";
import type { Engine } from "../../calls/storage/engine.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import { administer, administrationRequest } from "./administration.ts";

export interface FirstStart {
  /** The project "default", or the oldest one; null when there is no project. */
  readonly projectId: string | null;
  /** Whether any key with a secret exists. */
  readonly hasKey: boolean;
  /** Null: this is not the first start. */
  readonly apiKey: string | null;
  /** Of a sign-in link of the console; null: this is not the first start, or no link is wanted. */
  readonly signInSecret: string | null;
}

/**
 * Creates the project "default" and its first key, unless an operator has created a project: then the operator decides who gets a key.
 * A project with a local key only was created for an assistant.
 */
export async function initialise(perform: Perform, engine: Engine, wantsLink: boolean): Promise<FirstStart> {
  const { keys, secretKeys, projects } = await engine.inspect();
  const main = projects.find(({ name }) => name === "default");
  if (secretKeys > 0 || (projects.length > 0 && keys === 0)) {
    const projectId = (main ?? projects[0])?.id ?? null;
    return { projectId, hasKey: secretKeys > 0, apiKey: null, signInSecret: null };
  }
  const create = (operation: InstallationOperation, fields: JsonObject) =>
    administer(perform, operation, administrationRequest("server", fields));
  const projectId =
    main?.id ?? textOf(await create(createProject, { name: "default", plan: "custom" }), "id");
  const key = await create(createKey, { project: projectId, name: "first", permissions });
  const link = wantsLink ? await create(createSignInLink, {}) : null;
  return {
    projectId,
    hasKey: true,
    apiKey: textOf(key, "key"),
    signInSecret: link === null ? null : textOf(link, "secret"),
  };
}

function textOf(data: JsonObject, field: string): string {
  const value = data[field];
  if (typeof value !== "string") throw new Error(`the answer lacks ${field}`);
  return value;
}

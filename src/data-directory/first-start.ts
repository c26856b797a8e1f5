// Owns the creation of the first project and its first key, with the same operations as the commands.

import { permissions } from "../access/key.ts";
import { createKey } from "../access/key-operations.ts";
import { createProject } from "../access/project-operations.ts";
import { createSignInLink } from "../access/session-operations.ts";
import type { InstallationOperation } from "../calls/operation.ts";
import type { Perform } from "../calls/perform.ts";
import type { JsonObject } from "../json/json.ts";
import type { Engine } from "../storage/engine.ts";
import { administer, administrationRequest } from "./administration.ts";

interface FirstStart {
  readonly projectId: string | null;
  /** Null: there are keys already. */
  readonly apiKey: string | null;
  /** Of a sign-in link of the console; null: there are keys already, or there is no console. */
  readonly signInSecret: string | null;
}

/** Creates the project "default" and its first key if there are no keys with a secret. */
export async function initialise(perform: Perform, engine: Engine, hasConsole: boolean): Promise<FirstStart> {
  const { secretKeys, projects } = await engine.inspect();
  const main = projects.find(({ name }) => name === "default");
  if (secretKeys > 0)
    return { projectId: (main ?? projects[0])?.id ?? null, apiKey: null, signInSecret: null };
  const create = (operation: InstallationOperation, fields: JsonObject) =>
    administer(perform, operation, administrationRequest("server", fields));
  const projectId =
    main?.id ?? textOf(await create(createProject, { name: "default", plan: "custom" }), "id");
  const key = await create(createKey, { project: projectId, name: "first", permissions });
  const link = hasConsole ? await create(createSignInLink, {}) : null;
  return {
    projectId,
    apiKey: textOf(key, "key"),
    signInSecret: link === null ? null : textOf(link, "secret"),
  };
}

function textOf(data: JsonObject, field: string): string {
  const value = data[field];
  if (typeof value !== "string") throw new Error(`the answer lacks ${field}`);
  return value;
}

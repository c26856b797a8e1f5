// Owns the line of the log about administration: which operation, by whom, on what, with which result. Must never log a secret:
// of the input only names and ids are shown, of the answer only ids.

import type { Administrator } from "../access/administrator.ts";
import { mayContainSecret } from "../access/key.ts";
import { successCode } from "../platform/errors.ts";
import type { Json, JsonObject } from "../platform/json/json.ts";
import { userAgentMaxCharacters } from "../platform/limits.ts";
import type { Logger } from "../platform/log/logger.ts";
import { shorten } from "../platform/text/characters.ts";
import type { Actor } from "./arrival/actor.ts";
import { type Answer, dataOf } from "./contract/answer.ts";
import type { Operation } from "./contract/operation.ts";
import type { Request } from "./contract/request.ts";

/** Input fields that identify the object of the operation. */
const subjects = ["project", "key", "record", "memory"] as const;

/** Logs nothing about calls of a project. */
export function logAdministration(
  logger: Logger,
  { name, scope }: Operation,
  { credentials, input, origin }: Request,
  { administrationKey, session, link }: Actor,
  answer: Answer,
): void {
  const local = credentials.kind === "administration" ? credentials.administrator : null;
  const administrator = local ?? session?.administrator ?? link?.administrator ?? null;
  if (administrator === null && administrationKey === null) return;
  if (scope === "project" && local === null) return;
  const fields = input.kind === "object" ? input.fields : {};
  const shownFields = {
    operation: name,
    code: answer.code,
    audit_record: answer.recordId ?? null,
    transport: origin.transport,
    ...(origin.ip === null ? {} : { address: origin.ip }),
    ...(session === null ? {} : { session: session.id }),
    ...(administrationKey === null ? {} : { administration_key: administrationKey.id }),
    ...(administrator === null ? {} : userOf(administrator)),
    ...Object.fromEntries(subjects.flatMap((field) => shown(field, fields[field]))),
    ...(answer.code === successCode ? idsOf(name, dataOf(answer)) : {}),
  };
  const message = "administration";
  if (answer.status < 500) logger.info(message, shownFields);
  else if (answer.code === 1500) logger.error(message, shownFields);
  else logger.warn(message, shownFields);
}

function userOf({ osUid, osUser, sudoUser }: Administrator) {
  return {
    os_uid: osUid,
    ...(osUser === null ? {} : { os_user: short(osUser) }),
    ...(sudoUser === null ? {} : { sudo_user: short(sudoUser) }),
  };
}

/** A person may type the secret of a key instead of its id. */
function shown(field: string, value: Json | undefined): [string, string][] {
  if (typeof value !== "string") return [];
  return [[field, mayContainSecret(value) ? "(hidden)" : short(value)]];
}

/** Texts of a refused command can be of any length. */
function short(text: string): string {
  return shorten(text, userAgentMaxCharacters);
}

/** The answer to `key.create` names the key by `id` and its project by `project_id`; that to `key.local` names the key by `key_id`. */
function idsOf(operation: string, data: JsonObject): Record<string, string> {
  const [noun = ""] = operation.split(".");
  return {
    ...(typeof data.project_id === "string" ? { project: data.project_id } : {}),
    ...(typeof data.key_id === "string" ? { key: data.key_id } : {}),
    ...(typeof data.id === "string" && /^(project|key)$/.test(noun) ? { [noun]: data.id } : {}),
  };
}

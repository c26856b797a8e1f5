// Owns how the server and the commands perform operations of the installation in their own process, and in whose name. Adds no rule.

import { userInfo } from "node:os";
import type { InstallationOperation } from "../calls/operation.ts";
import type { Perform } from "../calls/perform.ts";
import type { Administrator, Request, RequestOrigin } from "../calls/request.ts";
import { successCode } from "../errors.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { serverItself } from "../scheduling/fair-queue.ts";
import { version } from "../version.ts";

/** The command that a person has run, or the server itself, such as at its first start. */
export type Administers = "cli" | "server";

export function administrationRequest(transport: Administers, fields: JsonObject): Request {
  return {
    credentials: { kind: "administration", administrator: administratorOf(process.env) },
    input: { kind: "object", fields },
    origin: originOf(transport),
    signal: serverItself.signal,
  };
}

export function originOf(transport: Administers): RequestOrigin {
  return { transport, ip: null, userAgent: null, client: `memledger/${version}`, metadata: null };
}

/** Of this process. sudo sets SUDO_USER; it is not proof of anything, because the user can set it, too. */
export function administratorOf({ SUDO_USER }: Readonly<Record<string, string | undefined>>): Administrator {
  return { osUser: osUser(), sudoUser: SUDO_USER ?? null };
}

/** A user without a name, as in many containers, is known by the number alone. */
function osUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    const uid = process.getuid?.();
    return uid === undefined ? null : `#${uid}`;
  }
}

/** The answer's data. @throws Error when the operation was refused: nobody can correct its input. */
export async function administer(
  perform: Perform,
  operation: InstallationOperation,
  request: Request,
): Promise<JsonObject> {
  const { code, message, data } = (await perform(operation, request)).answer;
  if (code !== successCode) throw new Error(`${operation.name} was refused: ${code} ${message}`);
  const answered: unknown = JSON.parse(data ?? "null");
  return isObject(answered) ? answered : {};
}

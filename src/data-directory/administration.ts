// Owns the requests of administration that the server and the commands perform in their own process, and who is named as administrator.

import { userInfo } from "node:os";
import type { InstallationOperation } from "../calls/operation.ts";
import type { Perform } from "../calls/perform.ts";
import type { Administrator, Request, RequestOrigin } from "../calls/request.ts";
import { successCode } from "../errors.ts";
import { isObject, type JsonObject } from "../json/json.ts";
import { serverItself } from "../scheduling/fair-queue.ts";
import { version } from "../version.ts";

/** Who performs administration: a command, or the server itself, such as at its first start. */
export type AdministrationTransport = "cli" | "server";

export function administrationRequest(transport: AdministrationTransport, fields: JsonObject): Request {
  return {
    credentials: { kind: "administration", administrator: administratorOf(process.env) },
    input: { kind: "object", fields },
    origin: originOf(transport),
    signal: serverItself.signal,
  };
}

export function originOf(transport: AdministrationTransport): RequestOrigin {
  return { transport, ip: null, userAgent: null, client: `memledger/${version}`, metadata: null };
}

/** The user of this process. SUDO_USER is set by sudo, but proves nothing, because a user can set it as well. */
export function administratorOf({ SUDO_USER }: Readonly<Record<string, string | undefined>>): Administrator {
  return { osUser: osUser(), sudoUser: SUDO_USER ?? null };
}

/** The name of the user, or its number when it has no name, as in many containers. */
function osUser(): string | null {
  try {
    return userInfo().username;
  } catch {
    const uid = process.getuid?.();
    return uid === undefined ? null : `#${uid}`;
  }
}

/** The data of the answer. @throws Error when the operation was refused */
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

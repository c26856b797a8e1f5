// Owns the headers of the local socket that say who sends a request: the user and the program, and for a call of a project its local key.
// The server accepts them unchecked, because whoever can open the socket can also change the database.

import type { Administrator } from "../../access/administrator.ts";
import type { KeyAdvice } from "../../calls/contract/request.ts";
import { Refusal } from "../../platform/errors.ts";
import { isObject, textIn } from "../../platform/json/json.ts";
import type { Sender } from "../http/sender.ts";

export const callerHeader = "Memledger-Caller";
/** Id of the key that `key.local` has answered. It replaces the header Authorization. */
export const keyHeader = "Memledger-Key";

export interface LocalCaller {
  readonly administrator: Administrator;
  /** Name and version of the program; null: not reported. */
  readonly client: string | null;
}

/** A header contains ASCII only, and the name of a user any character. */
export function printCaller({ administrator, client }: LocalCaller): string {
  const { osUid, osUser, sudoUser } = administrator;
  return encodeURIComponent(JSON.stringify({ os_uid: osUid, os_user: osUser, sudo_user: sudoUser, client }));
}

/** @param header null: a command of version 0.1.0, which does not report it. @returns null when it is malformed. */
export function readCaller(header: string | null): LocalCaller | null {
  if (header === null) return { administrator: { osUid: null, osUser: null, sudoUser: null }, client: null };
  const caller = parse(header);
  if (!isObject(caller)) return null;
  const { os_uid, os_user, sudo_user, client } = caller;
  const osUid = Number.isSafeInteger(os_uid) ? Number(os_uid) : null;
  const administrator = { osUid, osUser: textIn(os_user), sudoUser: textIn(sudo_user) };
  return { administrator, client: textIn(client) };
}

export const malformedCaller = `The header ${callerHeader} is malformed. Send the command again.`;

const advice: KeyAdvice = {
  missing: `The header ${keyHeader} is missing. Send the id of the key that POST /key.local answers.`,
  unknown: `The header ${keyHeader} names no local key of a project. Send the id of the key that POST /key.local answers.`,
};

/** Of a request of the HTTP API. @throws Refusal 1400 */
export function readLocalSender({ headers }: Request): Sender {
  const caller = readCaller(headers.get(callerHeader));
  if (caller === null) throw new Refusal(1400, malformedCaller);
  const { administrator } = caller;
  return { credentials: { kind: "local", keyId: headers.get(keyHeader), administrator, advice }, ip: null };
}

function parse(header: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(header));
  } catch {
    return null;
  }
}

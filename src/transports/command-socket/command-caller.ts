// Owns the header of the command socket that says who runs the command. The server accepts it unchecked, because whoever can open the
// socket can also change the database.

import type { Administrator } from "../../calls/request.ts";
import { isObject, type Json } from "../../json/json.ts";

export const callerHeader = "Memledger-Caller";

export interface CommandCaller {
  readonly administrator: Administrator;
  /** Name and version of the program; null: not reported. */
  readonly client: string | null;
}

/** A header contains ASCII only, and the name of a user any character. */
export function printCaller({ administrator, client }: CommandCaller): string {
  const { osUid, osUser, sudoUser } = administrator;
  return encodeURIComponent(JSON.stringify({ os_uid: osUid, os_user: osUser, sudo_user: sudoUser, client }));
}

/** @param header null: a command of version 0.1.0, which does not report it. @returns null when it is malformed. */
export function readCaller(header: string | null): CommandCaller | null {
  if (header === null) return { administrator: { osUid: null, osUser: null, sudoUser: null }, client: null };
  const caller = parse(header);
  if (!isObject(caller)) return null;
  const { os_uid, os_user, sudo_user, client } = caller;
  const osUid = Number.isSafeInteger(os_uid) ? Number(os_uid) : null;
  const administrator = { osUid, osUser: textOf(os_user), sudoUser: textOf(sudo_user) };
  return { administrator, client: textOf(client) };
}

function parse(header: string): unknown {
  try {
    return JSON.parse(decodeURIComponent(header));
  } catch {
    return null;
  }
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

// Owns how the server knows the name of a client of the 2025 protocols again: they send it in `initialize` only, and the server keeps no
// session. So the session id that the client must send back contains the name.

import { randomBytes } from "node:crypto";
import { isObject } from "../../platform/json/json.ts";
import { shorten } from "../../platform/text/characters.ts";

export const sessionHeader = "Mcp-Session-Id";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Longer names are cut off, because each request repeats them in a header. */
const nameMaxCharacters = 200;
/** Distinguishes clients of the same name, so that one cannot cancel the calls of another by chance. */
const randomByteCount = 12;

/** `name/version` of the implementation that a client reports; null: it reports none. */
export function toClientName(implementation: unknown): string | null {
  if (!isObject(implementation) || typeof implementation.name !== "string") return null;
  const { name, version } = implementation;
  return clean(typeof version === "string" && version !== "" ? `${name}/${version}` : name);
}

/** Without control characters: people read the name in records and exports, some of them on a terminal. */
function clean(name: string): string | null {
  const text = shorten(name, nameMaxCharacters)
    .replaceAll(/\p{Cc}+/gu, " ")
    .trim();
  return text === "" ? null : text;
}

export function toSessionId(client: string | null): string {
  return `${Buffer.from(client ?? "").toString("base64url")}.${randomBytes(randomByteCount).toString("base64url")}`;
}

/** The client's name in the session id; null if there is none, or the id is not one of ours: it is only a name, so nothing is refused. */
export function readSessionId(sessionId: string | null): string | null {
  const encoded = /^([A-Za-z0-9_-]{1,1100})\.[A-Za-z0-9_-]{16}$/.exec(sessionId ?? "")?.[1];
  if (encoded === undefined) return null;
  try {
    return clean(utf8.decode(Buffer.from(encoded, "base64url")));
  } catch {
    return null;
  }
}

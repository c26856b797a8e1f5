// Owns the cookie of a session: its name, its attributes, and reading it. The secret is nowhere else in a request: not in a URL, which logs
// and histories keep, and not in another header.

import { sessionLifeMs } from "../../../access/limits.ts";
import { Refusal } from "../../../platform/errors.ts";

const name = "memledger_session";

/**
 * With the port, because browsers do not keep cookies of two ports of a host apart, and two servers would end each other's sessions.
 * RFC 6265bis, section 4.1.3.2: browsers accept a name with `__Host-` over TLS only, for the whole host, and not from names below it.
 */
function cookieName(host: string, isSecure: boolean): string {
  const port = /:(\d{1,5})$/.exec(host)?.[1];
  return `${isSecure ? "__Host-" : ""}${name}${port === undefined ? "" : `_${port}`}`;
}

/** Null: there is none. @throws Refusal 1400 if there are several, one of which may be planted */
export function readSessionCookie({ headers }: Request, isSecure: boolean): string | null {
  const cookies = headers.get("cookie");
  if (cookies === null || !cookies.includes(name)) return null;
  const wanted = cookieName(headers.get("host") ?? "", isSecure);
  const values = cookies.split(";").flatMap((pair) => {
    const [found = "", ...value] = pair.split("=");
    return found.trim() === wanted ? [value.join("=").trim()] : [];
  });
  if (new Set(values).size > 1) {
    throw new Refusal(
      1400,
      `The cookie ${wanted} was sent with several values. Delete the cookies of this address in the browser, and sign in again.`,
    );
  }
  return values[0] ?? null;
}

/** @param secret null: the browser deletes the cookie. @returns the value of Set-Cookie */
export function printSessionCookie({ headers }: Request, isSecure: boolean, secret: string | null): string {
  const seconds = secret === null ? 0 : sessionLifeMs / 1_000;
  const attributes = [
    `${cookieName(headers.get("host") ?? "", isSecure)}=${secret ?? ""}`,
    "Path=/",
    `Max-Age=${seconds}`,
    "HttpOnly",
    "SameSite=Strict",
  ];
  return [...attributes, ...(isSecure ? ["Secure"] : [])].join("; ");
}

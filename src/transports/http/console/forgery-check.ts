// Owns the check whether a request that a browser sends with the cookie of a session was made by a page of the console. A page of another
// origin can have the browser send requests, too. Must never read a body, and never know whether a session is valid.

import { Refusal } from "../../../platform/errors.ts";
import { shortenName } from "../../../platform/text/characters.ts";
import { isRequestToken, tokenHeader } from "./request-token.ts";

/** @param scheme as the browser sees it, behind a proxy too. @throws Refusal 1403 if another page may have made the request */
export function requireOwnOrigin({ headers, method }: Request, scheme: "http" | "https"): void {
  const site = headers.get("sec-fetch-site");
  // Fetch Metadata: "none" is a person who typed the address. Browsers send no such header to a host without TLS that is not this machine.
  if (site !== null && site !== "same-origin" && !(site === "none" && method === "GET"))
    throw forged("The browser says that a page of another address made the request");
  const origin = headers.get("origin");
  if (origin === null) return;
  const own = originOf(`${scheme}://${headers.get("host") ?? ""}`);
  if (own !== null && originOf(origin) === own) return;
  throw forged(
    `The header Origin is "${shortenName(origin)}", and the console is at "${own ?? scheme}"`,
    " Behind a proxy, have it pass on the header Host and set X-Forwarded-Proto, and name the proxy in --trusted-proxies.",
  );
}

/**
 * A GET that the browser says is of the same origin needs no token, so that a link can download a file.
 * @param secret of the cookie
 * @throws Refusal 1403
 */
export function requireToken({ headers, method }: Request, secret: string): void {
  const sent = headers.get(tokenHeader);
  if (sent === null) {
    if (method === "GET" && headers.get("sec-fetch-site") === "same-origin") return;
    throw forged(`The request has a session and no header ${tokenHeader}`);
  }
  if (!isRequestToken(sent, secret)) throw forged(`The header ${tokenHeader} is not that of the session`);
}

function forged(reason: string, remedy = ""): Refusal {
  return new Refusal(
    1403,
    `${reason}, so the request may be forged, and nothing was done. Load the page of the console again; programs send Authorization: Bearer <API_KEY> instead of a cookie.${remedy}`,
  );
}

/** Without the usual port of the scheme; null: it is none. */
function originOf(text: string): string | null {
  const url = URL.parse(text);
  return url === null || url.host === "" ? null : `${url.protocol}//${url.host}`;
}

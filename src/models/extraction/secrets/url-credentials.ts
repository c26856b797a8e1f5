// Owns user names and passwords in addresses, such as postgres://user:password@host. Only they are removed: the rest of the address is
// often what somebody wants to remember.

import type { FindSecrets } from "./found-secret.ts";
import { isPlaceholder } from "./secret-value.ts";

/** A password may contain an unescaped "@", so the last one before the host counts. */
const credentials =
  /(?<=\b[a-z][a-z0-9+.-]{1,20}:\/\/)([^\s"'<>@:/?#]{0,100}):([^\s"'<>]{1,200})@(?=[\w[.-])/dgi;
/** "host:8080/users/@ana" */
const portAndPath = /^\d{1,5}[/?#]/;

export const findUrlCredentials: FindSecrets = (text) =>
  [...text.matchAll(credentials)]
    .filter(([, , password = ""]) => !portAndPath.test(password) && !isPlaceholder(password))
    .map(({ index, 0: match }) => ({ kind: "url-credentials", start: index, end: index + match.length }));

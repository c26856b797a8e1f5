// Owns the token against forged requests: a page of the console sends it in a header, which a page of another origin cannot know or set.
// It follows from the secret of the session, so nothing is stored, and it does not reveal the secret.

import { createHash, timingSafeEqual } from "node:crypto";

export const tokenHeader = "Memledger-Request-Token";

/** SHA-256, hexadecimal. @param secret of the session */
export function requestTokenOf(secret: string): string {
  return createHash("sha256").update(`memledger request token\n${secret}`).digest("hex");
}

export function isRequestToken(sent: string, secret: string): boolean {
  const [found, expected] = [Buffer.from(sent), Buffer.from(requestTokenOf(secret))];
  return found.length === expected.length && timingSafeEqual(found, expected);
}

// Owns the ways in which a channel fails before there is a response. Each message says what to do next.

/** No server could be reached: the request was not sent. */
export class ServerUnreachable extends Error {}

/** No server can be reached until the address or the certificate is corrected: repeating the request is of no use. */
export class AddressUnusable extends ServerUnreachable {}

/** The server does not let this program use the project: the request was not sent. */
export class AccessRefused extends Error {}

/** The request was sent, and the connection ended before the answer: the server may have performed it. */
export class OutcomeUnknown extends Error {}

/** Whether fetch failed before it had a connection, so that nothing was sent. */
export function isNotConnected(error: unknown): boolean {
  if (!(error instanceof Error && "code" in error)) return false;
  // Bun has no other code for a server that does not speak TLS.
  if (error.code === "EPROTO") return error.message.includes("TLS handshake failed");
  return typeof error.code === "string" && notConnected.test(error.code);
}

/** Whether a TLS connection failed because this program does not accept the certificate of the server. */
export function isCertificateFault(error: unknown): boolean {
  return error instanceof Error && "code" in error && /CERT|VERIFY|ALTNAME/.test(String(error.code));
}

/** Codes of the system, of Bun, and of a TLS connection whose certificate is not accepted. */
const notConnected =
  /^(ECONNREFUSED|ConnectionRefused|ENOENT|FailedToOpenSocket|ENOTFOUND|EAI_\w+|EHOSTUNREACH|ENETUNREACH)$|CERT|TLS|VERIFY/;

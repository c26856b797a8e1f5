// Owns what is said about an upstream that did not answer, or not to the end. Must never contain an address or a key.

import { type ErrorCode, Refusal } from "../platform/errors.ts";
import { type FaultKind, type ForwardedAnswer, UpstreamFault } from "./forwarding.ts";
import { isRedirect } from "./headers.ts";

const codes: Readonly<Record<FaultKind, ErrorCode>> = {
  unreachable: 1502,
  failed: 1502,
  late: 1504,
  cancelled: 1499,
};

export function codeOf({ kind }: UpstreamFault): ErrorCode {
  return codes[kind];
}

/** System codes of a certificate that is not trusted, has ended, or is for another name. */
const ofCertificate = /^(CERT_|UNABLE_|SELF_SIGNED|DEPTH_ZERO|ERR_TLS_CERT)/;

/** The message for a fault: what has happened, and what to do. */
export function explainFault({ kind, systemCode }: UpstreamFault, upstream: string): string {
  const cause = systemCode === null ? "" : ` (${systemCode})`;
  switch (kind) {
    case "unreachable":
      if (systemCode !== null && ofCertificate.test(systemCode))
        return `The certificate of the upstream "${upstream}" is not accepted${cause}. Renew it, correct the name in base-url, or start the server with NODE_EXTRA_CA_CERTS=FILE, a PEM file with the certificate of its authority.`;
      return `The upstream "${upstream}" cannot be reached${cause}. Start it, or correct its base-url.`;
    case "failed":
      return `The upstream "${upstream}" closed the connection, or sent no valid HTTP${cause}. Retry, and read its log.`;
    case "late":
      return `The upstream "${upstream}" sent nothing for longer than its timeout-seconds. Retry, or raise timeout-seconds.`;
    case "cancelled":
      return "The client closed the connection before the answer was complete. Send the request again.";
  }
}

/** The refusal when there is no answer. Other errors than faults stay as they are. */
export function toUpstreamRefusal(error: unknown, upstream: string): unknown {
  if (!(error instanceof UpstreamFault)) return error;
  return new Refusal(codeOf(error), explainFault(error, upstream));
}

/** Closes an answer that is a redirect. @throws Refusal 1502 */
export function refuseRedirect(answer: Pick<ForwardedAnswer, "status" | "close">, upstream: string): void {
  if (!isRedirect(answer.status)) return;
  answer.close();
  throw new Refusal(
    1502,
    `The upstream "${upstream}" answered with a redirect (${answer.status}), which is not followed. Set base-url to the address that it redirects to.`,
  );
}

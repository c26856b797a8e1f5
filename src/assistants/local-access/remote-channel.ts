// Owns the channel to a server elsewhere, over HTTP with an API key. Must never follow a redirect or use a proxy from the environment: both
// would send the key to another program.

import { withoutProxy } from "../../platform/native/direct-fetch.ts";
import type { Channel } from "./channel.ts";
import {
  AccessRefused,
  AddressUnusable,
  isCertificateFault,
  isNotConnected,
  OutcomeUnknown,
  ServerUnreachable,
} from "./channel-failure.ts";

export interface RemoteTarget {
  /** http or https, without credentials, query and fragment; a path is the prefix of all paths. */
  readonly url: string;
  /** Never printed. */
  readonly apiKey: string;
}

export function createRemoteChannel({ url, apiKey }: RemoteTarget): Channel {
  const base = url.replace(/\/+$/, "");
  return {
    async fetch(path, { method, headers, body = null, signal = null }) {
      const init: BunFetchRequestInit = {
        method,
        headers: { ...headers, Authorization: `Bearer ${apiKey}` },
        body,
        signal,
        redirect: "manual",
      };
      const response = await fetch(`${base}${path}`, withoutProxy(init)).catch((error: unknown) => {
        if (signal?.aborted === true) throw error;
        throw explain(error, base);
      });
      if (response.status < 300 || response.status >= 400) return response;
      await response.body?.cancel();
      throw new AccessRefused(
        `${base} redirects to another address, and redirects are not followed. Set the URL of the memledger server itself.`,
      );
    },
  };
}

function explain(error: unknown, base: string): Error {
  // Bun adds advice for programmers in further sentences.
  const [reason = ""] = (error instanceof Error ? error.message : String(error)).split(". ");
  const unusable = unusableAdvice(error);
  if (unusable !== null) {
    const { why, advice } = unusable;
    return new AddressUnusable(
      `The memledger server ${base} cannot be reached, because ${why} (${reason}). ${advice}`,
      { cause: error },
    );
  }
  if (isNotConnected(error)) {
    return new ServerUnreachable(
      `The memledger server ${base} cannot be reached (${reason}). Check the URL and that the server runs.`,
      { cause: error },
    );
  }
  const scheme = base.startsWith("http://") ? " If the server has TLS, begin the URL with https://." : "";
  return new OutcomeUnknown(
    `The connection to the memledger server ${base} ended before the answer (${reason}). Check whether the change was made, then try again.${scheme}`,
    { cause: error },
  );
}

/** Null: the next attempt may succeed. */
function unusableAdvice(error: unknown): { readonly why: string; readonly advice: string } | null {
  if (isCertificateFault(error)) {
    return {
      why: "its certificate is not trusted",
      advice:
        "If a private authority issued it, set NODE_EXTRA_CA_CERTS to a PEM file with the certificate of the authority; otherwise check the URL and the certificate of the server.",
    };
  }
  const code = error instanceof Error && "code" in error ? error.code : null;
  if (code === "EPROTO") {
    return { why: "it does not speak TLS", advice: "If it has no TLS, begin the URL with http://." };
  }
  if (code === "ENOTFOUND") {
    return { why: "its name has no address", advice: "Correct the name of the server in the URL." };
  }
  return null;
}

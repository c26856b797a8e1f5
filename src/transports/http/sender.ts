// Owns the type Sender: who sends an HTTP request, as far as its connection tells. Over the network it is a key and an address, over the
// local socket the id of a key and a user of the machine, and from the console a session. Must never decide whether the key is valid.

import { secretForm } from "../../access/key.ts";
import type {
  KeyAdvice,
  KeyCredentials,
  LocalCredentials,
  SessionCredentials,
} from "../../calls/contract/request.ts";

export interface Sender {
  readonly credentials: KeyCredentials | LocalCredentials | SessionCredentials;
  /** Address of the client; null: the connection has none. */
  readonly ip: string | null;
}

/** @throws Refusal 1400 when the request contradicts its connection; no call is then performed */
export type ReadSender = (request: Request) => Sender;

const advice: KeyAdvice = {
  missing: "The Authorization header is missing. Send Authorization: Bearer <API_KEY>.",
  unknown: "The API key is unknown or malformed. Send exactly one header Authorization: Bearer <API_KEY>.",
};

const withoutKey: KeyAdvice = {
  ...advice,
  unknown:
    "The Authorization header has no API key. If the client takes the key from a variable, set the variable where the client is started.",
};

/** @param addressOf the address of the client, as far as it can be trusted */
export function createNetworkSenders(addressOf: (request: Request) => string | null): ReadSender {
  return (request) => {
    const authorization = request.headers.get("authorization");
    const secret = readSecret(authorization);
    return {
      credentials: { kind: "key", secret, advice: isWithoutKey(authorization) ? withoutKey : advice },
      ip: addressOf(request),
    };
  };
}

/** Clients send an empty value for a variable that is not set, or the reference to it. */
function isWithoutKey(authorization: string | null): boolean {
  return /^bearer *$|^bearer +[$%{<]/i.test(authorization ?? "");
}

const bearer = new RegExp(`^bearer +(${secretForm}) *$`, "i");

/** Null if there is no header; empty if it is malformed (RFC 6750; the scheme is case-insensitive). */
export function readSecret(authorization: string | null): string | null {
  if (authorization === null) return null;
  return bearer.exec(authorization)?.[1] ?? "";
}

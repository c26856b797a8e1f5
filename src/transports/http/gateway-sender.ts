// Owns who sends a request to the gateway: clients of OpenAI send the key of an account as a bearer token, clients of Anthropic as
// `x-api-key`, and some of them send both. Sessions of the console are not accepted. Must never decide whether the key is valid.

import type { KeyAdvice } from "../../calls/contract/request.ts";
import { type ReadSender, readSecret, type Sender } from "./sender.ts";

const advice: KeyAdvice = {
  missing: "The API key is missing. Send Authorization: Bearer <API_KEY>, or x-api-key: <API_KEY>.",
  unknown:
    "The API key is unknown or malformed. Send a key of memledger as Authorization: Bearer <API_KEY>, or as x-api-key: <API_KEY>.",
};

/** @throws as ReadSender does */
export function readGatewaySender(request: Request, readSender: ReadSender): Sender {
  const sender = readSender(request);
  if (sender.credentials.kind !== "key") return sender;
  const { headers } = request;
  const named = headers.get("x-api-key");
  const secrets = [sender.credentials.secret, named === null ? null : readSecret(`Bearer ${named}`)];
  // Empty: a header that has no key of ours, such as the placeholder of a client that sends the other one.
  const secret =
    secrets.find((each) => each !== null && each !== "") ?? secrets.find((each) => each !== null);
  return { ...sender, credentials: { kind: "key", secret: secret ?? null, advice } };
}

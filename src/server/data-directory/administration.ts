// Owns the requests of administration that the server and the commands perform in their own process.

import { administratorOf } from "../../access/machine-administrator.ts";
import { dataOf } from "../../calls/contract/answer.ts";
import type { InstallationOperation } from "../../calls/contract/operation.ts";
import type { Request, RequestOrigin } from "../../calls/contract/request.ts";
import type { Perform } from "../../calls/perform.ts";
import { successCode } from "../../platform/errors.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import { serverItself } from "../../platform/scheduling/fair-queue.ts";
import { version } from "../../platform/version.ts";

/** Who performs administration: a command, or the server itself, such as at its first start. */
type AdministrationTransport = "cli" | "server";

export function administrationRequest(transport: AdministrationTransport, fields: JsonObject): Request {
  return {
    credentials: { kind: "administration", administrator: administratorOf(process.env) },
    input: { kind: "object", fields },
    origin: originOf(transport),
    signal: serverItself.signal,
  };
}

export function originOf(transport: AdministrationTransport): RequestOrigin {
  return { transport, ip: null, userAgent: null, client: `memledger/${version}`, metadata: null };
}

/** The data of the answer. @throws Error when the operation was refused */
export async function administer(
  perform: Perform,
  operation: InstallationOperation,
  request: Request,
): Promise<JsonObject> {
  const { answer } = await perform(operation, request);
  const { code, message } = answer;
  if (code !== successCode) throw new Error(`${operation.name} was refused: ${code} ${message}`);
  return dataOf(answer);
}

// Owns the route by which administrators perform operations of the installation in the console. Adds no rule: calls/console-operations.ts
// has the list of what is permitted, and perform checks it.

import { consoleOperations } from "../../../calls/arrival/console-operations.ts";
import type { InstallationOperation } from "../../../calls/contract/operation.ts";
import { installationOperations } from "../../../calls/operations.ts";
import { Refusal } from "../../../platform/errors.ts";
import { respondTo } from "../answered-call.ts";
import { receiveRequestBody } from "../body.ts";
import type { Handler } from "../handler.ts";
import { readReported } from "../request.ts";
import type { ConsolePlace } from "./session-routes.ts";
import { readSession } from "./session-sender.ts";

const start = "/console/api/administration/";
const permitted = new Map(
  installationOperations.flatMap((operation): [string, InstallationOperation][] =>
    consoleOperations.has(operation.name) ? [[operation.name, operation]] : [],
  ),
);

/**
 * POST /console/api/administration/<operation>, such as key.create, performs an operation of the installation. The body is its input, a
 * JSON object. It needs the cookie of an administrator's session and the header Memledger-Request-Token. The answer is the envelope of
 * the API, with the `data` of the operation. 1401: nobody is signed in; 1403: the session is one of a key, or the request may be forged;
 * 1404: there is no such operation, or the console may not perform it.
 */
export function administrationRoute(place: ConsolePlace): readonly [string, string, Handler] {
  const { clock, perform, listener, addressOf } = place;
  const handle: Handler = async ({ request, path }) => {
    const arrivedAt = clock.elapsed();
    const credentials = readSession(request, listener);
    if (credentials === null)
      throw new Refusal(1401, "Nobody is signed in. Sign in to the console at /console/sign-in.");
    const operation = permitted.get(path.slice(start.length));
    if (operation === undefined)
      throw new Refusal(
        1404,
        "The console has no such operation. Run the command memledger on the machine of the server.",
      );
    const ip = addressOf(request);
    const performed = await perform(operation, {
      credentials: { ...credentials, project: null },
      input: {
        kind: "received",
        parameters: {},
        fault: null,
        receiveBody: (claim) => receiveRequestBody(request, claim),
      },
      origin: { transport: "console", ip, client: null, ...readReported(request.headers) },
      arrivedAt,
      signal: request.signal,
    });
    const call = { request, path: `${start}:operation`, operation: operation.name, ip, arrivedAt };
    return respondTo(place, call, performed);
  };
  return ["POST", `${start}:operation`, handle];
}

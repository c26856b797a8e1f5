// Owns the progress of a call as notifications of the protocol.

import type { ServerContext } from "@modelcontextprotocol/server";
import type { ReportProgress } from "../../calls/contract/request.ts";

/** Each notification repeats the token, so a long one would make many large answers of one request. */
const tokenMaxCharacters = 1_000;

/** Undefined if the client has not asked for progress. The protocol requires that each notification has a higher value. */
export function createProgressReport({ mcpReq }: ServerContext): ReportProgress | undefined {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined || String(progressToken).length > tokenMaxCharacters) return undefined;
  let last = -1;
  return (progress, message) => {
    if (progress <= last) return;
    last = progress;
    const params = { progressToken, progress, total: 1, message };
    // A client that has left gets nothing; its call is cancelled by its signal.
    mcpReq.notify({ method: "notifications/progress", params }).catch(() => {});
  };
}

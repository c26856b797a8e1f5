// Owns the two health pages. They need no key, are not recorded, and say nothing about projects.

import { type Answer, toData } from "../../calls/contract/answer.ts";
import { successCode } from "../../platform/errors.ts";
import type { Handler } from "./handler.ts";
import { envelopeResponse } from "./response.ts";

export type Readiness = () => Promise<{ readonly ready: boolean; readonly reasons: readonly string[] }>;

/** Live: the process answers. Ready: it can perform calls now. */
export function healthRoutes(readiness: Readiness): [path: string, handler: Handler][] {
  return [
    ["/health/live", () => envelopeResponse(success("live"))],
    ["/health/ready", async () => envelopeResponse(toAnswer(await readiness()))],
  ];
}

function toAnswer({ ready, reasons }: Awaited<ReturnType<Readiness>>): Answer {
  if (ready) return success("ready");
  return {
    status: 503,
    code: 1503,
    message: `Not ready: ${reasons.join("; ")}.`,
    data: toData({ status: "unready", reasons }),
    retryAfterSeconds: 1,
  };
}

function success(status: string): Answer {
  return { status: 200, code: successCode, message: "success", data: toData({ status }) };
}

// Owns the two health pages. They need no key, are not recorded, and say nothing about projects.

import { successCode, toEnvelope } from "../../calls/call.ts";
import type { Handler } from "./handler.ts";
import { envelopeResponse } from "./response.ts";

export type Readiness = () => Promise<{ readonly ready: boolean; readonly reasons: readonly string[] }>;

/** Live: the process answers. Ready: it can perform calls now. */
export function healthRoutes(readiness: Readiness): [path: string, handler: Handler][] {
  const live = toEnvelope(successCode, "success", { status: "live" });
  return [
    ["/health/live", () => envelopeResponse(200, live)],
    ["/health/ready", async () => readyResponse(await readiness())],
  ];
}

function readyResponse({ ready, reasons }: Awaited<ReturnType<Readiness>>): Response {
  if (ready) return envelopeResponse(200, toEnvelope(successCode, "success", { status: "ready" }));
  const message = `Not ready: ${reasons.join("; ")}. Ask again in a second.`;
  return envelopeResponse(503, toEnvelope(1503, message, { status: "unready", reasons }), {
    "Retry-After": "1",
  });
}

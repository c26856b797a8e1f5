// Owns the way from an answer to a Fetch response, and the envelopes that HTTP itself answers with. Never shows an error's text.

import { type Answer, toEnvelope } from "../../calls/call.ts";
import { errorStatus, type Refusal } from "../../errors.ts";
import { fileResponse } from "./file.ts";

const common = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" };
const json = { ...common, "Content-Type": "application/json" };

export function toResponse(
  { status, envelope, file, retryAfterSeconds }: Answer,
  request: Request,
): Response | Promise<Response> {
  if (file !== undefined) return fileResponse(file, request, common);
  if (envelope === null) return new Response(null, { status, headers: common });
  const headers: Record<string, string> = { ...json };
  if (retryAfterSeconds !== undefined) headers["Retry-After"] = String(retryAfterSeconds);
  if (status === 401) headers["WWW-Authenticate"] = "Bearer"; // RFC 9110, section 15.5.2
  return new Response(envelope, { status, headers });
}

/** For what never reaches an operation and is therefore not recorded. */
export function refusalResponse(
  { code, message, data }: Refusal,
  headers: Record<string, string> = {},
): Response {
  return envelopeResponse(errorStatus[code], toEnvelope(code, message, data), headers);
}

export function envelopeResponse(
  status: number,
  envelope: string,
  headers: Record<string, string> = {},
): Response {
  return new Response(envelope, { status, headers: { ...json, ...headers } });
}

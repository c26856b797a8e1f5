// Owns the conversion of an answer to a Fetch response. Must never include the text of an error that is not a Refusal.

import { type Answer, type Refused, toRefusalAnswer } from "../../calls/contract/answer.ts";
import { toEnvelope } from "./envelope.ts";
import { fileResponse } from "./file.ts";

/** Of every answer: what it contains is data of a project, and never a page. */
export const common = { "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store" };

/** @throws Refusal 2205 if the file was removed meanwhile */
export function toResponse(answer: Answer, request: Request): Response | Promise<Response> {
  return answer.file === undefined ? envelopeResponse(answer) : fileResponse(answer.file, request, common);
}

/** For requests that do not reach an operation and are therefore not recorded. */
export function refusalResponse(refused: Refused, headers: Record<string, string> = {}): Response {
  return envelopeResponse(toRefusalAnswer(refused), headers);
}

export function envelopeResponse(answer: Answer, extra: Record<string, string> = {}): Response {
  const { status, retryAfterSeconds } = answer;
  const envelope = toEnvelope(answer);
  if (envelope === null) return new Response(null, { status, headers: common });
  const headers: Record<string, string> = { ...common, "Content-Type": "application/json", ...extra };
  if (retryAfterSeconds !== undefined) headers["Retry-After"] = String(retryAfterSeconds);
  if (status === 401) headers["WWW-Authenticate"] = "Bearer"; // RFC 9110, section 15.5.2
  return new Response(envelope, { status, headers });
}

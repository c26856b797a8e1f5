// Owns the envelope that HTTP answers are printed in: `success`, `code`, `message` and `data`, in this order.

import type { Answer } from "../../calls/contract/answer.ts";
import { successCode } from "../../platform/errors.ts";

/** Null for an answer without data: a file, or the status 204. */
export function toEnvelope({ code, message, data }: Answer): string | null {
  if (data === null) return null;
  const success = code === successCode;
  return `{"success":${success},"code":${code},"message":${JSON.stringify(message)},"data":${data}}`;
}

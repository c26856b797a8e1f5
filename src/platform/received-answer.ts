// Owns reading an answer of a server on the side of a program that called it.

import { successCode } from "./errors.ts";
import { isObject, type JsonObject, readJson } from "./json/json.ts";

/** The server has answered with another code than success. */
export class CallRefused extends Error {
  readonly code: number;
  readonly status: number;
  /** From Retry-After; null when the server did not send it. */
  readonly retryAfterMs: number | null;

  constructor(response: Response, answer: JsonObject) {
    super(
      typeof answer.message === "string"
        ? answer.message
        : `The server answered with ${response.status}, and not as a memledger server does. Check the URL.`,
    );
    this.code = typeof answer.code === "number" ? answer.code : 0;
    this.status = response.status;
    const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
    this.retryAfterMs = Number.isFinite(seconds) ? seconds * 1_000 : null;
  }
}

/** The data of a successful answer. @throws CallRefused, and what reading the body throws */
export async function readAnswer(response: Response): Promise<JsonObject> {
  const read = readJson(await response.text());
  const answer = isObject(read) ? read : {};
  if (answer.code !== successCode) throw new CallRefused(response, answer);
  return isObject(answer.data) ? answer.data : {};
}

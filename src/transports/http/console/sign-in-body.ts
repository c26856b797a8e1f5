// Owns reading what a person signs in with from the body of a request. The person is not known yet, so the body is small.

import { Refusal } from "../../../platform/errors.ts";
import { isObject } from "../../../platform/json/json.ts";
import { JsonFault, parseJson } from "../../../platform/json/json-text.ts";
import { receiveRequestBody } from "../body.ts";
import { signInBodyMaxBytes, signInBodyMaxMs } from "./limits.ts";

/** A sign-in link or an API key, as received. */
export type Proof = { readonly link: string } | { readonly key: string };

/** @throws Refusal 1400, 1413 or 1415 */
export async function readProof(request: Request): Promise<Proof> {
  const body = await receiveRequestBody(request, createSmallClaim(), signInBodyMaxMs);
  if (body.kind === "incomplete") throw body.refusal;
  if (body.kind === "unreadable") throw new Refusal(body.code, body.message);
  const fields = body.kind === "none" ? {} : parse(body.text);
  const { link, key, ...others } = isObject(fields) ? fields : {};
  if (Object.keys(others).length === 0) {
    if (typeof link === "string" && key === undefined) return { link };
    if (typeof key === "string" && link === undefined) return { key };
  }
  throw new Refusal(1400, 'Send {"link": "..."} with a sign-in link, or {"key": "..."} with an API key.');
}

function createSmallClaim() {
  let received = 0;
  return {
    take(bytes: number) {
      received += bytes;
      if (received > signInBodyMaxBytes)
        throw new Refusal(
          1413,
          `The body has more than ${signInBodyMaxBytes} bytes. Send a link or a key only.`,
        );
    },
  };
}

function parse(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonFault) throw new Refusal(1400, error.describe());
    throw error;
  }
}

// Owns reading a request's body: bounded, as UTF-8, as JSON by its content type. Never parses it; perform does.

import { Refusal } from "../errors.ts";
import { bodyMaxBytes } from "../limits.ts";
import type { RequestBody } from "../request.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });
const jsonType = /^application\/json[\t ]*(;[\t ]*charset[\t ]*=[\t ]*"?utf-?8"?[\t ]*)?$/i;

/** @throws Refusal 1413 when the body is too large, 1400 when the connection breaks in the middle of it. */
export async function readRequestBody(request: Request): Promise<RequestBody> {
  const bytes = await readBytes(request);
  if (bytes.length === 0) return { kind: "none" };
  if (!jsonType.test(request.headers.get("content-type") ?? "")) {
    const message = "The body must be JSON. Send the header Content-Type: application/json.";
    return { kind: "unreadable", bytes, code: 1415, message };
  }
  try {
    return { kind: "text", bytes, text: utf8.decode(bytes) };
  } catch {
    const message = "The body is not valid UTF-8. Encode it as UTF-8 and send it again.";
    return { kind: "unreadable", bytes, code: 1400, message };
  }
}

async function readBytes(request: Request): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  const announced = request.headers.get("content-length");
  if (announced !== null && Number(announced) > bodyMaxBytes) throw tooLarge();
  try {
    // The server ends a body at its announced length, so only a chunked one has to be counted while it arrives.
    const bytes = announced === null ? await readCounted(request.body) : await request.bytes();
    if (bytes.length > bodyMaxBytes) throw tooLarge();
    return bytes;
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw new Refusal(1400, "The body ended early. Send the call again.");
  }
}

async function readCounted(stream: ReadableStream<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > bodyMaxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

function tooLarge(): Refusal {
  return new Refusal(1413, `The body is larger than ${bodyMaxBytes} bytes. Send less in one call.`, {
    limit_bytes: bodyMaxBytes,
  });
}

// Owns receiving a request's body: bounded in bytes and time, as UTF-8, as JSON by its content type. Never parses it; perform does.

import { MIMEType } from "node:util";
import { type BodyClaim, bodyTooLarge } from "../../access/body-budget.ts";
import type { RequestBody } from "../../calls/contract/request.ts";
import { Refusal } from "../../platform/errors.ts";
import {
  bodyArrivalMaxMs,
  bodyChunkMinBytes,
  bodyMaxBytes,
  bodySmallChunksMax,
} from "../../platform/limits.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** @throws Refusal 1429 or 1503 when the claim is refused. */
export async function receiveRequestBody(
  request: Request,
  claim: BodyClaim,
  maxMs = bodyArrivalMaxMs,
): Promise<Exclude<RequestBody, { kind: "bytes" }>> {
  const body = await receiveBytes(request, claim, { maxBytes: bodyMaxBytes, maxMs });
  if (body.kind !== "bytes") return body;
  const { bytes } = body;
  try {
    return { kind: "text", bytes, text: utf8.decode(bytes) };
  } catch {
    const message = "The body is not valid UTF-8. Encode it as UTF-8 and send it again.";
    return { kind: "unreadable", bytes, code: 1400, message };
  }
}

interface ReceiveOptions {
  readonly maxBytes: number;
  readonly maxMs?: number;
  /** Whether the body may be no JSON. */
  readonly acceptsAnyType?: boolean;
}

/** The same without decoding the bytes. */
export async function receiveBytes(
  request: Request,
  claim: BodyClaim,
  { maxBytes, maxMs = bodyArrivalMaxMs, acceptsAnyType = false }: ReceiveOptions,
): Promise<Exclude<RequestBody, { kind: "text" }>> {
  const bytes = await receiveInTime(request, claim, maxBytes, maxMs);
  if (bytes instanceof Refusal) return { kind: "incomplete", refusal: bytes };
  if (bytes.length === 0) return { kind: "none" };
  const typeFault = acceptsAnyType ? null : mediaTypeFault(request.headers);
  const message = encodingFault(request.headers) ?? typeFault;
  if (message !== null) return { kind: "unreadable", bytes, code: 1415, message };
  return { kind: "bytes", bytes };
}

const shownMaxCharacters = 40;

function encodingFault(headers: Headers): string | null {
  const encoding = headers.get("content-encoding") ?? "identity";
  if (encoding.toLowerCase() === "identity") return null;
  return `The body has the Content-Encoding "${encoding.slice(0, shownMaxCharacters)}". Send it without compression.`;
}

/** Parameters that we do not know are ignored, as RFC 2045 asks. RFC 8259: JSON is always UTF-8. */
function mediaTypeFault(headers: Headers): string | null {
  const header = headers.get("content-type") ?? "";
  if (header === "application/json") return null;
  const type = readMediaType(header);
  if (type?.essence !== "application/json")
    return "The body must be JSON. Send the header Content-Type: application/json.";
  const charset = type.params.get("charset") ?? "utf-8";
  if (/^utf-?8$/i.test(charset)) return null;
  return `The header Content-Type names the charset "${charset.slice(0, shownMaxCharacters)}", but JSON is UTF-8. Encode the body as UTF-8 and send Content-Type: application/json.`;
}

function readMediaType(header: string): MIMEType | null {
  try {
    return new MIMEType(header);
  } catch {
    return null;
  }
}

const unfinished = new WeakSet<Request>();

/**
 * Whether the connection must be closed after the answer, because a body that is still arriving is too long to be discarded.
 * The server discards the rest of a shorter body, and the connection stays open for the next request.
 */
export function leavesBodyBehind(request: Request): boolean {
  if (unfinished.has(request)) return true;
  if (request.bodyUsed) return false;
  return request.headers.has("transfer-encoding") || announcedBytes(request) > bodyMaxBytes;
}

function announcedBytes({ headers }: Request): number {
  return Number(headers.get("content-length") ?? 0);
}

async function receiveInTime(
  request: Request,
  claim: BodyClaim,
  maxBytes: number,
  maxMs: number,
): Promise<Uint8Array | Refusal> {
  const { promise: timedOut, resolve } = Promise.withResolvers<Refusal>();
  const timer = setTimeout(() => resolve(tooSlow(maxMs)), maxMs);
  try {
    const received = await Promise.race([receive(request, claim, maxBytes), timedOut]);
    if (received instanceof Refusal) unfinished.add(request);
    return received;
  } catch (error) {
    if (!request.headers.has("content-length")) unfinished.add(request);
    if (error instanceof Refusal) throw error;
    return new Refusal(1400, "The body ended early. Send the call again.");
  } finally {
    clearTimeout(timer);
  }
}

async function receive(request: Request, claim: BodyClaim, maxBytes: number): Promise<Uint8Array | Refusal> {
  if (request.body === null) return new Uint8Array();
  // The server stops reading at the announced length, so only a chunked body must be counted while it arrives.
  if (!request.headers.has("content-length")) return receiveCounted(request.body, claim, maxBytes);
  const announced = announcedBytes(request);
  if (announced > maxBytes) return bodyTooLarge(maxBytes);
  claim.take(announced);
  return request.bytes();
}

async function receiveCounted(
  stream: ReadableStream<Uint8Array>,
  claim: BodyClaim,
  maxBytes: number,
): Promise<Uint8Array | Refusal> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of stream) {
    length += chunk.length;
    if (length > maxBytes) return bodyTooLarge(maxBytes);
    // Each chunk costs time and memory: a body in chunks of one byte takes seconds, and hundreds of bytes of memory for each byte.
    if (chunks.length >= bodySmallChunksMax && length < chunks.length * bodyChunkMinBytes) return tooFine;
    claim.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}

const tooFine = new Refusal(
  1400,
  `The body arrives in chunks of less than ${bodyChunkMinBytes} bytes. Send larger chunks, or the header Content-Length.`,
);

function tooSlow(maxMs: number): Refusal {
  return new Refusal(1400, `The body did not arrive within ${maxMs / 1_000} s. Send the call again.`);
}

// Owns what a transport hands in and how it is read: parameters, body, metadata. Trusts nothing, and decides nothing about callers.

import { createHash } from "node:crypto";
import type { BodyClaim } from "./access/body-budget.ts";
import type { Origin, UnreadableBody } from "./call.ts";
import { type ErrorCode, Refusal } from "./errors.ts";
import { isId } from "./ids.ts";
import { isInteroperable, isObject, type Json, type JsonObject } from "./json.ts";
import { metadataMaxBytes, parameterMaxCharacters } from "./limits.ts";

/** What a transport received, before anything is trusted. */
export interface Request {
  /** The value of the Authorization header. */
  readonly authorization: string | null;
  readonly ip: string | null;
  readonly userAgent: string | null;
  /** The value of the X-Audit-Metadata header. */
  readonly metadata: string | null;
  /** Path and query parameters, already in the types of the schema where they have that form. */
  readonly parameters: JsonObject;
  /** What is wrong with the request's form and only its transport can see; answered once the caller is authorised. */
  readonly fault: Refusal | null;
  /**
   * Receives the body; called once, after the caller is authorised, and never for a call that is refused before.
   * @throws Refusal 1429 or 1503 when the claim is refused; whatever is wrong with the body itself is part of the result.
   */
  receiveBody(claim: BodyClaim): Promise<RequestBody>;
  /** Clock.elapsed() at arrival. */
  readonly arrivedAt: number;
  /** Aborted when the caller goes away. */
  readonly signal: AbortSignal;
}

export type RequestBody =
  | { readonly kind: "none" }
  | { readonly kind: "text"; readonly bytes: Uint8Array; readonly text: string }
  /** It was not received to its end, so nothing of it can be recorded. */
  | { readonly kind: "incomplete"; readonly refusal: Refusal }
  | {
      readonly kind: "unreadable";
      readonly bytes: Uint8Array;
      readonly code: 1400 | 1415;
      readonly message: string;
    };

export interface ReadBody {
  readonly fields: JsonObject;
  readonly refused: Refusal | null;
  /** What the audit record keeps: the body itself, or the digest of one that cannot be kept. */
  readonly recorded: JsonObject | null;
  readonly unreadable: UnreadableBody | null;
}

export function readBody(body: RequestBody): ReadBody {
  const nothing = { fields: {}, refused: null, recorded: null, unreadable: null };
  if (body.kind === "none") return nothing;
  if (body.kind === "incomplete") return { ...nothing, refused: body.refusal };
  const unreadable = {
    length: body.bytes.length,
    sha256: createHash("sha256").update(body.bytes).digest("hex"),
  };
  const refuse = (code: ErrorCode, message: string): ReadBody => ({
    fields: {},
    refused: new Refusal(code, message),
    recorded: null,
    unreadable,
  });
  if (body.kind === "unreadable") return refuse(body.code, body.message);
  try {
    const value: unknown = JSON.parse(body.text);
    if (!isObject(value)) return refuse(1400, "The body must be a JSON object, such as {}.");
    // A body that the ledger cannot hold is still judged field by field, so that the message can name the fault.
    return isInteroperable(value)
      ? { fields: value, refused: null, recorded: value, unreadable: null }
      : { fields: value, refused: null, recorded: null, unreadable };
  } catch {
    return refuse(1400, "The body is not valid JSON. Check quotes, commas and that it is complete.");
  }
}

/** A body cannot name what the path or the query already says. @throws Refusal 1400 */
export function mergeInput(parameters: JsonObject, fields: JsonObject): JsonObject {
  const twice = Object.keys(parameters).find((name) => Object.hasOwn(fields, name));
  if (twice !== undefined) {
    const reason = "belongs in the URL, not in the body";
    throw new Refusal(1400, `Field "${twice}" ${reason}.`, { field: twice, reason });
  }
  return { ...fields, ...parameters };
}

/** What the record of a call keeps of its path and query. */
export interface RecordedParameters {
  /** A memory that the path names; only where it has the form of an identifier, since everything else may be personal. */
  readonly memoryId: string | null;
  /** The others; null: none. */
  readonly parameters: JsonObject | null;
}

/** `namesMemory`: whether the parameter memory_id is what the operation is about; elsewhere it is a filter. */
export function recordParameters(parameters: JsonObject, namesMemory: boolean): RecordedParameters {
  const { memory_id, ...others } = parameters;
  const memoryId = namesMemory && typeof memory_id === "string" && isId(memory_id) ? memory_id : null;
  const kept = Object.entries(memoryId === null ? parameters : others).map(
    ([name, value]) => [name, toRecorded(value)] as const,
  );
  return { memoryId, parameters: kept.length === 0 ? null : Object.fromEntries(kept) };
}

/** I-JSON has no infinite numbers, and a parameter that is too long is refused anyway. */
function toRecorded(value: Json): Json {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  return typeof value === "string" ? value.slice(0, parameterMaxCharacters).toWellFormed() : value;
}

export function readOrigin({ ip, userAgent, metadata }: Request): { origin: Origin; fault: Refusal | null } {
  if (metadata === null) return { origin: { ip, userAgent, metadata: null }, fault: null };
  const parsed = parseMetadata(metadata);
  const fault = parsed === null ? new Refusal(1400, metadataMessage, { field: "X-Audit-Metadata" }) : null;
  return { origin: { ip, userAgent, metadata: parsed }, fault };
}

const metadataMessage = `The header X-Audit-Metadata must be a JSON object of at most ${metadataMaxBytes} bytes. Shorten or leave it out.`;

function parseMetadata(text: string): JsonObject | null {
  if (Buffer.byteLength(text) > metadataMaxBytes) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) && isInteroperable(value) ? value : null;
  } catch {
    return null;
  }
}

// Owns what a transport hands in and how it is read: parameters, body, metadata. Trusts nothing, and decides nothing about callers.

import { createHash } from "node:crypto";
import type { BodyClaim } from "../access/body-budget.ts";
import { Refusal } from "../errors.ts";
import { isId } from "../ids.ts";
import { findLoneSurrogate, isInteroperable, isObject, type Json, type JsonObject } from "../json/json.ts";
import { JsonFault, parseJson } from "../json/json-text.ts";
import { invalidBodyMaxBytes, metadataMaxBytes, parameterMaxCharacters } from "../limits.ts";
import type { Call, Origin } from "./call.ts";

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

/** What the audit record keeps of a body: the body itself, or its length and digest. */
export type KeptBody = Pick<Call, "bodyText" | "unreadableBody">;

export const nothingKept: KeptBody = { bodyText: null, unreadableBody: null };

export type Reading = { readonly kept: KeptBody } & (
  | { readonly input: Readonly<Record<string, unknown>> }
  /** `fault`: a Refusal, or an error that nobody expected. */
  | { readonly input: null; readonly fault: unknown }
);

/** Reads the input of an operation from the body and the parameters; `parse` judges it. */
export function readInput(
  body: RequestBody,
  parameters: JsonObject,
  parse: (value: unknown) => Readonly<Record<string, unknown>>,
): Reading {
  const refuse = (fault: unknown, kept: KeptBody): Reading => ({ input: null, fault, kept });
  if (body.kind === "incomplete") return refuse(body.refusal, nothingKept);
  if (body.kind === "unreadable") return refuse(new Refusal(body.code, body.message), digestOf(body.bytes));
  let fields: JsonObject = {};
  try {
    if (body.kind === "text") fields = parseBody(body.text);
  } catch (fault) {
    return refuse(fault, body.kind === "text" ? digestOf(body.bytes) : nothingKept);
  }
  // A body that the ledger cannot hold is still judged field by field, so that the message can name the fault.
  const isKeepable = isInteroperable(fields);
  try {
    const input = parse(mergeInput(parameters, fields));
    if (!isKeepable) throw loneSurrogate(fields);
    return { input, kept: { ...nothingKept, bodyText: body.kind === "none" ? null : body.text } };
  } catch (fault) {
    if (body.kind === "none") return refuse(fault, nothingKept);
    const isSmall = body.bytes.length <= invalidBodyMaxBytes;
    return refuse(
      fault,
      isKeepable && isSmall ? { ...nothingKept, bodyText: body.text } : digestOf(body.bytes),
    );
  }
}

function loneSurrogate(fields: JsonObject): Refusal {
  const field = (findLoneSurrogate(fields) ?? "").slice(0, 100).toWellFormed();
  const reason = "contains a lone surrogate; send well-formed Unicode";
  return new Refusal(1400, `Field "${field}" ${reason}.`, { field, reason });
}

function digestOf(bytes: Uint8Array): KeptBody {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { bodyText: null, unreadableBody: { length: bytes.length, sha256 } };
}

/** @throws Refusal 1400 */
function parseBody(text: string): JsonObject {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { field, reason } = error;
    if (field === null) throw new Refusal(1400, `The body ${reason}.`);
    throw new Refusal(1400, `Field "${field}" ${reason}.`, { field, reason });
  }
  if (!isObject(value)) throw new Refusal(1400, "The body must be a JSON object, such as {}.");
  return value;
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

export function readOrigin({ ip, userAgent, metadata }: Request): {
  readonly origin: Origin;
  readonly fault: Refusal | null;
} {
  if (metadata === null) return { origin: { ip, userAgent, metadata: null }, fault: null };
  try {
    return { origin: { ip, userAgent, metadata: parseMetadata(metadata) }, fault: null };
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { field, reason } = error;
    const place = field === null ? "" : `: field "${field}"`;
    const data = { field: "X-Audit-Metadata", reason };
    const fault = new Refusal(1400, `The header X-Audit-Metadata${place} ${reason}.`, data);
    return { origin: { ip, userAgent, metadata: null }, fault };
  }
}

/** @throws JsonFault */
function parseMetadata(text: string): JsonObject {
  const bytes = Buffer.byteLength(text);
  if (bytes > metadataMaxBytes)
    throw new JsonFault(null, `has ${bytes} bytes; the maximum is ${metadataMaxBytes}`);
  const value = parseJson(text);
  if (!isObject(value)) throw new JsonFault(null, "must be a JSON object, such as {}");
  if (!isInteroperable(value)) throw new JsonFault(null, "holds a lone surrogate. Send well-formed Unicode");
  return value;
}

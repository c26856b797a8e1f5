// Owns reading the input of an operation from what a transport received: body, parameters, or an object that is parsed already. Trusts
// nothing, and decides nothing about callers.

import { createHash } from "node:crypto";
import type { TObject } from "@sinclair/typebox";
import { type BodyClaim, bodyTooLarge } from "../../access/body-budget.ts";
import { hideSecrets } from "../../access/key.ts";
import { fieldRefusal, Refusal } from "../../platform/errors.ts";
import { toId } from "../../platform/ids.ts";
import {
  findLoneSurrogate,
  isInteroperable,
  isObject,
  type Json,
  type JsonObject,
} from "../../platform/json/json.ts";
import { JsonFault, parseJson, printJson } from "../../platform/json/json-text.ts";
import { bodyMaxBytes, jsonMaxValues, parameterMaxCharacters } from "../../platform/limits.ts";
import { createParser } from "../../platform/schema/schema.ts";
import { shorten, shortenName } from "../../platform/text/characters.ts";
import { toLabel } from "../../platform/text/label.ts";
import type { Call } from "../contract/call.ts";
import type { Operation } from "../contract/operation.ts";
import type { Input, ObjectInput, ReceivedInput, RequestBody } from "../contract/request.ts";

/** Maximum size of an input. */
interface InputLimits {
  readonly maxBytes: number;
  readonly maxValues: number;
}

const callerLimits: InputLimits = { maxBytes: bodyMaxBytes, maxValues: jsonMaxValues };
/** Administration on the machine of the server may name any number of chains. */
const administrationLimits: InputLimits = {
  maxBytes: Number.POSITIVE_INFINITY,
  maxValues: Number.POSITIVE_INFINITY,
};

/** An input whose body is not received yet. */
interface OpenInput extends ReceivedInput {
  readonly limits: InputLimits;
  /** The parameters, as recorded. */
  readonly recorded: Pick<Call, "memoryId" | "parameters">;
}

/** @param isLocal whether a person on the machine of the server performs administration */
export function openInput(operation: Operation, input: Input, isLocal: boolean): OpenInput {
  const limits = isLocal ? administrationLimits : callerLimits;
  // In other operations the parameter memory_id is a filter.
  const namesMemory = operation.scope === "project" && operation.name.startsWith("memory.");
  const received = input.kind === "received" ? input : toReceived(input, namesMemory, limits);
  const { parameters } = received;
  const recorded = without(parameters, namesOf(operation));
  return { ...received, limits, recorded: recordParameters(recorded, namesMemory) };
}

/**
 * An object is treated as a body, so that it has the same limits and the same record.
 * @param namesMemory whether memory_id names the memory of the operation; it is then a parameter, as in a path
 */
function toReceived(
  { fields, fault = null }: ObjectInput,
  namesMemory: boolean,
  limits: InputLimits,
): ReceivedInput {
  const { memory_id, ...others } = fields;
  const isNamed = namesMemory && memory_id !== undefined;
  const isEmpty = isNamed && Object.keys(others).length === 0;
  return {
    kind: "received",
    parameters: isNamed ? { memory_id } : {},
    fault,
    receiveBody: async (claim) =>
      isEmpty ? { kind: "none" } : toBody(isNamed ? others : fields, limits, claim),
  };
}

function toBody(fields: JsonObject, { maxBytes }: InputLimits, claim: BodyClaim): RequestBody {
  const text = printJson(fields);
  if (text === null) return { kind: "incomplete", refusal: notPrintable };
  const bytes = Buffer.from(text);
  if (bytes.length > maxBytes) return { kind: "incomplete", refusal: bodyTooLarge(maxBytes) };
  claim.take(bytes.length);
  return { kind: "text", bytes, text };
}

const notPrintable = new Refusal(
  1400,
  "The input contains itself or has too many levels. Send fewer levels.",
);

/** The recorded part of a body: the body itself, or its length and digest. */
type KeptBody = Pick<Call, "bodyText" | "unreadableBody">;

export const nothingKept: KeptBody = { bodyText: null, unreadableBody: null };

export type Reading = { readonly kept: KeptBody } & (
  | {
      readonly input: Readonly<Record<string, unknown>>;
      /** As they were received. */
      readonly parameters: JsonObject;
      /** The names of a subject and of a conversation, canonical, which are in nothing else; null: none. */
      readonly subject: string | null;
      readonly conversation: string | null;
    }
  /** `fault`: a Refusal, or an unexpected error. */
  | { readonly input: null; readonly fault: unknown }
);

/** Reads the input of an operation from the body and the parameters. */
export function readInput(
  operation: Operation,
  body: RequestBody,
  { parameters, limits: { maxValues } }: OpenInput,
): Reading {
  const names = namesOf(operation);
  const refuse = (fault: unknown, kept: KeptBody): Reading => ({ input: null, fault, kept });
  if (body.kind === "incomplete") return refuse(body.refusal, nothingKept);
  if (body.kind === "unreadable") return refuse(new Refusal(body.code, body.message), digestOf(body.bytes));
  if (body.kind === "bytes") return { kept: nothingKept, input: parameters, parameters, ...unnamed };
  let fields: JsonObject = {};
  try {
    if (body.kind === "text") fields = parseBody(body.text, maxValues);
  } catch (fault) {
    return refuse(fault, body.kind === "text" ? digestOf(body.bytes) : nothingKept);
  }
  // A body that the ledger cannot store is still validated, so that the message can name the field.
  const isKeepable = isInteroperable(fields);
  try {
    const input = parserOf(operation.input)(mergeInput(parameters, fields));
    if (!isKeepable) throw loneSurrogate(fields);
    const kept = {
      bodyText: body.kind === "none" ? null : recordedText(body.text, fields, names),
      unreadableBody: null,
    };
    const nameIn = (field: OwnName) =>
      names.includes(field) && typeof input[field] === "string" ? toLabel(input[field]) : null;
    return {
      input: without(input, names),
      parameters: without(parameters, names),
      subject: nameIn("subject"),
      conversation: nameIn("conversation"),
      kept,
    };
  } catch (fault) {
    if (body.kind === "none") return refuse(fault, nothingKept);
    if (!isKeepable) return refuse(fault, digestOf(body.bytes));
    return refuse(fault, { bodyText: recordedText(body.text, fields, names), unreadableBody: null });
  }
}

/** The names of subjects and conversations are in no record: the entry has their pseudonyms. */
function recordedText(text: string, fields: JsonObject, names: readonly OwnName[]): string {
  return names.some((name) => Object.hasOwn(fields, name)) ? JSON.stringify(without(fields, names)) : text;
}

/** A field of the input that says whom the call is for. */
type OwnName = "subject" | "conversation";
const unnamed = { subject: null, conversation: null } as const;

/** Those of the operation. */
function namesOf(operation: Operation): readonly OwnName[] {
  if (operation.scope !== "project" || operation.exchange !== undefined) return [];
  const { forSubjects, forConversations } = operation;
  return [
    ...(forSubjects === undefined ? [] : (["subject"] as const)),
    ...(forConversations === undefined ? [] : (["conversation"] as const)),
  ];
}

function without<Value>(
  fields: Readonly<Record<string, Value>>,
  names: readonly string[],
): Record<string, Value> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** What the record keeps of the body of a call that is refused whatever its body is. */
export function keepBody(
  operation: Operation,
  body: RequestBody,
  { limits: { maxValues } }: OpenInput,
): KeptBody {
  if (body.kind === "none" || body.kind === "incomplete") return nothingKept;
  // Only the operation of an exchange knows whom its body is about.
  if (body.kind !== "text" || body.bytes.length > bodyMaxBytes) return digestOf(body.bytes);
  try {
    const { text } = body;
    const fields = parseBody(text, maxValues);
    // Some transports send an object without fields where others send no body.
    if (Object.keys(fields).length === 0) return nothingKept;
    if (!isInteroperable(fields)) return digestOf(body.bytes);
    return { bodyText: recordedText(text, fields, namesOf(operation)), unreadableBody: null };
  } catch {
    return digestOf(body.bytes);
  }
}

type Parser = (value: unknown) => Readonly<Record<string, unknown>>;

const parsers = new WeakMap<TObject, Parser>();

function parserOf(schema: TObject): Parser {
  const parser = parsers.get(schema) ?? createParser(schema);
  parsers.set(schema, parser);
  return parser;
}

function loneSurrogate(fields: JsonObject): Refusal {
  const field = shortenName(findLoneSurrogate(fields) ?? "");
  const reason = "contains a lone surrogate; send well-formed Unicode";
  return fieldRefusal(field, reason);
}

function digestOf(bytes: Uint8Array): KeptBody {
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  return { bodyText: null, unreadableBody: { length: bytes.length, sha256 } };
}

/** @throws Refusal 1400 */
function parseBody(text: string, maxValues: number): JsonObject {
  let value: unknown;
  try {
    value = parseJson(text, { maxValues });
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { field, reason } = error;
    throw new Refusal(1400, error.describe(), field === null ? {} : { field, reason });
  }
  if (!isObject(value)) throw new Refusal(1400, "The body must be a JSON object, such as {}.");
  return value;
}

/** A field of the path or the query cannot be in the body, too. @throws Refusal 1400 */
function mergeInput(parameters: JsonObject, fields: JsonObject): JsonObject {
  const twice = Object.keys(parameters).find((name) => Object.hasOwn(fields, name));
  if (twice !== undefined) {
    const reason = "must be sent in the URL, not in the body";
    throw fieldRefusal(twice, reason);
  }
  return { ...fields, ...parameters };
}

/** The entry contains the memory only if the parameter has the form of an identifier, because any other text may be personal. */
function recordParameters(parameters: JsonObject, namesMemory: boolean): OpenInput["recorded"] {
  const { memory_id, ...others } = parameters;
  const memoryId = namesMemory && typeof memory_id === "string" ? toId(memory_id) : null;
  const kept = Object.entries(memoryId === null ? parameters : others).map(
    ([name, value]) => [name, toRecorded(value)] as const,
  );
  return { memoryId, parameters: kept.length === 0 ? null : Object.fromEntries(kept) };
}

/** I-JSON has no infinite numbers; validation refuses a parameter that is too long. */
function toRecorded(value: Json): Json {
  if (typeof value === "number" && !Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return value.map(toRecorded);
  return typeof value === "string" ? shorten(hideSecrets(value), parameterMaxCharacters) : value;
}

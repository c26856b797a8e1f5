// Owns what is read of a request that is no conversation: the model that it names, and its form in the record. Its bytes are passed on as
// they are. Must never keep the contents of a file: the record has its length and its digest.

import { type PreparedMembers, prepareMembers } from "../audit/parts/prepared-members.ts";
import { Refusal } from "../platform/errors.ts";
import { isObject, type Json, type JsonObject } from "../platform/json/json.ts";
import { decodeBody, readJsonBody, requireModel } from "./dialects/request-body.ts";
import { formMaxParts } from "./limits.ts";
import { describeData, toRecorded } from "./recorded.ts";

export interface OtherRequest {
  /** Null: the request names none. */
  readonly model: string | null;
  readonly isStream: boolean;
  /** Members of the record. */
  readonly kept: PreparedMembers;
}

/**
 * @param readBody readOtherBody, in any thread
 * @throws Refusal 1400 or 1415 for a body that cannot be read as what its Content-Type says
 */
export async function readOtherRequest(
  bytes: Uint8Array,
  type: string,
  path: string,
  readBody: (bytes: Uint8Array, type: string) => Promise<OtherRequest>,
): Promise<OtherRequest> {
  const named = modelInPath(path);
  if (bytes.length === 0) return { model: named, isStream: false, kept: keep({}, {}) };
  const read = await readBody(bytes, type);
  return { ...read, model: read.model ?? named };
}

/** @throws Refusal 1400 or 1415 */
export async function readOtherBody(bytes: Uint8Array, type: string): Promise<OtherRequest> {
  if (/^application\/json\b/i.test(type)) return readOtherJson(bytes);
  if (/^multipart\/form-data\b/i.test(type)) return readForm(bytes, type);
  const body = describeData(bytes, type.toWellFormed());
  return { model: null, isStream: false, kept: keep(body, body) };
}

/** `/models/ID`, also with an id that contains slashes. */
function modelInPath(path: string): string | null {
  const prefix = "/models/";
  return path.startsWith(prefix) ? decodeURIComponent(path.slice(prefix.length)) : null;
}

function readOtherJson(bytes: Uint8Array): OtherRequest {
  const text = decodeBody(bytes);
  const value = readJsonBody(text);
  const body = toRecorded({ text, value });
  const { prompt, input } = body;
  const said = prompt ?? input;
  return {
    model: modelIn(value),
    isStream: value.stream === true,
    kept: keep(body, Array.isArray(said) || isObject(said) ? said : said === undefined ? {} : [said]),
  };
}

/** A batch of Anthropic Messages names the models of its requests; the first one counts. */
function modelIn({ model, requests }: JsonObject): string | null {
  if (model !== undefined && model !== null) return requireModel(model);
  const [first] = Array.isArray(requests) ? requests : [];
  const params = isObject(first) ? first.params : undefined;
  const inner = isObject(params) ? params.model : undefined;
  return inner === undefined ? null : requireModel(inner);
}

async function readForm(bytes: Uint8Array, type: string): Promise<OtherRequest> {
  requireFewParts(bytes, type);
  const form = await new Response(new Blob([Buffer.from(bytes)]), { headers: { "content-type": type } })
    .formData()
    .catch(() => null);
  if (form === null) throw new Refusal(1400, "The body is not valid multipart/form-data. Correct it.");
  const fields: [string, Json][] = [];
  for (const [name, value] of form.entries()) {
    const shown = typeof value === "string" ? value.toWellFormed() : await describeFile(value);
    fields.push([name.toWellFormed(), shown]);
  }
  const model = form.get("model");
  const body = Object.fromEntries(fields);
  return {
    model: typeof model === "string" ? requireModel(model) : null,
    isStream: form.get("stream") === "true",
    kept: keep(body, body),
  };
}

/** Before they are read, because each part costs much more than its bytes. @throws Refusal 1400 */
function requireFewParts(bytes: Uint8Array, type: string): void {
  const boundary = /;\s*boundary="?([^";]+)/i.exec(type)?.[1]?.trim() ?? "";
  const delimiter = Buffer.from(`--${boundary}`);
  const form = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let parts = 0;
  for (let at = form.indexOf(delimiter); at !== -1; at = form.indexOf(delimiter, at + delimiter.length)) {
    parts += 1;
    // The last one ends the form.
    if (parts <= formMaxParts + 1) continue;
    throw new Refusal(1400, `The form has more than ${formMaxParts} parts. Send fewer in one request.`);
  }
}

async function describeFile(file: File): Promise<Json> {
  return {
    name: file.name.toWellFormed(),
    ...describeData(new Uint8Array(await file.arrayBuffer()), file.type.toWellFormed()),
  };
}

function keep(request_body: JsonObject, input_content: Json): PreparedMembers {
  return prepareMembers({ request_body, input_content });
}

// Owns the query of a URL: which parameters an operation takes, which are ignored, and their conversion to the types of the schema. Must never
// ignore what may be meant for the operation.

import { Kind, type TSchema } from "@sinclair/typebox";
import { type ErrorData, Refusal } from "../../platform/errors.ts";
import { isInteroperable, isObject, type Json, type JsonObject } from "../../platform/json/json.ts";
import { parseJson } from "../../platform/json/json-text.ts";
import { shortenName } from "../../platform/text/characters.ts";
import { decodePercent } from "../../platform/text/percent-encoding.ts";
import { endSentence } from "../../platform/text/sentence.ts";
import { suggest, unknownReason } from "../../platform/text/suggestion.ts";
import { type ApiRoute, pathParameters, takesBody } from "./routes.ts";

/** Names the parameters that were ignored, percent-encoded. */
export const ignoredHeader = "Memledger-Ignored-Parameters";
/** Ignored parameters that the header names. */
const ignoredMax = 20;

export interface Query {
  /** With a fault: what was read before it, and the parameter at fault, for the record. */
  readonly parameters: JsonObject;
  /** Names for the header. */
  readonly ignored: readonly string[];
  readonly fault: Refusal | null;
}

/** Reads the queries of one route. What depends on the route only is computed once. */
export type QueryReader = (url: string) => Query;

const none: Query = { parameters: {}, ignored: [], fault: null };

export function createQueryReader(route: ApiRoute): QueryReader {
  const inPath = pathParameters(route);
  const inBody = takesBody(route);
  const fields = Object.entries(route.operation.input.properties);
  const known = new Map(inBody ? [] : fields.filter(([name]) => !inPath.includes(name)));
  const names = fields.map(([name]) => name);
  /** Why an unknown parameter is refused; null: it is ignored. */
  const unknownFault = (name: string): string | null => {
    if (inPath.includes(name)) return "is in the path; omit it in the query";
    const meant = suggest(name, names);
    if (meant !== null && inBody) return "is unknown; send the fields in the body";
    if (meant !== null) return unknownReason(name, names, "parameters");
    // A filter that is not understood would delete everything.
    return deletesAll(route) && /\p{L}/u.test(name) ? "is unknown; send the filter in the body" : null;
  };
  return (url) => {
    const start = url.indexOf("?");
    if (start === -1) return none;
    const fragment = url.indexOf("#", start);
    const text = url.slice(start + 1, fragment === -1 ? undefined : fragment);
    return text === "" ? none : readQuery(text, known, unknownFault);
  };
}

/** Whether the operation deletes everything that no filter excludes. */
function deletesAll({ method, operation: { input } }: ApiRoute): boolean {
  return method === "DELETE" && (input.required ?? []).length === 0;
}

function readQuery(
  text: string,
  known: ReadonlyMap<string, TSchema>,
  unknownFault: (name: string) => string | null,
): Query {
  if (decodePercent(text) === null) {
    return faulty("The query string has malformed percent-encoding. Encode it as UTF-8.", {});
  }
  const parameters = new Map<string, Json>();
  const ignored = new Set<string>();
  for (const [name, value] of new URLSearchParams(text)) {
    const schema = known.get(name);
    if (schema === undefined) {
      const fault = ignored.has(name) ? null : unknownFault(name);
      if (fault !== null) return faultyParameter(name, fault, value, parameters);
      ignored.add(name);
      continue;
    }
    const sent = parameters.get(name);
    if (schema[Kind] === "Array")
      parameters.set(name, addItem(Array.isArray(sent) ? sent : [], value, schema));
    else if (sent !== undefined)
      return faultyParameter(name, "is sent more than once; send it once", [sent, value], parameters);
    else parameters.set(name, convert(value, schema));
  }
  const shown = [...ignored].slice(0, ignoredMax).map((name) => encodeURIComponent(shortenName(name)));
  return { parameters: Object.fromEntries(parameters), ignored: shown, fault: null };
}

function faultyParameter(
  name: string,
  reason: string,
  value: Json,
  before: ReadonlyMap<string, Json>,
): Query {
  const field = shortenName(name);
  const parameters = Object.fromEntries([...before, [field, value]]);
  return { ...faulty(endSentence(`Query parameter "${field}" ${reason}`), { field, reason }), parameters };
}

function faulty(message: string, data: ErrorData): Query {
  return { ...none, fault: new Refusal(1400, message, data) };
}

/** One more than the maximum is kept, so that validation refuses the list and its record is small. */
function addItem(items: readonly Json[], value: string, schema: TSchema): readonly Json[] {
  return items.length > schema.maxItems ? items : [...items, convert(value, schema.items)];
}

const wholeNumber = /^-?(0|[1-9]\d*)$/;
const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Converts text to a number, a boolean or an object only if the schema requires one and the text has exactly that form; validation reports the rest. */
function convert(text: string, schema: TSchema): Json {
  const kind = schema[Kind];
  if (kind === "Integer" && wholeNumber.test(text)) return Number(text);
  if (kind === "Number" && jsonNumber.test(text)) return Number(text);
  if (kind === "Boolean" && (text === "true" || text === "false")) return text === "true";
  return schema.type === "object" ? (readObject(text) ?? text) : text;
}

/** Null: the text is not a JSON object that the ledger can store. */
function readObject(text: string): Json | null {
  try {
    const value = parseJson(text);
    return isObject(value) && isInteroperable(value) ? value : null;
  } catch {
    return null;
  }
}

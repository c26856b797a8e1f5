// Owns the conversion of a Fetch request to a Request of calls: parameters, body, origin; sender.ts has the credentials. Checks only what calls cannot see.

import { Kind, type TSchema } from "@sinclair/typebox";
import type { Request as Arrival, RequestBody, RequestMetadata, RequestOrigin } from "../../calls/request.ts";
import { type ErrorData, Refusal } from "../../errors.ts";
import type { Json, JsonObject } from "../../json/json.ts";
import { shortenName } from "../../text/characters.ts";
import { endSentence } from "../../text/sentence.ts";
import { unknownReason } from "../../text/suggestion.ts";
import { receiveRequestBody } from "./body.ts";
import { pathParameters, type Route, takesBody } from "./routes.ts";
import type { Sender } from "./sender.ts";

/** Reads requests of one route. What depends on the route only is computed once. */
type RequestReader = (request: Request, path: string, sender: Sender, arrivedAt: number) => Arrival;

const noBody: RequestBody = { kind: "none" };
const none: Parameters = { parameters: {}, fault: null };

export function createRequestReader(route: Route): RequestReader {
  const inPath = route.path.split("/").flatMap((segment, index) => (segment[0] === ":" ? [index] : []));
  const names = pathParameters(route);
  const inQuery = queryFields(route, names);
  return (request, path, { credentials, ip }, arrivedAt) => {
    const segments = inPath.length === 0 ? [] : path.split("/");
    const { parameters, fault } = readQuery(request.url, inQuery);
    const pathFields = inPath.map((at, index) => [names[index] ?? "", decodeSegment(segments[at] ?? "")]);
    return {
      credentials,
      input: {
        kind: "received",
        parameters:
          pathFields.length === 0 ? parameters : { ...parameters, ...Object.fromEntries(pathFields) },
        fault,
        receiveBody: async (claim) =>
          route.method === "GET" ? noBody : await receiveRequestBody(request, claim),
      },
      origin: {
        transport: credentials.kind === "session" ? "console" : "http",
        ip,
        client: null,
        ...readReported(request.headers),
      },
      arrivedAt,
      get signal() {
        return request.signal;
      },
    };
  };
}

interface Parameters {
  readonly parameters: JsonObject;
  readonly fault: Refusal | null;
}

interface QueryFields {
  readonly known: ReadonlyMap<string, TSchema>;
  /** The message about an unknown parameter. */
  otherwise(name: string): string;
}

function queryFields(route: Route, pathNames: readonly string[]): QueryFields {
  if (takesBody(route))
    return { known: new Map(), otherwise: () => "is unknown; send the fields in the body" };
  const known = new Map(
    Object.entries(route.operation.input.properties).filter(([name]) => !pathNames.includes(name)),
  );
  const names = [...known.keys()];
  return { known, otherwise: (name) => unknownReason(name, names, "parameters") };
}

function readQuery(url: string, { known, otherwise }: QueryFields): Parameters {
  const start = url.indexOf("?");
  if (start === -1) return none;
  const fragment = url.indexOf("#", start);
  const text = url.slice(start + 1, fragment === -1 ? undefined : fragment);
  if (text === "") return none;
  if (decode(text) === null) {
    return faulty("The query string has malformed percent-encoding. Encode it as UTF-8.", {});
  }
  const parameters = new Map<string, Json>();
  for (const [name, value] of new URLSearchParams(text)) {
    const schema = known.get(name);
    if (schema === undefined) return faultyParameter(name, otherwise(name));
    const sent = parameters.get(name);
    if (schema[Kind] === "Array")
      parameters.set(name, addItem(Array.isArray(sent) ? sent : [], value, schema));
    else if (sent !== undefined) return faultyParameter(name, "is sent more than once; send it once");
    else parameters.set(name, convert(value, schema));
  }
  return { parameters: Object.fromEntries(parameters), fault: null };
}

function faultyParameter(name: string, reason: string): Parameters {
  const field = shortenName(name);
  return faulty(endSentence(`Query parameter "${field}" ${reason}`), { field, reason });
}

function faulty(message: string, data: ErrorData): Parameters {
  return { parameters: {}, fault: new Refusal(1400, message, data) };
}

/** One more than the maximum is kept, so that validation refuses the list and its record is small. */
function addItem(items: readonly Json[], value: string, schema: TSchema): readonly Json[] {
  return items.length > schema.maxItems ? items : [...items, convert(value, schema.items)];
}

const jsonNumber = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/** Converts text to a number or a boolean only if the schema requires one and the text has exactly that form; validation reports the rest. */
function convert(text: string, schema: TSchema): Json {
  const kind = schema[Kind];
  if ((kind === "Integer" || kind === "Number") && jsonNumber.test(text)) return Number(text);
  if (kind === "Boolean" && (text === "true" || text === "false")) return text === "true";
  return text;
}

/** A segment with invalid percent-encoding is not changed: nothing has such a name, so the operation refuses it. */
function decodeSegment(segment: string): string {
  return decode(segment) ?? segment;
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** What the client says about itself and its call. */
export function readReported(headers: Headers): Pick<RequestOrigin, "userAgent" | "metadata"> {
  return {
    userAgent: readText(headers.get("user-agent")),
    metadata: readMetadata(headers.get("x-audit-metadata")),
  };
}

function readMetadata(header: string | null): RequestMetadata | null {
  const value = readText(header);
  return value === null ? null : { value, label: "The header X-Audit-Metadata", field: "X-Audit-Metadata" };
}

/** Fetch decodes header bytes as Latin-1 (Fetch standard, "isomorphic decode"); clients send UTF-8. */
function readText(value: string | null): string | null {
  if (value === null || /^[\0-\x7f]*$/.test(value)) return value;
  const bytes = Buffer.from(value, "latin1");
  const text = bytes.toString("utf8");
  return text.includes("\ufffd") ? value : text;
}

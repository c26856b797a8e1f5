// Owns the conversion of a Fetch request to a Request of calls: path, body, origin; query.ts has the query, sender.ts has the credentials. Checks only what calls cannot see.

import type {
  Request as Arrival,
  RequestBody,
  RequestMetadata,
  RequestOrigin,
} from "../../calls/contract/request.ts";
import { decodePercent } from "../../platform/text/percent-encoding.ts";
import { receiveRequestBody } from "./body.ts";
import { createQueryReader, type Query } from "./query.ts";
import { type ApiRoute, pathParameters } from "./routes.ts";
import type { Sender } from "./sender.ts";

/** Reads requests of one route. What depends on the route only is computed once. */
type RequestReader = (
  request: Request,
  path: string,
  sender: Sender,
  arrivedAt: number,
) => Arrival & Pick<Query, "ignored">;

const noBody: RequestBody = { kind: "none" };

export function createRequestReader(route: ApiRoute): RequestReader {
  const inPath = route.path.split("/").flatMap((segment, index) => (segment[0] === ":" ? [index] : []));
  const names = pathParameters(route);
  const readQuery = createQueryReader(route);
  return (request, path, { credentials, ip }, arrivedAt) => {
    const segments = inPath.length === 0 ? [] : path.split("/");
    const { parameters, ignored, fault } = readQuery(request.url);
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
      subject: readSubject(request.headers),
      arrivedAt,
      ignored,
      get signal() {
        return request.signal;
      },
    };
  };
}

/** A segment with invalid percent-encoding is not changed: nothing has such a name, so the operation refuses it. */
function decodeSegment(segment: string): string {
  return decodePercent(segment) ?? segment;
}

/** The subject of the call, or of all calls of a client; null: none. */
export function readSubject(headers: Headers): string | null {
  return readText(headers.get("memledger-subject"));
}

/** The conversation of an exchange; null: none. */
export function readConversation(headers: Headers): string | null {
  return readText(headers.get("memledger-conversation"));
}

/** What the client says about itself and its call. */
export function readReported(
  headers: Headers,
): Pick<RequestOrigin, "userAgent" | "metadata"> & Required<Pick<RequestOrigin, "onBehalfOf">> {
  return {
    userAgent: readText(headers.get("user-agent")),
    metadata: readMetadata(headers.get("x-audit-metadata")),
    onBehalfOf: readText(headers.get("memledger-on-behalf-of")),
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

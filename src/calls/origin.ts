// Owns the recorded origin of a call: texts are shortened and well-formed, and metadata is included only if it is valid.

import { Refusal } from "../errors.ts";
import { isInteroperable, isObject, type JsonObject } from "../json/json.ts";
import { JsonFault, parseJson, printJson } from "../json/json-text.ts";
import { metadataMaxBytes, userAgentMaxCharacters } from "../limits.ts";
import { shorten } from "../text/characters.ts";
import type { Origin } from "./call.ts";
import type { Credentials, Request, RequestMetadata } from "./request.ts";

interface OriginReading {
  readonly origin: Origin;
  /** The fault of the metadata, which the origin then does not contain; null: none. */
  readonly fault: Refusal | null;
}

export function readOrigin(request: Request): OriginReading {
  const { metadata } = request.origin;
  try {
    return { origin: toOrigin(request, metadata === null ? null : readMetadata(metadata)), fault: null };
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    return { origin: toOrigin(request, null), fault };
  }
}

/** The origin with this metadata, whose texts have at most `maxCharacters`. */
export function toOrigin(
  { credentials, origin: { transport, ip, userAgent, client } }: Pick<Request, "credentials" | "origin">,
  metadata: JsonObject | null,
  maxCharacters = userAgentMaxCharacters,
): Origin {
  const bounded = (text: string | null) => (text === null ? null : shorten(text, maxCharacters));
  return {
    transport,
    ip,
    userAgent: bounded(userAgent),
    client: bounded(client),
    metadata,
    ...authorityOf(credentials, bounded),
  };
}

function authorityOf(
  credentials: Credentials,
  bounded: (text: string | null) => string | null,
): Pick<Origin, "administrator" | "performedFor"> {
  if (credentials.kind === "caller") return { performedFor: credentials.performedFor };
  if (credentials.kind === "key") return {};
  const { osUid, osUser, sudoUser } = credentials.administrator;
  return { administrator: { osUid, osUser: bounded(osUser), sudoUser: bounded(sudoUser) } };
}

/** @throws Refusal 1400 */
function readMetadata({ value, label, field: name }: RequestMetadata): JsonObject {
  try {
    const text = typeof value === "string" ? value : printJson(value);
    if (text === null) throw new JsonFault(null, "contains itself or has too many levels. Send fewer levels");
    return parseMetadata(text);
  } catch (error) {
    if (!(error instanceof JsonFault)) throw error;
    const { field, reason } = error;
    const place = field === null ? "" : `: field "${field}"`;
    throw new Refusal(1400, `${label}${place} ${reason}.`, { field: name, reason });
  }
}

/** @throws JsonFault */
function parseMetadata(text: string): JsonObject {
  const bytes = Buffer.byteLength(text);
  if (bytes > metadataMaxBytes)
    throw new JsonFault(null, `has ${bytes} bytes; the maximum is ${metadataMaxBytes}`);
  const value = parseJson(text);
  if (!isObject(value)) throw new JsonFault(null, "must be a JSON object, such as {}");
  if (!isInteroperable(value))
    throw new JsonFault(null, "contains a lone surrogate. Send well-formed Unicode");
  return value;
}

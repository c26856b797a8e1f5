// Owns the recorded origin of a call: texts are shortened and well-formed, and metadata is included only if it is valid.

import type { Session, SignInLink } from "../../access/session.ts";
import { Refusal } from "../../platform/errors.ts";
import { isInteroperable, isObject, type JsonObject } from "../../platform/json/json.ts";
import { JsonFault, parseJson, printJson } from "../../platform/json/json-text.ts";
import { metadataMaxBytes, userAgentMaxCharacters } from "../../platform/limits.ts";
import { createParser, Fields } from "../../platform/schema/schema.ts";
import { personName } from "../../platform/schema/subject-name.ts";
import { shorten } from "../../platform/text/characters.ts";
import { toLabel } from "../../platform/text/label.ts";
import type { Origin } from "../contract/call.ts";
import type { Credentials, Request, RequestMetadata } from "../contract/request.ts";
import type { Actor } from "./actor.ts";

interface OriginReading {
  readonly origin: Origin;
  /** Of the metadata or of the name of a person, which the origin then does not contain; null: none. */
  readonly fault: Refusal | null;
}

const parsePerson = createParser(Fields({ "Memledger-On-Behalf-Of": personName }));

export function readOrigin(request: Request, actor: Actor): OriginReading {
  const { metadata, onBehalfOf = null } = request.origin;
  const person = attempt(onBehalfOf, readPerson);
  const read = attempt(metadata, readMetadata);
  const named = person.value === null ? {} : { onBehalfOf: person.value };
  return {
    origin: { ...toOrigin(request, actor, read.value), ...named },
    fault: person.fault ?? read.fault,
  };
}

/** What was read of a value; null: there is none, or it has the fault. */
function attempt<Given, Value>(given: Given | null, read: (given: Given) => Value) {
  try {
    return { value: given === null ? null : read(given), fault: null };
  } catch (fault) {
    if (!(fault instanceof Refusal)) throw fault;
    return { value: null, fault };
  }
}

/** @throws Refusal 1400 */
function readPerson(name: string): string {
  parsePerson({ "Memledger-On-Behalf-Of": name });
  return toLabel(name);
}

/** The origin with this metadata, whose texts have at most `maxCharacters`. */
export function toOrigin(
  { credentials, origin: { transport, ip, userAgent, client } }: Pick<Request, "credentials" | "origin">,
  { administrationKey, session, link }: Pick<Actor, "administrationKey" | "session" | "link">,
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
    ...(administrationKey === null ? {} : { administrationKey: administrationKey.id }),
    ...authorityOf(credentials, session, link, bounded),
  };
}

function authorityOf(
  credentials: Credentials,
  session: Session | null,
  link: SignInLink | null,
  bounded: (text: string | null) => string | null,
): Pick<Origin, "administrator" | "performedFor" | "remembers" | "session"> {
  if (credentials.kind === "task") {
    const { performedFor, remembers } = credentials;
    return { performedFor, remembers };
  }
  const performedFor = credentials.kind === "caller" ? { performedFor: credentials.performedFor } : {};
  const sent = session === null ? {} : { session: session.id };
  const administrator =
    "administrator" in credentials
      ? credentials.administrator
      : (session?.administrator ?? link?.administrator ?? null);
  if (administrator === null) return { ...performedFor, ...sent };
  const { osUid, osUser, sudoUser } = administrator;
  const named = { osUid, osUser: bounded(osUser), sudoUser: bounded(sudoUser) };
  return { ...performedFor, ...sent, administrator: named };
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

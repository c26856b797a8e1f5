// Owns parsing the text of an entry: whether it is the RFC 8785 form of an entry with valid members, and what they are. Must never
// correct anything. Two parsers give the same result: a regular expression for the usual entries, and a complete one for all.

import canonicalize from "canonicalize";
import { isObject, type JsonObject } from "../../platform/json/json.ts";
import { type EntryVersion2, isParts, parseVersion2, pseudonym, unknownTokens } from "./entry-version-2.ts";

/** The members of a valid entry, without `numbers`. */
export interface Entry {
  readonly chain: string;
  readonly seq: number;
  readonly id: string;
  /** RFC 3339 with milliseconds in UTC, so texts sort by time. */
  readonly at: string;
  readonly action: string;
  readonly status: number;
  readonly code: number | null;
  readonly key: string | null;
  readonly memory: string | null;
  readonly project: string | null;
  readonly payloadHash: string;
  /** Whether the entry has the member `performed`. */
  readonly isPerformed: boolean;
  readonly prev: string;
  /** What version 2 has in addition; null: an entry of version 1. */
  readonly v2: EntryVersion2 | null;
}

const number = String.raw`-?\d[\d.e+-]*`;
const text = String.raw`"([^"\\\x00-\x1f\ud800-\udfff]*)"`;
const textOrNull = `(?:${text}|null)`;
const id = "[0-9a-f]{32}";
const action = String.raw`[a-z0-9_]+(?:\.[a-z0-9_]+)*`;
/** Almost every entry: members in their order, no escapes, the usual numbers. Costs a tenth of parsing and serialising. */
function usualForm(version: 1 | 2): RegExp {
  const [conversation, parts, subject] =
    version === 1
      ? ["", "", ""]
      : [`(?:,"conversation":"(${pseudonym})")?`, `"parts":(${number}),`, `(?:,"subject":"(${pseudonym})")?`];
  return new RegExp(
    `^\\{"action":"(${action})","at":${text},"chain":${text},"code":(${number}|null)${conversation},"id":"(${id})","key":${textOrNull},` +
      `"memory":${textOrNull},"numbers":\\{"balance_consumed_usd":(${number}),"credits_consumed":(${number}),` +
      `"duration":(${number}|null),"is_cache_hit":(?:true|false)\\},${parts}"payload_hash":${text}(,"performed":true)?,"prev":${text},` +
      `"project":${textOrNull},"seq":(${number}),"status":(${number})${subject},"v":${version}\\}$`,
  );
}

/** Where the groups of a match are. Those of version 1 are `payloadHash` and the others at 11 and so on; those before are at the same place. */
interface Groups {
  readonly form: RegExp;
  readonly conversation: number;
  readonly id: number;
  readonly parts: number;
  readonly payloadHash: number;
  readonly subject: number;
}

const groups1: Groups = { form: usualForm(1), conversation: 0, id: 5, parts: 0, payloadHash: 11, subject: 0 };
const groups2: Groups = {
  form: usualForm(2),
  conversation: 5,
  id: 6,
  parts: 12,
  payloadHash: 13,
  subject: 19,
};

const idForm = new RegExp(`^${id}$`);
const actionForm = new RegExp(`^${action}$`);
const actionMaxCharacters = 100;

/** Null when the text is not the JCS form of a valid entry. */
export function parseEntry(entry: string): Entry | null {
  // The text ends with the version and a brace.
  const groups = entry.charCodeAt(entry.length - 2) === 0x32 ? groups2 : groups1;
  const match = groups.form.exec(entry);
  if (match === null) return parseAnyEntry(entry);
  const { id: idAt, payloadHash: hashAt } = groups;
  // One by one: this runs for every record, and destructuring an array costs time.
  const action = match[1] ?? "";
  const code = match[4] ?? "";
  const seq = match[hashAt + 4] ?? "";
  const status = match[hashAt + 5] ?? "";
  const at = match[2] ?? "";
  if (!isCanonical(code) || !isCanonical(seq) || !isCanonical(status)) return null;
  if (!isCanonical(match[idAt + 3] ?? "") || !isCanonical(match[idAt + 4] ?? "")) return null;
  if (!isCanonical(match[idAt + 5] ?? "")) return null;
  if (!isIntegerText(code) || !isIntegerText(seq) || !isIntegerText(status)) return null;
  if (millisecondsOf(at) === null || action.length > actionMaxCharacters) return null;
  const parts = groups === groups1 ? "1" : (match[groups.parts] ?? "");
  if (!isCanonical(parts) || !isParts(Number(parts))) return null;
  return {
    chain: match[3] ?? "",
    seq: Number(seq),
    id: match[idAt] ?? "",
    at,
    action,
    status: Number(status),
    code: code === "null" ? null : Number(code),
    key: match[idAt + 1] ?? null,
    memory: match[idAt + 2] ?? null,
    project: match[hashAt + 3] ?? null,
    payloadHash: match[hashAt] ?? "",
    isPerformed: match[hashAt + 1] !== undefined,
    prev: match[hashAt + 2] ?? "",
    v2:
      groups === groups1
        ? null
        : {
            parts: Number(parts),
            subject: match[groups.subject] ?? null,
            conversation: match[groups.conversation] ?? null,
            newer: null,
          },
  };
}

/** Whether a canonical number is an integer; true for null, which the regular expression allows for the code only. */
function isIntegerText(written: string): boolean {
  return isPlainInteger(written) || written === "null" || isInteger(Number(written));
}

/** Whether a JSON number is written as RFC 8785 says; true for null. */
function isCanonical(written: string): boolean {
  return isPlainInteger(written) || written === "null" || String(Number(written)) === written;
}

/** Whether a text is an integer of at most 15 digits in canonical form: faster than to convert it there and back. */
function isPlainInteger(written: string): boolean {
  if (written.length > 15 || (written.charCodeAt(0) === 0x30 && written.length > 1)) return false;
  for (let index = 0; index < written.length; index++) {
    const code = written.charCodeAt(index);
    if (code < 0x30 || code > 0x39) return false;
  }
  return true;
}

/** Without `performed`, which is true or missing. */
const members = 14;

/** The same result as parseEntry, for entries in any form; ten times slower. Exported so that a test compares the two. */
export function parseAnyEntry(entry: string): Entry | null {
  const value = parseCanonical(entry);
  if (value === null) return null;
  const isPerformed = value.performed === true;
  const { action, at, chain, code, id, key, memory, numbers, payload_hash, prev, project, seq, status } =
    value;
  const others = unknownNumbers(numbers);
  if (others === null) return null;
  let v2: EntryVersion2 | null = null;
  if (value.v === 1) {
    if (Object.keys(value).length !== members + (isPerformed ? 1 : 0) || others.length > 0) return null;
  } else {
    v2 = value.v === 2 ? parseVersion2(value, [...others, ...unknownTokens(numbers)]) : null;
    if (v2 === null || Object.keys(value).length < members + 1) return null;
  }
  const checked = checkMembers({
    action,
    at,
    chain,
    code,
    id,
    key,
    memory,
    payloadHash: payload_hash,
    prev,
    project,
    seq,
    status,
  });
  return checked === null ? null : { ...checked, isPerformed, v2 };
}

/** The object whose JCS form the text is; null when the text is not the JCS form of an object. */
export function parseCanonical(json: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) && canonicalize(value) === json ? value : null;
  } catch {
    return null;
  }
}

/** The names in `numbers` that the server does not write; null: one that it always writes is missing or has another type. */
function unknownNumbers(numbers: unknown): readonly string[] | null {
  if (!isObject(numbers)) return null;
  const { duration, credits_consumed, balance_consumed_usd, is_cache_hit, tokens = {}, ...others } = numbers;
  const isValid =
    (duration === null || typeof duration === "number") &&
    typeof credits_consumed === "number" &&
    typeof balance_consumed_usd === "number" &&
    typeof is_cache_hit === "boolean" &&
    isObject(tokens);
  return isValid ? Object.keys(others) : null;
}

type Checked = Omit<Entry, "isPerformed" | "v2">;

function checkMembers(entry: Readonly<Record<keyof Checked, unknown>>): Checked | null {
  const { action, at, chain, code, id, key, memory, payloadHash, prev, project, seq, status } = entry;
  if (typeof action !== "string" || typeof at !== "string" || typeof chain !== "string") return null;
  if (typeof id !== "string" || typeof payloadHash !== "string" || typeof prev !== "string") return null;
  if (!isInteger(seq) || !isInteger(status) || !(code === null || isInteger(code))) return null;
  if (!isTextOrNull(key) || !isTextOrNull(memory) || !isTextOrNull(project)) return null;
  if (millisecondsOf(at) === null || !idForm.test(id)) return null;
  if (action.length > actionMaxCharacters || !actionForm.test(action)) return null;
  return { action, at, chain, code, id, key, memory, payloadHash, prev, project, seq, status };
}

function isInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function isTextOrNull(value: unknown): value is string | null {
  return value === null || typeof value === "string";
}

const timestampForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:[0-5]\d\.\d{3}Z$/;
const minuteLength = "2026-11-21T09:30:".length;
/** The last result: records of one minute follow each other, and each timestamp is converted twice. */
const latest = { minute: "", startMs: 0, timestamp: "", ms: 0 };

/** Milliseconds since 1970 of a timestamp in the form of the ledger; null for every other text. */
export function millisecondsOf(timestamp: string): number | null {
  if (timestamp === latest.timestamp) return latest.ms;
  if (!timestampForm.test(timestamp)) return null;
  const minute = timestamp.slice(0, minuteLength);
  if (minute !== latest.minute) {
    const startMs = Date.parse(`${minute}00.000Z`);
    // Date.parse takes 30 February for 2 March.
    if (Number.isNaN(startMs) || new Date(startMs).toISOString() !== `${minute}00.000Z`) return null;
    latest.minute = minute;
    latest.startMs = startMs;
  }
  const seconds = Number(timestamp.slice(minuteLength, minuteLength + 2));
  latest.ms = latest.startMs + seconds * 1000 + Number(timestamp.slice(-4, -1));
  latest.timestamp = timestamp;
  return latest.ms;
}

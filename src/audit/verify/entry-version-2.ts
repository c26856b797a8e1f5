// Owns the members that an entry of version 2 has in addition, and members that a later release has added. Must never correct anything.

import { isObject, type JsonObject } from "../../platform/json/json.ts";

export interface EntryVersion2 {
  /** Number of parts of the payload. */
  readonly parts: number;
  /** Pseudonyms; null: none. */
  readonly subject: string | null;
  readonly conversation: string | null;
  /** Null: no later release has written this entry. */
  readonly newer: NewerMembers | null;
}

/** What a later release has added. */
export interface NewerMembers {
  /** The release that knows the members. */
  readonly release: string;
  readonly members: readonly string[];
}

export const partMaxCount = 10_000;
export const pseudonym = "[0-9a-f]{32}";
const pseudonymForm = new RegExp(`^${pseudonym}$`);
const releaseForm = /^[0-9]{1,4}(?:\.[0-9]{1,4}){2}$/;

const known: ReadonlySet<string> = new Set(
  `action at chain code conversation id key memory numbers parts payload_hash performed prev project seq since status subject v`.split(
    " ",
  ),
);
const knownTokens: ReadonlySet<string> = new Set([
  ...["prompt_tokens", "completion_tokens", "total_tokens"],
  ...["cached_tokens", "cache_write_tokens", "reasoning_tokens"],
]);

/** @param others names of unknown members inside `numbers`. Null: a member is not valid, or one is unknown and `since` is missing. */
export function parseVersion2(value: JsonObject, others: readonly string[]): EntryVersion2 | null {
  const { parts, subject, conversation, performed } = value;
  if (!isParts(parts) || !isPseudonymOrAbsent(subject) || !isPseudonymOrAbsent(conversation)) return null;
  if (performed !== undefined && performed !== true) return null;
  const newer = newerMembers(value, known, others);
  if (newer === undefined) return null;
  return { parts, subject: subject ?? null, conversation: conversation ?? null, newer };
}

/** Null: nothing is newer. Undefined: there are unknown members without a valid `since`. */
export function newerMembers(
  value: JsonObject,
  names: ReadonlySet<string>,
  others: readonly string[] = [],
): NewerMembers | null | undefined {
  const { since } = value;
  const members = [...Object.keys(value).filter((name) => !names.has(name)), ...others];
  if (since === undefined) return members.length === 0 ? null : undefined;
  return typeof since === "string" && releaseForm.test(since) ? { release: since, members } : undefined;
}

export function isParts(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= partMaxCount;
}

/** Names in `tokens` that are not of this version. */
export function unknownTokens(numbers: unknown): string[] {
  const tokens = isObject(numbers) && isObject(numbers.tokens) ? numbers.tokens : {};
  return Object.keys(tokens).filter((name) => !knownTokens.has(name));
}

function isPseudonymOrAbsent(value: unknown): value is string | undefined {
  return value === undefined || (typeof value === "string" && pseudonymForm.test(value));
}

// Owns the values that callers give to a memory besides its text, type and state: their fields, what they become, and what a memory has
// without them. Creating, changing, proposing and storing memories follow from it.

import { type Static, type TObject, Type } from "@sinclair/typebox";
import { importanceDefault } from "../platform/limits.ts";
import { fromTimestamp, toTimestamp } from "../platform/time/timestamp.ts";
import { expiresAt, importance, type Memory } from "./memory.ts";
import { NewMetadata, toMetadata } from "./metadata.ts";
import { noTags, Tags, toTags } from "./tags.ts";

export type Values = typeof noValues;

const noValues: Pick<Memory, "importance" | "expiresAt" | "tags" | "metadata"> = {
  importance: importanceDefault,
  expiresAt: null,
  tags: noTags,
  metadata: null,
};

/** What a memory has unless something else is said. */
export const defaults = {
  ...noValues,
  active: true,
  passage: false,
  origins: [],
  lead: null,
  previousOf: null,
  supersededBy: null,
} satisfies Partial<Memory>;

const { default: _, ...givenImportance } = importance;
export const importanceField = Type.Optional(givenImportance);

/** All fields but `importance`, whose default only some operations have. @param says what the operation does with them */
export function valueFields(says: { readonly tags: string; readonly metadata: string }) {
  return {
    expires_at: Type.Optional(expiresAt),
    tags: Type.Optional(Tags(says.tags)),
    metadata: NewMetadata(says.metadata),
  };
}

type GivenValues = Static<TObject<{ importance: typeof importanceField } & ReturnType<typeof valueFields>>>;

/** The values that are given; those that are absent are as before. @throws Refusal 1400 when the metadata exceeds a limit */
export function readValues(given: GivenValues, before: Values = noValues): Values {
  const toTime = (timestamp: string | null) => (timestamp === null ? null : fromTimestamp(timestamp));
  return {
    importance: given.importance ?? before.importance,
    expiresAt: given.expires_at === undefined ? before.expiresAt : toTime(given.expires_at),
    tags: given.tags === undefined ? before.tags : toTags(given.tags),
    metadata: given.metadata === undefined ? before.metadata : toMetadata(given.metadata),
  };
}

/** The fields that callers can change, also those that have no value, so that all of them can be sent back. */
export function toChangeable({
  content,
  type: memory_type,
  active: is_active = true,
  importance,
  expiresAt,
  tags,
  metadata,
}: Values & Pick<Memory, "content" | "type"> & Partial<Pick<Memory, "active">>) {
  const expires_at = expiresAt === null ? null : toTimestamp(expiresAt);
  return { content, memory_type, importance, is_active, expires_at, tags: [...tags], metadata };
}

export const changeableFields = Object.keys(toChangeable({ content: "", type: "fact", ...noValues }));

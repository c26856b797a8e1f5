// Owns what a person can change of a memory, as the form has it, and what has to be sent for it. Must never send anything.

import type {
  MemoryCreateRequest,
  MemoryType,
  MemoryUpdateRequest,
} from "../../../../clients/typescript/src/generated/models.ts";
import type { Memory } from "./memory-query.ts";

/** As in the form. */
export interface MemoryFields {
  readonly content: string;
  readonly memory_type: MemoryType;
  readonly importance: number;
  readonly is_active: boolean;
  /** ISO 8601; null: it never expires. */
  readonly expires_at: string | null;
  readonly tags: readonly string[];
}

export const newMemory: MemoryFields = {
  content: "",
  memory_type: "fact",
  importance: 0.5,
  is_active: true,
  expires_at: null,
  tags: [],
};

export const fieldNames = [
  "content",
  "memory_type",
  "importance",
  "is_active",
  "expires_at",
  "tags",
] as const;

export const fieldTitles: Readonly<Record<keyof MemoryFields, string>> = {
  content: "Text",
  memory_type: "Type",
  importance: "Importance",
  is_active: "Active",
  expires_at: "Expires",
  tags: "Tags",
};

export function toFields(memory: Memory): MemoryFields {
  const { content, memory_type, importance, is_active, expires_at, tags = [] } = memory;
  return { content, memory_type, importance, is_active, expires_at, tags };
}

/** Whether a draft is one of this form. */
export function isFields(value: unknown): value is MemoryFields {
  return (
    typeof value === "object" && value !== null && fieldNames.every((name) => Object.hasOwn(value, name))
  );
}

/** Whether a draft is a version of a memory. */
export function isMemory(value: unknown): value is Memory {
  return isFields(value) && "updated_at" in value;
}

/** A draft that began with `before`, on top of `after`: the fields that the person has not touched follow. */
export function rebased(draft: MemoryFields, before: MemoryFields, after: MemoryFields): MemoryFields {
  const touched = new Set<string>(changedNames(before, draft));
  const kept = Object.entries(draft).filter(([name]) => touched.has(name));
  return { ...after, ...Object.fromEntries(kept) };
}

/** The fields that differ. */
export function changedNames(before: MemoryFields, after: MemoryFields): (keyof MemoryFields)[] {
  return fieldNames.filter((name) => fieldText(before, name) !== fieldText(after, name));
}

/** What has to be sent so that `before` becomes `after`; null: they are the same. */
export function toUpdate(before: MemoryFields, after: MemoryFields): MemoryUpdateRequest | null {
  const changed = new Set<string>(changedNames(before, after));
  if (changed.size === 0) return null;
  return Object.fromEntries(Object.entries(after).filter(([name]) => changed.has(name)));
}

export function toCreation({ is_active: _, tags, ...fields }: MemoryFields): MemoryCreateRequest {
  return { ...fields, tags: tags.length === 0 ? undefined : tags };
}

/** A field as text, for a difference. */
export function fieldText(fields: MemoryFields, name: keyof MemoryFields): string {
  const { [name]: value } = fields;
  if (value === null) return "never";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "object") return value.toSorted().join(", ");
  return String(value);
}

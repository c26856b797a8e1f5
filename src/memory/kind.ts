// Owns the kinds of memories: the types of what is kept, and passages, which have contents and a limit of their own.

import { Type } from "@sinclair/typebox";
import { type Memory, type MemoryOrigin, type MemoryType, memoryOrigin, memoryTypes } from "./memory.ts";

/** Stored as numbers in cache files: new ones are appended. */
export const kinds = [...memoryTypes, "passage"] as const;
export type Kind = (typeof kinds)[number];

export function kindOf({
  type,
  passage = false,
}: Pick<Memory, "type"> & Partial<Pick<Memory, "passage">>): Kind {
  return passage ? "passage" : type;
}

/** The type by which clients know a memory of the kind. */
export function typeOf(kind: Kind): MemoryType {
  return kind === "passage" ? "context" : kind;
}

export function originOf({ passage }: Pick<Memory, "passage">): MemoryOrigin {
  return passage ? "conversation" : "kept";
}

/** The kinds of memories of a type, or of some, and of an origin. Null: any. */
export function kindsOf(
  types: MemoryType | readonly MemoryType[] | null,
  origin: MemoryOrigin | null = null,
): readonly Kind[] | null {
  if (types === null && origin === null) return null;
  return kinds.filter(
    (kind) =>
      (types === null || [types].flat().includes(typeOf(kind))) &&
      (origin === null || originOf({ passage: kind === "passage" }) === origin),
  );
}

/** Without it: memories of both. */
export const originFilter = Type.Optional(memoryOrigin);

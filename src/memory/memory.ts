// Owns the memory: its fields, its schemas, and its form in the API.

import { createHash } from "node:crypto";
import { type Static, Type } from "@sinclair/typebox";
import type { JsonObject } from "../platform/json/json.ts";
import { contentMaxCharacters, importanceDefault } from "../platform/limits.ts";
import { Choice, Fields, Nullable, Text, Timestamp } from "../platform/schema/schema.ts";
import { toTimestamp } from "../platform/time/timestamp.ts";
import { metadata } from "./metadata.ts";
import { lead, type Origin, origins, toLead, toOrigins } from "./origin.ts";
import { Tags } from "./tags.ts";

export const memoryTypes = ["rule", "fact", "context"] as const;
export type MemoryType = (typeof memoryTypes)[number];
export const memoryOrigins = ["conversation", "kept"] as const;
export type MemoryOrigin = (typeof memoryOrigins)[number];

/** Times in milliseconds since 1970. */
export interface Memory {
  readonly id: string;
  readonly content: string;
  readonly type: MemoryType;
  /** Whether it is a part of a message of a conversation that was stored as it was said, a context that nobody has kept. */
  readonly passage: boolean;
  /** 0..1 */
  readonly importance: number;
  readonly active: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly lastAccessedAt: number | null;
  /** Null: the memory never expires. */
  readonly expiresAt: number | null;
  /** Canonical (tags.ts); empty: none. */
  readonly tags: readonly string[];
  /** Canonical (metadata.ts); null: none. */
  readonly metadata: JsonObject | null;
  /** Where its words were said; empty: it is not known. */
  readonly origins: readonly Origin[];
  /** What is put before the content in the text that is embedded, such as the name of the speaker; null: nothing. */
  readonly lead: string | null;
  /** Id of the memory that had this content before an extraction updated it; null: none. */
  readonly previousOf: string | null;
  /** Id of the newer memory because of which this one is inactive: what it says is no longer true; null: none. */
  readonly supersededBy: string | null;
  /** Name of the subject whose memory it is; null: the project's own. */
  readonly subject: string | null;
}

export const content = Text({
  maxLength: contentMaxCharacters,
  description: "Text of the memory, stored verbatim.",
  examples: ["Releases go out on Tuesdays."],
});
export const memoryType = Choice(memoryTypes, {
  title: "MemoryType",
  description:
    "rule: how to behave; always injected. fact: what is true; found by search. context: like a fact, but usually temporary.",
});
export const memoryOrigin = Choice(memoryOrigins, {
  title: "MemoryOrigin",
  description:
    "conversation: passages, which are parts of messages of conversations, stored as contexts. kept: all other memories.",
});
export const importance = Type.Number({
  minimum: 0,
  maximum: 1,
  default: importanceDefault,
  description: "Memories with a higher importance rank higher.",
});
export const expiresAt = Nullable(
  Timestamp({ description: "Expiry time of the memory; null: it never expires." }),
);
export const memoryId = Type.String({
  description: "Memory identifier, 32 hexadecimal characters.",
  examples: ["019a2b3c4d5e7f708192a3b4c5d6e7f8"],
});

export const agentMemory = Fields(
  {
    id: memoryId,
    content,
    memory_type: memoryType,
    origin: Type.Optional(memoryOrigin),
    importance,
    is_active: Type.Boolean({ description: "Only active memories are searched and injected." }),
    created_at: Timestamp({ description: "When the memory was created." }),
    updated_at: Timestamp({ description: "When the memory was last changed." }),
    last_accessed_at: Nullable(
      Timestamp({ description: "When the memory was last read or found; null: never." }),
    ),
    expires_at: expiresAt,
    tags: Type.Optional(
      Tags("Tags of the memory, sorted by Unicode code points. The field is absent if there are none."),
    ),
    subject: Type.Optional(
      Type.String({
        description: "Whose memory it is. The field is absent if it is the project's own.",
      }),
    ),
    metadata: Type.Optional(metadata),
    origins: Type.Optional(origins),
    lead: Type.Optional(lead),
    former_of: Type.Optional(
      Type.String({
        description:
          "Identifier of the memory that had this content before an extraction updated it. The field is absent if there is none.",
      }),
    ),
    superseded_by: Type.Optional(
      Type.String({
        description:
          "Identifier of the newer memory that replaces this one, which is inactive since then. The field is absent if there is none, and after the memory was activated again.",
      }),
    ),
  },
  { title: "AgentMemory", description: "One memory of the project." },
);
export type AgentMemory = Static<typeof agentMemory>;

export function toAgentMemory(memory: Memory): AgentMemory {
  const lead = toLead(memory.lead, memory.origins);
  return {
    id: memory.id,
    content: memory.content,
    memory_type: memory.type,
    ...(memory.passage ? { origin: "conversation" } : {}),
    importance: memory.importance,
    is_active: memory.active,
    created_at: toTimestamp(memory.createdAt),
    updated_at: toTimestamp(memory.updatedAt),
    last_accessed_at: memory.lastAccessedAt === null ? null : toTimestamp(memory.lastAccessedAt),
    expires_at: memory.expiresAt === null ? null : toTimestamp(memory.expiresAt),
    ...(memory.tags.length === 0 ? {} : { tags: [...memory.tags] }),
    ...(memory.subject === null ? {} : { subject: memory.subject }),
    ...(memory.metadata === null ? {} : { metadata: memory.metadata }),
    ...(memory.origins.length === 0 ? {} : { origins: toOrigins(memory.origins) }),
    ...(lead === null ? {} : { lead }),
    ...(memory.previousOf === null ? {} : { former_of: memory.previousOf }),
    ...(memory.supersededBy === null ? {} : { superseded_by: memory.supersededBy }),
  };
}

/** The text that is searched: it is embedded, its words are in the index, and it is reranked. */
export function toSearched({ lead, content }: Pick<Memory, "lead" | "content">): string {
  return `${lead ?? ""}${content}`;
}

export function isExpired(memory: Pick<Memory, "expiresAt">, now: number): boolean {
  return memory.expiresAt !== null && memory.expiresAt <= now;
}

export interface ContentClaim {
  /** A memory that may hold the key; absent: none. */
  readonly exceptId?: string | null;
  /** Whether an inactive holder loses the key. Default: false. */
  readonly fromInactive?: boolean;
}

/** Whether a memory keeps its content for itself when another one claims it. */
export function keepsContent(memory: Memory, now: number, { fromInactive = false }: ContentClaim): boolean {
  const isUsed = memory.active || (memory.supersededBy === null && !fromInactive);
  return isUsed && !isExpired(memory, now);
}

/**
 * Two contents with the same key count as the same memory. SHA-256 (32 bytes) of the text after Unicode normalisation (NFC), with
 * white space collapsed and trimmed. Passages have keys of their own, because no content has a NUL.
 */
export function contentKey(
  text: string,
  { passage }: Pick<Memory, "passage"> = { passage: false },
): Uint8Array {
  const normal = text
    .normalize("NFC")
    .replace(/\p{White_Space}+/gu, " ")
    .replace(/^ | $/g, "");
  return createHash("sha256")
    .update(passage ? `\0${normal}` : normal)
    .digest();
}

export const exampleMemory = {
  id: "019a2b3c4d5e7f708192a3b4c5d6e7f8",
  content: "Releases go out on Tuesdays.",
  memory_type: "fact",
  importance: 0.7,
  is_active: true,
  created_at: "2026-11-21T09:30:00.000Z",
  updated_at: "2026-11-21T09:30:00.000Z",
  last_accessed_at: null,
  expires_at: null,
} as const satisfies AgentMemory;

// Owns what a change of a memory needs: its precondition, its time, the claim of its content, and the previous values, with which the change
// can be undone. Decides nothing else about requests.

import { isDeepStrictEqual } from "node:util";
import { type Static, Type } from "@sinclair/typebox";
import { originOf } from "../../../memory/kind.ts";
import { type AgentMemory, contentKey, isExpired, type Memory } from "../../../memory/memory.ts";
import { toLead, toOrigins } from "../../../memory/origin.ts";
import { toChangeable } from "../../../memory/values.ts";
import { fieldRefusal, Refusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import type { Json, JsonObject } from "../../../platform/json/json.ts";
import { type Fields, jsonObject, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { fromTimestamp, toTimestamp } from "../../../platform/time/timestamp.ts";
import type { ProjectApplication } from "../../contract/application.ts";
import type { Transaction } from "../../storage/store.ts";
import { duplicate, requireRoom } from "./create.ts";

/** The precondition of a change. Every change gives a memory another updated_at, so it identifies the version that the caller knows. */
export const ifUpdatedAt = Type.Optional(
  Timestamp({
    description:
      "The updated_at of the memory as the caller knows it. If the memory has been changed since, it stays as it is, and the change is refused with 2108.",
  }),
);

const readOnly = (what: string) => ({
  readOnly: true,
  description: `${what} as it was read. It cannot be changed; the field is accepted so that a memory can be sent back as it was read.`,
});

/** What a client sends back that has read a memory, changed some of its fields and sends all of them. */
export const readOnlyFields = {
  id: Type.Optional(Type.String(readOnly("The identifier of the memory"))),
  created_at: Type.Optional(Timestamp(readOnly("The creation time"))),
  updated_at: Type.Optional(
    Timestamp({
      readOnly: true,
      description:
        "The time of the last change, as it was read. If the memory has been changed since, it stays as it is, and the change is refused with 2108.",
    }),
  ),
  last_accessed_at: Type.Optional(Nullable(Timestamp(readOnly("The time of the last access")))),
  superseded_by: Type.Optional(
    Nullable(Type.String(readOnly("The identifier of the newer memory, or null,"))),
  ),
  origin: Type.Optional(Type.String(readOnly("The origin"))),
  origins: Type.Optional(Type.Array(jsonObject, readOnly("Where its words were said,"))),
  lead: Type.Optional(Type.String(readOnly("The words that are searched in front of the content,"))),
  former_of: Type.Optional(Type.String(readOnly("The identifier of the memory that had this content,"))),
};

type ReadOnlyValues = Static<ReturnType<typeof Fields<typeof readOnlyFields>>>;

/**
 * What was read may be older than the memory is now: it is accessed by reading it.
 * @throws Refusal 1400 when a field that cannot be changed has a value that the memory never had
 */
export function requireUnchanged(before: Memory, sent: ReadOnlyValues): void {
  const { id, created_at, updated_at, last_accessed_at, superseded_by, origin, former_of } = sent;
  const at = (text: string | null | undefined) => (typeof text === "string" ? fromTimestamp(text) : null);
  const isLater = (text: string | null | undefined, than: number | null) => (at(text) ?? 0) > (than ?? 0);
  const changed = {
    id: id !== undefined && toId(id) !== before.id,
    created_at: created_at !== undefined && at(created_at) !== before.createdAt,
    updated_at: isLater(updated_at, before.updatedAt),
    last_accessed_at: isLater(last_accessed_at, before.lastAccessedAt),
    superseded_by:
      (superseded_by ?? null) !== null && toId(superseded_by ?? "") !== (before.supersededBy ?? ""),
    origin: origin !== undefined && origin !== originOf(before),
    origins: sent.origins !== undefined && !isDeepStrictEqual(sent.origins, toOrigins(before.origins)),
    lead: sent.lead !== undefined && sent.lead !== toLead(before.lead, before.origins),
    former_of: former_of !== undefined && toId(former_of) !== before.previousOf,
  };
  for (const [field, isChanged] of Object.entries(changed)) {
    if (!isChanged) continue;
    const reason = "is read-only, and its value is not that of the memory; omit it";
    throw fieldRefusal(field, reason);
  }
}

/**
 * A memory that has the wanted values already is not refused: the call may be sent again because its answer was lost (RFC 9110, 13.1.1).
 * @throws Refusal 2108 when the memory is not the one that the caller knows
 */
export function requireKnown(before: Memory, after: Memory, known: string | undefined): void {
  if (Object.keys(previousValues(before, after)).length === 0) return;
  requireVersion(before, known, "send the change again");
}

/**
 * @param repeat what to do after the memory was read
 * @throws Refusal 2108 when the memory is not of the version that the caller knows
 */
export function requireVersion({ updatedAt }: Memory, known: string | undefined, repeat: string): void {
  if (known === undefined || fromTimestamp(known) === updatedAt) return;
  const updated_at = toTimestamp(updatedAt);
  throw new Refusal(
    2108,
    `The memory was changed meanwhile, at ${updated_at}. Read it, and ${repeat} with this time as "if_updated_at".`,
    { updated_at },
  );
}

/** The time of a change: later than that of the version before, also if both are in one millisecond or the clock was set back. */
export function changedAt({ updatedAt }: Memory, now: number): number {
  return Math.max(now, updatedAt + 1);
}

/** What somebody has written instead of a text was not said where that one was. A passage with another text or type is kept. */
export function wording(
  before: Memory,
  {
    content = before.content,
    memory_type: type = before.type,
  }: Partial<Pick<AgentMemory, "content" | "memory_type">>,
): Pick<Memory, "content" | "type" | "passage" | "origins" | "lead" | "previousOf"> {
  const { origins, lead, previousOf } = before;
  if (content !== before.content)
    return { content, type, passage: false, origins: [], lead: null, previousOf: null };
  return { content, type, passage: before.passage && type === before.type, origins, lead, previousOf };
}

/** Whoever activates a memory says that no other one supersedes it. */
export function activity(
  before: Memory,
  isActive: boolean | undefined,
): Pick<Memory, "active" | "supersededBy"> {
  const active = isActive ?? before.active;
  return { active, supersededBy: active ? null : before.supersededBy };
}

/**
 * @param given the vector of the new content; null: there is none
 * @throws Refusal 2104 when another memory has the content, 2101 when there is no room for a passage that is kept from now on
 */
export async function storeChange(
  transaction: Transaction,
  { before, memory, vector: given }: { before: Memory; memory: Memory; vector: Float32Array | null },
  { caller: { project, owner }, plan, now }: ProjectApplication,
): Promise<void> {
  // Another memory may have taken the content key while this memory was expired or inactive, so the key is claimed again.
  const isActivated = !before.active && memory.active;
  const isRevived = !isExpired(memory, now) && (isActivated || isExpired(before, now));
  const isKept = before.passage && !memory.passage;
  if (isKept) await requireRoom(transaction, project, plan);
  const key = given !== null || isRevived || isKept ? contentKey(memory.content, memory) : null;
  if (key !== null) {
    const claim = { exceptId: memory.id, fromInactive: isActivated && given === null };
    const holder = await transaction.memories.claimContent(owner, key, now, claim);
    if (holder !== null) throw duplicate(holder);
  }
  // The vector of a content that stays may be that of more than the content.
  const vector = memory.content === before.content ? null : given;
  await transaction.memories.update(owner, { memory, contentKey: key, vector });
}

/** What the fields that have changed were before, under their names in the API. */
export function previousValues(before: Memory, after: Memory): JsonObject {
  const current = new Map<string, Json>(Object.entries(toChangeable(after)));
  const previous = Object.entries(toChangeable(before));
  const isChanged = ([name, value]: [string, Json]) =>
    JSON.stringify(value) !== JSON.stringify(current.get(name));
  return Object.fromEntries(previous.filter(isChanged));
}

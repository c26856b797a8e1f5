// Owns reading one memory by its id.

import { isDeepStrictEqual } from "node:util";
import { type Caller, ownersOf } from "../../../access/caller.ts";
import {
  type AgentMemory,
  agentMemory,
  exampleMemory,
  type Memory,
  memoryId,
  toAgentMemory,
} from "../../../memory/memory.ts";
import { type Owner, ownerId } from "../../../memory/owner.ts";
import { Refusal } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { accessResolutionMs } from "../../../platform/limits.ts";
import { Fields } from "../../../platform/schema/schema.ts";
import { confirmed, type Precomputed } from "../../contract/applied.ts";
import { projectOperation } from "../../contract/operation.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import type { Transaction } from "../../storage/store.ts";

export const readMemory = projectOperation({
  name: "memory.read",
  summary: "Read a memory",
  description: "Returns one memory of the project, even if it is inactive or expired.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  permission: "memory.read",
  forSubjects: true,
  passages: { memories: ({ memory_id }) => [memory_id] },
  feature: "memory",
  refusals: [2100],
  input: Fields({ memory_id: memoryId }),
  output: agentMemory,
  example: { input: { memory_id: exampleMemory.id }, data: exampleMemory },

  /** @returns the revision that was read; null: there is no such memory. */
  async prepare(
    { memory_id },
    { store, caller: { owner }, now },
  ): Promise<Precomputed<AgentMemory, number | null> | null> {
    const id = toId(memory_id);
    const found = id === null ? null : await store.memories.find(owner, id);
    if (found === null) return null;
    const { memory, revision } = found;
    return { precomputed: toOutcome(owner, memory, now), prepared: revision };
  },

  /** Records are in the order in which calls took effect, so a memory that has changed since it was looked up is read again. */
  async apply(transaction, { memory_id }, revision, { caller: { owner }, now }) {
    const id = toId(memory_id);
    const isKnown = id !== null && revision !== null;
    const isSame = isKnown && (await transaction.memories.hasVersion(owner, id, revision));
    return isSame ? confirmed : toOutcome(owner, await requireMemory(transaction, owner, memory_id), now);
  },
});

function toOutcome(owner: Owner, memory: Memory, now: number) {
  return {
    data: toAgentMemory(memory),
    memoryId: memory.id,
    after: touchMemories(owner, [memory], now),
  };
}

/** `last_accessed_at` of these memories follows, unless it is less than `accessResolutionMs` ago. */
export function touchMemories(
  owner: Owner,
  memories: readonly Pick<Memory, "id" | "lastAccessedAt" | "subject">[],
  now: number,
): AfterCommit[] {
  // A time in the future was stored before the clock was set back.
  const isRecent = (at: number | null) => at !== null && at <= now && at > now - accessResolutionMs;
  const due = memories.filter(({ lastAccessedAt }) => !isRecent(lastAccessedAt));
  const ofOwner = Map.groupBy(due, ({ subject }) => (subject === null ? owner.project : ownerId(owner)));
  return [...ofOwner].map(([project, found]) => {
    const ids = found.map(({ id }) => id);
    return { effect: "touch_memories", project, memories: ids, at: now };
  });
}

/** @param text id of a memory, as received. @returns whose it is, of those whose memories the call may change; of none: the first */
export async function ownerIn({ memories }: Transaction, caller: Caller, text: string): Promise<Owner> {
  const id = toId(text);
  if (!caller.ownsProject || id === null) return caller.owner;
  const owner = await memories.ownerOf(id);
  return ownersOf(caller).find((each) => isDeepStrictEqual(each, owner)) ?? caller.owner;
}

/** @param text its id, as received. @throws Refusal 2100 when the project has no such memory; the refusal is the same when another project has it. */
export async function requireMemory(transaction: Transaction, owner: Owner, text: string): Promise<Memory> {
  const id = toId(text);
  const memory = id === null ? null : await transaction.memories.find(owner, id);
  if (memory === null) {
    throw new Refusal(2100, "The memory does not exist in this project. List memories to find its id.");
  }
  return memory;
}

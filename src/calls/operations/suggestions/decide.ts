// Owns what happens when a suggestion is accepted or refused. Whoever accepts decides about the memories as the suggestion has seen them.

import type { Static } from "@sinclair/typebox";
import { contentKey, type Memory } from "../../../memory/memory.ts";
import { type Owner, ownerId } from "../../../memory/owner.ts";
import type { Suggestion } from "../../../memory/suggestions/suggestion.ts";
import { toChangeable } from "../../../memory/values.ts";
import { Refusal, unavailable } from "../../../platform/errors.ts";
import { toId } from "../../../platform/ids.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import type { ProjectApplication } from "../../contract/application.ts";
import type { Preparation } from "../../contract/operation.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import type { Transaction } from "../../storage/store.ts";
import { changedAt, storeChange } from "../memories/change.ts";
import { storeNew } from "../memories/create.ts";
import { type Acceptance, newContent, type PlannedChange, plannedChanges } from "./planned-changes.ts";
import { concernedBy, isOutdated, noSuggestion, type suggestedChange, toDifference } from "./view.ts";

type Change = Static<typeof suggestedChange>;

/** A text that accepting stores, embedded before the transaction; null: there is none. */
export type Embedded = { readonly content: string; readonly vector: Float32Array } | null;

/** Null also if the suggestion does not exist: the transaction decides. @throws Refusal 1400 as `plannedChanges` does */
export async function embedAccepted(
  suggestion_id: string,
  acceptance: Acceptance,
  { store, caller: { owner }, embed }: Preparation,
): Promise<Embedded> {
  const id = toId(suggestion_id);
  const suggestion = id === null ? null : await store.suggestions.find(owner, id);
  if (suggestion === null) return null;
  const find = async (memory: string) => (await store.memories.find(owner, memory))?.memory ?? null;
  const memories = await concernedBy(suggestion, find);
  const content = memories === null ? null : newContent(plannedChanges(suggestion, memories, acceptance));
  return content === null ? null : { content, vector: await embed(content, "passage") };
}

export interface Accepted {
  readonly suggestion: Suggestion;
  readonly changes: readonly Change[];
  readonly after: readonly AfterCommit[];
}

/** @throws Refusal 1400, 2101, 2104, 2108 or 2110 */
export async function acceptOne(
  transaction: Transaction,
  suggestion_id: string,
  { acceptance, embedded }: { readonly acceptance: Acceptance; readonly embedded: Embedded },
  application: ProjectApplication,
): Promise<Accepted> {
  const { owner } = application.caller;
  const suggestion = await takeOut(transaction, owner, suggestion_id);
  const memories = await concernedBy(suggestion, (id) => transaction.memories.find(owner, id));
  if (memories === null) throw noSuggestion();
  if (isOutdated(suggestion, memories)) throw changedSince(memories);
  const plan = plannedChanges(suggestion, memories, acceptance);
  const content = newContent(plan);
  if (content !== (embedded?.content ?? null)) throw changedMeanwhile;
  const changes = await perform(transaction, plan, embedded?.vector ?? null, application);
  const isDeleted = plan.some(({ change }) => change === "deleted");
  const after: readonly AfterCommit[] = isDeleted
    ? [{ effect: "remove_cached_vectors", project: ownerId(owner) }]
    : [];
  return { suggestion, changes, after };
}

/** The suggestion, which no longer waits. @throws Refusal 2110 */
export async function takeOut(
  { suggestions }: Transaction,
  owner: Owner,
  suggestion_id: string,
): Promise<Suggestion> {
  const id = toId(suggestion_id);
  const suggestion = id === null ? null : await suggestions.find(owner, id);
  if (suggestion === null) throw noSuggestion();
  await suggestions.remove(owner, suggestion.id);
  return suggestion;
}

async function perform(
  transaction: Transaction,
  plan: readonly PlannedChange[],
  vector: Float32Array | null,
  application: ProjectApplication,
): Promise<readonly Change[]> {
  const {
    caller: { owner },
    now,
  } = application;
  const changes: Change[] = [];
  let newer: string | null = null;
  for (const planned of plan) {
    if (planned.change === "created") {
      if (vector === null) throw changedMeanwhile;
      const { after } = planned;
      const memory = { ...after, contentKey: contentKey(after.content), vector };
      const { data } = await storeNew(transaction, memory, application);
      newer = data.id;
      changes.push({
        change: "created",
        id: data.id,
        before: null,
        after: toChangeable(after),
        updated_at: data.updated_at,
      });
      continue;
    }
    const { before } = planned;
    const { id } = before;
    if (planned.change === "deleted") {
      await transaction.memories.remove(owner, id, now);
      // Without the content: the record of a deletion must not store the deleted text.
      const { type: memory_type, importance } = before;
      changes.push({ change: "deleted", id, before: { memory_type, importance }, after: null });
      continue;
    }
    const supersededBy = planned.isReplaced
      ? (planned.after.supersededBy ?? newer)
      : planned.after.supersededBy;
    const memory = { ...planned.after, supersededBy, updatedAt: changedAt(before, now) };
    const given = memory.content === before.content ? null : vector;
    await storeChange(transaction, { before, memory, vector: given }, application);
    const updated_at = toTimestamp(memory.updatedAt);
    changes.push({ change: "changed", id, ...toDifference(before, memory), updated_at });
  }
  return changes;
}

function changedSince(memories: readonly Memory[]): Refusal {
  const updated_at = toTimestamp(Math.max(...memories.map(({ updatedAt }) => updatedAt)));
  return new Refusal(
    2108,
    `A memory of this suggestion was changed meanwhile, at ${updated_at}. Refuse the suggestion, and change the memory itself if that is still wanted.`,
    { updated_at },
  );
}

const changedMeanwhile = unavailable(
  "The memory was changed while the call was prepared. Send the call again.",
);

// Owns the decision about an extracted item: it becomes a new memory, updates a similar active memory, or is skipped. The thresholds are those
// of the API contract. An item updates only memories that have all tags of its call. The decision is made inside the transaction, because other
// calls may have changed memories before it.

import type { MadeMemory } from "../../../audit/parts/made-of.ts";
import { wordsInRow } from "../../../memory/extraction/content-similarity.ts";
import type { ExtractedItem } from "../../../memory/extraction/extractor.ts";
import { contentKey, type Memory } from "../../../memory/memory.ts";
import { joinOrigins, unknownOrigin } from "../../../memory/origin.ts";
import { differenceOf } from "../../../memory/suggestions/difference.ts";
import { joinTags } from "../../../memory/tags.ts";
import { readValues } from "../../../memory/values.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import type { Transaction } from "../../storage/store.ts";
import { changedAt } from "../memories/change.ts";
import { makeRoom, requireRoom } from "../memories/create.ts";
import { type Replacing, replaceOlder } from "../memories/replace.ts";
import { type FoundPair, suggestPairs } from "../suggestions/found.ts";
import {
  type Candidate,
  ComparisonSet,
  type Match,
  type Storing,
  skipAboveSimilarity,
  updateAboveSimilarity,
} from "./comparison-set.ts";

export const actions = ["created", "updated", "skipped"] as const;

export interface Outcome {
  /** The item as extracted; after an update with the importance and expiry of the memory. */
  readonly item: ExtractedItem;
  readonly action: (typeof actions)[number];
  /** The memory that holds the content now. */
  readonly memoryId: string;
  readonly memoryType: Memory["type"];
  /** Of the memory now. */
  readonly tags: readonly string[];
  readonly match: { readonly id: string; readonly similarity: number } | null;
  /** The memory that has the text which the updated memory had before, and what that text was made of; null: none. */
  readonly former: { readonly memory: Memory; readonly madeOf: Omit<MadeMemory, "memory"> | null } | null;
}

export interface Stored extends Replacing<Outcome> {
  readonly after: readonly AfterCommit[];
}

/**
 * Stores the items in their order. `revision` is the one that the first search before the transaction returned; null: only equal texts
 * count as duplicates.
 * @throws Refusal 2101 when the plan does not allow all of them.
 */
export async function storeItems(
  transaction: Transaction,
  candidates: readonly Candidate[],
  revision: number | null,
  storing: Storing,
): Promise<Stored> {
  const { owner } = storing.caller;
  const changed = revision === null ? [] : await transaction.memories.changedSince(owner, revision);
  const comparisonSet = new ComparisonSet(transaction, storing, changed);
  const outcomes: Outcome[] = [];
  const pairs: FoundPair[] = [];
  const after: AfterCommit[] = [];
  for (const [at, candidate] of candidates.entries()) {
    if (candidate.passage === true) {
      outcomes.push(await storePassage(transaction, candidate, storing, after));
      continue;
    }
    const match = revision === null ? null : await comparisonSet.closest(candidate);
    const outcome = await storeItem(transaction, candidate, match, storing);
    if (outcome.action !== "skipped") comparisonSet.add(outcome.memoryId, at);
    outcomes.push(outcome);
    pairs.push(...pairsOf(outcome, candidate));
  }
  const replacing = await replaceOlder(transaction, outcomes, storing);
  const found = await suggestPairs(transaction, pairs, storing);
  return { ...replacing, suggestions: [...new Set([...replacing.suggestions, ...found])], after };
}

async function storeItem(
  transaction: Transaction,
  candidate: Candidate,
  match: Match | null,
  storing: Storing,
): Promise<Outcome> {
  const { memories } = transaction;
  const { caller, now } = storing;
  const { vector, contentKey: key, found: _, similarItems: __, nearMatches: _l, ...item } = candidate;
  const action = chooseAction(match);
  const shown = match === null ? null : { id: match.memory.id, similarity: match.similarity };
  const skip = async (same: { readonly id: string; readonly similarity: number }): Promise<Outcome> => {
    const tags = await addToKnown(transaction, same.id, item, storing);
    return {
      item,
      action: "skipped",
      memoryId: same.id,
      memoryType: item.type,
      tags,
      match: same,
      former: null,
    };
  };
  if (action === "skipped" && shown !== null) return skip(shown);
  const known = action === "updated" ? match?.memory : undefined;
  const claim = { exceptId: known?.id ?? null, fromInactive: true };
  const holder = await memories.claimContent(caller.owner, key, now, claim);
  if (holder !== null) return skip({ id: holder, similarity: 1 });
  if (known === undefined) {
    const { id, type, tags } = await insertItem(transaction, candidate, storing);
    return { item, action: "created", memoryId: id, memoryType: type, tags, match: null, former: null };
  }
  const memory = rewrite(known, item, now);
  const vectorBefore = await memories.vectorOf(caller.owner, known.id);
  await memories.update(caller.owner, { memory, contentKey: key, vector });
  const former = saysAllOf(memory, known)
    ? null
    : await keepPrevious(transaction, known, vectorBefore, storing);
  const { id, type, importance, expiresAt, tags } = memory;
  const stored = { ...item, importance, expiresAt };
  return { item: stored, action: "updated", memoryId: id, memoryType: type, tags, match: shown, former };
}

/** An updated memory and its previous text, or a new memory and those that it looks like. */
function pairsOf({ action, memoryId, item, former }: Outcome, { nearMatches = [] }: Candidate): FoundPair[] {
  if (former !== null) {
    const { id, content } = former.memory;
    return [{ memories: [id, memoryId], kind: differenceOf(content, item.content) ?? "near_duplicate" }];
  }
  if (action !== "created") return [];
  return nearMatches.map(({ id, kind }) => ({ memories: [id, memoryId], kind }));
}

/**
 * What is said again is the same passage, from one place more.
 * @param after what is left to do after the commit, once for all passages of the call
 */
async function storePassage(
  transaction: Transaction,
  candidate: Candidate,
  storing: Storing,
  after: AfterCommit[],
): Promise<Outcome> {
  const { memories } = transaction;
  const { caller, plan, now } = storing;
  const { vector: _, contentKey: key, found: __, similarItems: ___, nearMatches: _l, ...item } = candidate;
  const holder = await memories.claimContent(caller.owner, key, now, { fromInactive: true });
  const known = holder === null ? null : await memories.find(caller.owner, holder);
  if (known === null) {
    const room = await makeRoom(transaction, caller.project, plan, 1, now);
    if (room.passages === 0) throw noRoomForPassages;
    if (after.length === 0) after.push(...room.after);
    const { id, type, tags } = await insertItem(transaction, candidate, storing);
    return { item, action: "created", memoryId: id, memoryType: type, tags, match: null, former: null };
  }
  const origins = joinOrigins(known.origins, item.origin ?? null);
  const expiresAt = laterExpiry(known.expiresAt, item.expiresAt);
  const tags = joinTags(known.tags, storing.tags) ?? known.tags;
  const memory = { ...known, origins, expiresAt, tags, updatedAt: changedAt(known, now) };
  await memories.update(caller.owner, { memory, contentKey: null, vector: null });
  const match = { id: known.id, similarity: 1 };
  const { id, type } = known;
  return { item, action: "skipped", memoryId: id, memoryType: type, tags, match, former: null };
}

const noRoomForPassages = new Refusal(
  2101,
  "The plan of the project does not include passages of conversations. Use the detail essential, or ask the operator for a larger plan.",
);

/** Null: never. */
function laterExpiry(one: number | null, other: number | null): number | null {
  return one === null || other === null ? null : Math.max(one, other);
}

async function insertItem(
  transaction: Transaction,
  {
    content,
    type,
    passage = false,
    importance,
    expiresAt,
    origin,
    lead = null,
    contentKey: key,
    vector,
  }: Candidate,
  { caller: { project, owner }, plan, now, tags, metadata = null }: Storing,
): Promise<Memory> {
  if (!passage) await requireRoom(transaction, project, plan);
  const said = { lead, origins: origin ? [origin] : [] };
  const about = { content, type, passage, importance, expiresAt, tags, metadata, ...said };
  return await transaction.memories.insert(owner, { ...about, contentKey: key, vector }, now);
}

/**
 * Two texts that are similar may both be true, so the previous one stays as a memory of its own.
 * @throws Refusal 2101
 */
async function keepPrevious(
  transaction: Transaction,
  { id: previousOf, content, origins: said, updatedAt, ...known }: Memory,
  vector: Float32Array,
  { caller: { project, owner }, plan, now }: Storing,
): Promise<NonNullable<Outcome["former"]>> {
  await requireRoom(transaction, project, plan);
  const { type, lead } = known;
  const origins = said.length > 0 ? said : [{ ...unknownOrigin, saidAt: updatedAt }];
  const about = { content, type, ...readValues({}, known), lead, origins, previousOf };
  const { memories } = transaction;
  const madeOf = await memories.madeOf(owner, previousOf);
  const memory = await memories.insert(owner, { ...about, contentKey: contentKey(content), vector }, now);
  return { memory, madeOf };
}

/**
 * A memory that already has the content of an item gets the tags of the call, so that a filter finds it. Not a rule
 * without tags: it applies to the whole project, and tags would restrict it. What a second person says in the same words is said by both.
 * @returns the tags of the memory now
 */
async function addToKnown(
  { memories }: Transaction,
  id: string,
  { origin = null }: ExtractedItem,
  { caller: { owner }, now, tags: added }: Storing,
): Promise<readonly string[]> {
  const known = await memories.find(owner, id);
  if (known === null) throw new Error("a memory disappeared within a transaction");
  const isForAll = known.type === "rule" && known.tags.length === 0;
  const tags = isForAll ? known.tags : (joinTags(known.tags, added) ?? known.tags);
  const isNewSpeaker =
    origin !== null && known.origins.length > 0 && !known.origins.some(({ name }) => name === origin.name);
  if (!isNewSpeaker && tags.length === known.tags.length) return tags;
  const origins = isNewSpeaker ? joinOrigins(known.origins, origin) : known.origins;
  const memory = { ...known, tags, origins, updatedAt: changedAt(known, now) };
  await memories.update(owner, { memory, contentKey: null, vector: null });
  return tags;
}

/** Whether nothing is lost without the previous memory: the new one has its words in a row, and nobody else has said them. */
function saysAllOf(memory: Memory, former: Memory): boolean {
  const isSameSpeaker = former.origins.every(({ name }) => memory.origins.some((each) => each.name === name));
  return isSameSpeaker && wordsInRow(memory.content).includes(wordsInRow(former.content));
}

function chooseAction(match: Match | null): Outcome["action"] {
  if (match === null || match.similarity <= updateAboveSimilarity) return "created";
  return match.similarity > skipAboveSimilarity ? "skipped" : "updated";
}

/** The content of the item, and its expiry if it has one. Type and importance stay: a person may have set them. */
function rewrite(known: Memory, { content, expiresAt, origin, lead }: ExtractedItem, now: number): Memory {
  const text = { content, origins: origin ? [origin] : [], lead: lead ?? null };
  return { ...known, ...text, expiresAt: expiresAt ?? known.expiresAt, updatedAt: changedAt(known, now) };
}

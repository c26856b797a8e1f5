// Owns the erasure of a conversation: which memories and records hold its words, and their erasure in a transaction. What was also said elsewhere
// stays with its other origins.

import { createTextIndex } from "../../../audit/trace/text-index.ts";
import { withContents } from "../../../audit/trace/trace-texts.ts";
import { emptyTrace, type TracedRecord, type TracedRecords } from "../../../audit/trace/traced.ts";
import type { Memory } from "../../../memory/memory.ts";
import { leadOf } from "../../../memory/origin.ts";
import { type Conversation, type Owner, ownerId } from "../../../memory/owner.ts";
import { wordsOf } from "../../../memory/suggestions/suggestion.ts";
import { unavailable } from "../../../platform/errors.ts";
import type { Application } from "../../contract/application.ts";
import type { Preparation } from "../../contract/operation.ts";
import type { AfterCommit } from "../../storage/after-commit.ts";
import type { Store, Transaction } from "../../storage/store.ts";
import { notErasable } from "../ledger/erased.ts";
import { changedAt } from "../memories/change.ts";
import { recordErasure } from "../subjects/erasure.ts";

/** A memory that was also said elsewhere, as it is without the conversation. */
interface Changed {
  readonly memory: Memory;
  /** Of the text that is embedded now; null: it stays. */
  readonly vector: Float32Array | null;
}

/** Plain data: it travels to the thread that writes. */
export interface ConversationHoldings {
  readonly owner: Owner;
  readonly conversation: Conversation;
  /** Ids of memories that have no other origin. */
  readonly removed: readonly string[];
  readonly changed: readonly Changed[];
  readonly found: TracedRecords;
}

interface FindTools extends Pick<Preparation, "now" | "signal"> {
  readonly store: Pick<Store, "conversations" | "audit">;
  /** Null: there is no model, so embeddings stay as they are. */
  readonly embed: Preparation["embed"] | null;
}

/** Reads the payloads of all calls for the owner twice, so it may take minutes. */
export async function findHoldings(
  { store, embed, now, signal }: FindTools,
  owner: Owner,
  conversation: Conversation,
): Promise<ConversationHoldings> {
  const { id, name } = conversation;
  const memories = await store.conversations.madeOf(owner, conversation, signal);
  const { removed, shared } = divide(memories, name);
  const within = { ...owner, conversation: id, name, shared: shared.map((memory) => memory.id) };
  const ids = removed.map((memory) => memory.id);
  const contents = removed.map(({ content }) => content);
  const trace = withContents({ ...emptyTrace, memories: ids, within }, owner.project, contents);
  const changed: Changed[] = [];
  for (const known of shared) {
    const memory = without(known, name, now);
    const isSame = memory.lead === known.lead || embed === null;
    const vector = isSame ? null : await embed(`${memory.lead ?? ""}${memory.content}`, "passage");
    changed.push({ memory, vector });
  }
  return { owner, conversation, removed: ids, changed, found: await store.audit.trace(trace) };
}

function divide(memories: readonly Memory[], name: string): Record<"removed" | "shared", readonly Memory[]> {
  const isShared = ({ origins }: Memory) => origins.some(({ conversation }) => conversation !== name);
  return {
    removed: memories.filter((memory) => !isShared(memory)),
    shared: memories.filter(isShared),
  };
}

/** The words before a passage were said in the conversation, so they go, too. */
function without(memory: Memory, name: string, now: number): Memory {
  const origins = memory.origins.filter(({ conversation }) => conversation !== name);
  const lead = memory.lead === null ? null : leadOf(origins[0]?.name ?? null);
  return { ...memory, origins, lead, updatedAt: changedAt(memory, now) };
}

/**
 * The records that hold something of the conversation, also those that were appended after `findHoldings`.
 * @param naming those that name it
 */
export async function heldRecords(
  { audit }: Transaction,
  { found }: ConversationHoldings,
  naming: readonly TracedRecord[],
): Promise<readonly TracedRecord[]> {
  const traced = [...found.records, ...(await audit.traceAfter(found))];
  const all = [...naming, ...traced].filter(({ action }) => !notErasable.includes(action));
  return [...Map.groupBy(all, ({ id }) => id).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const isWhole = same.some(({ parts }) => parts === null);
    const parts = [...new Set(same.flatMap((each) => each.parts ?? []))].sort((one, other) => one - other);
    return { ...first, parts: isWhole ? null : parts };
  });
}

/** @returns what the answer says, and what is left to do after the commit. @throws Refusal 1503 if its memories have changed meanwhile */
export async function eraseConversationIn(
  transaction: Transaction,
  holdings: ConversationHoldings,
  application: Pick<Application, "now" | "sender">,
) {
  const { owner, conversation, removed, changed } = holdings;
  const { memories, conversations, checks } = transaction;
  const { now } = application;
  requireSame(holdings, divide(await conversations.madeOf(owner, conversation), conversation.name));
  const naming = await conversations.held(conversation);
  const held = await heldRecords(transaction, holdings, naming);
  let expecting = 0;
  for (const id of removed) {
    await memories.remove(owner, id, now);
    expecting += await checks.removeExpecting(id);
  }
  for (const { memory, vector } of changed)
    await memories.update(owner, { memory, contentKey: null, vector });
  await removeSuggestions(transaction, holdings, naming);
  await conversations.forget(owner, conversation);
  const { id } = conversation;
  const erased = { project: { id: owner.project }, id, pseudonyms: [id], memories: removed.length, held };
  const { erasure, after } = await recordErasure(transaction, erased, application);
  const counts = { memories: removed.length, changed: changed.length, checks: expecting };
  const cached: AfterCommit = { effect: "remove_cached_vectors", project: ownerId(owner) };
  return { erasure: { ...counts, ...erasure }, after: [...after, cached] };
}

/** Those of the owner that quote the conversation, or repeat what is removed. Those about a removed memory are gone with it. */
async function removeSuggestions(
  { suggestions }: Transaction,
  { owner, found }: ConversationHoldings,
  naming: readonly TracedRecord[],
): Promise<void> {
  const waiting = await suggestions.listOf(owner);
  if (waiting.length === 0) return;
  const records = new Set(naming.map(({ id }) => id));
  const { repeats } = createTextIndex(found.trace.texts);
  for (const suggestion of waiting) {
    const words = wordsOf(suggestion);
    const isOfIt = words.length > 0 && (records.has(suggestion.record) || repeats(JSON.stringify(words)));
    if (isOfIt) await suggestions.remove(owner, suggestion.id);
  }
}

function requireSame({ removed, changed }: ConversationHoldings, now: ReturnType<typeof divide>): void {
  const isSame = (ids: readonly string[], memories: readonly Memory[]) => {
    const found = new Set(ids);
    return ids.length === memories.length && memories.every(({ id }) => found.has(id));
  };
  const others = changed.map(({ memory }) => memory.id);
  if (isSame(removed, now.removed) && isSame(others, now.shared)) return;
  throw unavailable("The conversation was continued while this call was performed. Send the call again.");
}

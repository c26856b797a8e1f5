// Owns whether the answer of an exchange is put in the queue of those to remember, and what the record says about it. Must never read or keep a
// text.

import type { Caller } from "../../../access/caller.ts";
import { waitingMaxPerProject } from "../../../memory/remembering/limits.ts";
import type { NewTask } from "../../../memory/remembering/task.ts";
import type { RememberQueue } from "../../storage/remember-store.ts";

/** What is known when an exchange has ended. */
export interface RememberedExchange {
  readonly caller: Caller;
  /** Id that the record of the exchange will have. */
  readonly recordId: string;
  /** Whether request, key or configuration ask for it. */
  readonly isWanted: boolean;
  /** Whether the client gets a complete answer, and the record has it. */
  readonly isComplete: boolean;
  /** Whether a chat page has sent the request for itself. */
  readonly isConversationTask: boolean;
  /** Tags that the memories get: those that memories must have to be put into requests. */
  readonly tags: readonly string[];
  readonly now: number;
}

/** `remembering` of the record of an exchange; absent: nobody asked for it. */
export type RememberingState =
  | "queued"
  | "queue full"
  | "not complete"
  | "conversation task"
  | "not permitted"
  | "failed";

export interface Remembering {
  /** Null: nobody asked for it. */
  readonly state: RememberingState | null;
  /** What is put in the queue; null: nothing. */
  readonly task: NewTask | null;
}

/**
 * Decides before the record is made, because the record says it. Exchanges of one project that end at the same moment can exceed the limit of the
 * queue by their number. Never throws.
 */
export async function chooseRemembering(
  queue: Pick<RememberQueue, "count">,
  exchange: RememberedExchange,
): Promise<Remembering> {
  const state = exchange.isWanted ? await stateOf(queue, exchange) : null;
  if (state !== "queued") return { state, task: null };
  const { caller, recordId, tags, now } = exchange;
  const { key, project, owner } = caller;
  const { subject } = owner;
  const task = { record: recordId, keyId: key.id, project: project.id, subject, tags, createdAt: now };
  return { state, task };
}

async function stateOf(
  queue: Pick<RememberQueue, "count">,
  { caller: { key, project }, isComplete, isConversationTask }: RememberedExchange,
): Promise<RememberingState> {
  if (!isComplete) return "not complete";
  if (isConversationTask) return "conversation task";
  if (!key.permissions.includes("memory.write")) return "not permitted";
  const waiting = await queue.count(project).catch(() => null);
  if (waiting === null) return "failed";
  return waiting < waitingMaxPerProject ? "queued" : "queue full";
}

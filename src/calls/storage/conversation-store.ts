// Owns the interface that conversations need from a storage engine.

import type { Project } from "../../access/project.ts";
import type { TracedRecord } from "../../audit/trace/traced.ts";
import type { Memory } from "../../memory/memory.ts";
import type { Conversation, Owner, Subject } from "../../memory/owner.ts";

/** A conversation in which words of memories were said. Times in milliseconds since 1970; where nobody says it, those of the memories. */
export interface ConversationSummary {
  readonly name: string;
  readonly firstAt: number;
  readonly lastAt: number;
  /** Number of its passages, and of the memories that were extracted from it. */
  readonly passages: number;
  readonly kept: number;
}

export interface PageQuery {
  /** `next` of the page before; null: the first page. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface ConversationPage {
  /** Those of which something was said last first. */
  readonly conversations: readonly ConversationSummary[];
  /** Opaque; null: the last page. */
  readonly next: string | null;
}

export interface ConversationContents {
  readonly summary: ConversationSummary;
  /** In the order in which they were said. */
  readonly passages: readonly Memory[];
  /** As of ConversationPage, of the passages. */
  readonly next: string | null;
  /** The first ones, in the same order. */
  readonly kept: readonly Memory[];
}

export interface NeighbourQuery {
  /** Ids. */
  readonly passages: readonly string[];
  /** Whether passages of the project itself are among them, too, if the owner is a subject. */
  readonly withProject: boolean;
  readonly now: number;
}

/** What was said next to a passage in its first conversation. Null: nothing, or nothing that is active and unexpired. */
export interface Neighbours {
  readonly before: Memory | null;
  readonly after: Memory | null;
}

export interface ConversationReader {
  /** Null: no call has named it since it was erased last. Waits for no turn, as `findById`. */
  find(owner: Owner, name: string): Promise<Conversation | null>;
  /** By its pseudonym. Null: the project has no such conversation, or it was erased. */
  findById(
    project: Pick<Project, "id">,
    id: string,
  ): Promise<{ readonly conversation: Conversation; readonly subject: Subject | null } | null>;
  /** Null: the cursor is not one of this list. */
  list(owner: Owner, query: PageQuery, signal: AbortSignal): Promise<ConversationPage | null>;
  /** "absent": no memory has words of it. Null: as `list`. @param keptMax of the kept memories */
  read(
    owner: Owner,
    name: string,
    query: PageQuery & { readonly keptMax: number },
    signal: AbortSignal,
  ): Promise<ConversationContents | "absent" | null>;
  /** Of each passage, in their order. */
  neighbours(owner: Owner, query: NeighbourQuery, signal: AbortSignal): Promise<readonly Neighbours[]>;
  /** As ConversationTransaction. */
  madeOf(owner: Owner, conversation: Conversation, signal: AbortSignal): Promise<readonly Memory[]>;
}

export interface ConversationTransaction {
  /** As SubjectTransaction.open. The subject has its pseudonym already. */
  open(owner: Owner, conversation: Conversation): Promise<boolean>;
  /** The memories whose words were said in it, and those that its records have made and nobody has given another origin since. */
  madeOf(owner: Owner, conversation: Conversation): Promise<readonly Memory[]>;
  /** The records that name it, with the parts that are about it. */
  held(conversation: Conversation): Promise<readonly TracedRecord[]>;
  /** Removes the name, and what a bulk delete has hidden of it. The memories that `madeOf` returns are left to the caller. */
  forget(owner: Owner, conversation: Conversation): Promise<void>;
}

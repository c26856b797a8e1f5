// Owns the interface that suggestions need from a storage engine.

import type { Project } from "../../access/project.ts";
import type { Owner } from "../../memory/owner.ts";
import type { NewSuggestion, Suggestion, SuggestionKind } from "../../memory/suggestions/suggestion.ts";

export interface SuggestionQuery {
  /** Null: all kinds. */
  readonly kind: SuggestionKind | null;
  /** Id of a memory that it concerns; null: whichever. */
  readonly memory: string | null;
  /** Id of the last one of the page before; null: the first page. */
  readonly after: string | null;
  readonly limit: number;
}

/** Two memories of which an open suggestion says that they may contradict each other. */
export type LinkedMemories = readonly [id: string, other: string];

/** A suggestion about a memory that was deleted does not exist any more. All methods wait for no turn: an owner has few suggestions. */
export interface SuggestionReader {
  find(owner: Owner, id: string): Promise<Suggestion | null>;
  /** Newest first. */
  list(owner: Owner, query: SuggestionQuery): Promise<readonly Suggestion[]>;
  /** Of the owner, and if it is a subject of its project, too: the possible contradictions between these memories. */
  linksBetween(owner: Owner, memories: readonly string[]): Promise<readonly LinkedMemories[]>;
}

export interface SuggestionTransaction extends Pick<SuggestionReader, "find"> {
  /** Those that concern a memory. */
  about(owner: Owner, memory: string): Promise<readonly Suggestion[]>;
  /** How many were found, or were proposed by keys. @param key only those of this one; null: those of all keys */
  count(owner: Owner, which: "proposed" | "found", key: string | null): Promise<number>;
  /** The memories are those of the owner, found in the same transaction. */
  insert(owner: Owner, suggestion: NewSuggestion, now: number): Promise<Suggestion>;
  /** @returns whether the owner had it */
  remove(owner: Owner, id: string): Promise<boolean>;
  /** Of those that were found. */
  removeOldestFound(owner: Owner, count: number): Promise<void>;
  listOf(owner: Owner): Promise<readonly Suggestion[]>;
  /** Those of the project and all of its subjects. */
  listAll(project: Pick<Project, "id">): Promise<readonly Suggestion[]>;
  /** Of whichever owner. @returns how many were removed */
  removeById(id: string): Promise<number>;
  /** Those that the call of this record has made, of whichever owner. @returns their number */
  removeOfRecord(record: string): Promise<number>;
  /** Of the project and all of its subjects. */
  removeAll(project: Pick<Project, "id">): Promise<void>;
}

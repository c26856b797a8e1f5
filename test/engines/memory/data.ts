// Holds one database of the test engine: its rows, and whose turn it is. Knows no rule of a domain.

import type { AdministrationKey } from "../../../src/access/administration-key.ts";
import type { Key } from "../../../src/access/key.ts";
import type { Project } from "../../../src/access/project.ts";
import type { Session, SignInLink } from "../../../src/access/session.ts";
import type { HashedRecord } from "../../../src/audit/chain.ts";
import type { ListedCheckpoint } from "../../../src/audit/checkpoint.ts";
import type { Export } from "../../../src/audit/export/export.ts";
import type { RecordLocation } from "../../../src/audit/trace/traced.ts";
import type { StoredParts } from "../../../src/audit/verify/part-lines.ts";
import type { ModelBinding, ModelChange } from "../../../src/calls/storage/model-change-store.ts";
import type { Memory } from "../../../src/memory/memory.ts";
import type { Check } from "../../../src/memory/search/check.ts";
import type { Suggestion } from "../../../src/memory/suggestions/suggestion.ts";
import { createIdSource, type IdSource } from "../../../src/platform/ids.ts";
import type { TaskRow } from "./remembering.ts";
import { createJournal, type Journal, Table } from "./tables.ts";

export interface ProjectRow {
  readonly project: Project;
  readonly isDeleted: boolean;
}

/** `name` null: it was erased. */
export interface SubjectRow {
  readonly id: string;
  readonly name: string | null;
  readonly project: string;
}

/** A person has no memories. */
export type PersonRow = SubjectRow;

/** `subject` null: a conversation of the project itself. */
export interface ConversationRow extends SubjectRow {
  readonly subject: string | null;
}

export interface KeyRow {
  readonly key: Key;
  readonly project: string;
  /** SHA-256 of the secret, hexadecimal. */
  readonly digest: string;
}

export interface AdministrationKeyRow {
  readonly key: AdministrationKey;
  readonly digest: string;
}

export interface SessionRow {
  readonly session: Session;
  readonly digest: string;
}

export interface LinkRow {
  readonly link: SignInLink;
  readonly digest: string;
}

export interface SuggestionRow {
  readonly suggestion: Suggestion;
  readonly project: string;
}

export interface CheckRow {
  readonly check: Check;
  readonly project: string;
}

export interface MemoryRow {
  readonly memory: Memory;
  readonly project: string;
  /** Hexadecimal; null when an expired memory has lost its content to a successor. */
  readonly contentKey: string | null;
  readonly vector: Float32Array;
  /** Of the next model, while a change is in progress; null: missing. */
  readonly nextVector: Float32Array | null;
  readonly revision: number;
  /** The revision of its content. */
  readonly version: number;
  /** The revision with which it was created. */
  readonly created: number;
}

/** With the head of its records. */
export interface ChainRow {
  readonly chain: string;
  readonly project: string | null;
  readonly seq: number;
  readonly hash: string;
  readonly at: number;
}

export interface RecordRow extends HashedRecord, RecordLocation {
  /** Over all chains. */
  readonly number: number;
  readonly chain: string;
  readonly status: number;
  readonly keyId: string | null;
  readonly memoryId: string | null;
  readonly payload: StoredParts | null;
}

interface CheckpointRow extends ListedCheckpoint {
  readonly number: number;
  readonly chain: string;
}

export interface Settings {
  readonly model: ModelBinding | null;
  readonly previousModels: readonly string[];
  readonly modelChange: ModelChange | null;
  readonly verifierKey: string | null;
}

export const noSettings: Settings = { model: null, previousModels: [], modelChange: null, verifierKey: null };

export interface Data {
  readonly journal: Journal;
  readonly createId: IdSource;
  readonly projects: Table<string, ProjectRow>;
  readonly subjects: Table<string, SubjectRow>;
  readonly persons: Table<string, PersonRow>;
  readonly conversations: Table<string, ConversationRow>;
  readonly keys: Table<string, KeyRow>;
  readonly administrationKeys: Table<string, AdministrationKeyRow>;
  readonly sessions: Table<string, SessionRow>;
  readonly links: Table<string, LinkRow>;
  readonly memories: Table<string, MemoryRow>;
  readonly checks: Table<string, CheckRow>;
  readonly suggestions: Table<string, SuggestionRow>;
  /** By project. */
  readonly chains: Table<string | null, ChainRow>;
  readonly records: Table<number, RecordRow>;
  readonly checkpoints: Table<number, CheckpointRow>;
  readonly exports: Table<string, Export & { readonly project: string }>;
  /** Answers to remember, by the id of their record. */
  readonly tasks: Table<string, TaskRow>;
  readonly settings: Table<"all", Settings>;
  /** Strictly increasing; gaps mean nothing. */
  next(): number;
  /** Runs one piece of work at a time, so nobody sees a transaction that is not committed. */
  inTurn<Result>(work: () => Result | Promise<Result>): Promise<Result>;
}

export function createData(): Data {
  const journal = createJournal();
  let last = 0;
  let turn: Promise<unknown> = Promise.resolve();
  return {
    journal,
    createId: createIdSource(),
    projects: new Table(journal),
    subjects: new Table(journal),
    persons: new Table(journal),
    conversations: new Table(journal),
    keys: new Table(journal),
    administrationKeys: new Table(journal),
    sessions: new Table(journal),
    links: new Table(journal),
    memories: new Table(journal),
    checks: new Table(journal),
    suggestions: new Table(journal),
    chains: new Table(journal),
    records: new Table(journal),
    checkpoints: new Table(journal),
    exports: new Table(journal),
    tasks: new Table(journal),
    settings: new Table(journal),
    next() {
      last += 1;
      return last;
    },
    inTurn(work) {
      const result = turn.then(work);
      turn = result.catch(() => undefined);
      return result;
    },
  };
}

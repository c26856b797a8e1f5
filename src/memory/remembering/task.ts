// Owns what is left to remember of an answer of the gateway, and when an extraction is tried again. Must never contain a text: the texts are
// in the payload of the record, so whatever removes them there has removed them everywhere.

import type { Conversation, Subject } from "../owner.ts";
import { attemptsMax } from "./limits.ts";

/** An answer to remember, before its place in the queue. */
export interface NewTask {
  /** Id of the record of the answer. Each record is remembered once. */
  readonly record: string;
  readonly keyId: string;
  /** Id of the project. */
  readonly project: string;
  /** Pseudonym of the subject of the call; null: the project itself. */
  readonly subject: string | null;
  /** Tags of the memories; canonical. */
  readonly tags: readonly string[];
  readonly createdAt: number;
}

export interface RememberTask extends Omit<NewTask, "subject"> {
  readonly subject: Subject | null;
  /** That the call named; null: none. */
  readonly conversation: Conversation | null;
  /** Name of the operation whose record it is. */
  readonly action: string;
  /** Number of the next part of the texts, from 0 on. */
  readonly part: number;
  /** Attempts of this part that were begun, also by servers that were killed. */
  readonly attempts: number;
}

/** Which part of a task a call extracts. Plain data: it travels with the call, and its record says it. */
export interface RememberedPart {
  readonly record: string;
  /** From 0 on. */
  readonly part: number;
  readonly parts: number;
  /** From 1 on. */
  readonly attempt: number;
  /** Characters behind the last part that are not extracted. */
  readonly leftOutCharacters: number;
  /** Indices of the parts of the record's payload that have the words; empty: the record is of version 1. */
  readonly sources: Readonly<Record<"user" | "assistant", readonly number[]>>;
}

/** What a call leaves of its task: it is tried again, its next part is due, or it is removed. */
export type Remainder = "again" | "next part" | "nothing";

/** @param outcome what the record of the call says */
export function remainderOf(
  { part, parts, attempt }: RememberedPart,
  outcome: { readonly status: number; readonly code: number | null },
): Remainder {
  if (mayBeRetried(outcome)) return attempt < attemptsMax ? "again" : "nothing";
  // Without a permission, without credits or at its limit, the next part would be refused, too.
  return outcome.status < 400 && part + 1 < parts ? "next part" : "nothing";
}

/** Failures that may pass: too many calls, and those of the server, of the disk and of a language model. */
export function mayBeRetried({ status }: { readonly status: number }): boolean {
  return status === 429 || status >= 500;
}

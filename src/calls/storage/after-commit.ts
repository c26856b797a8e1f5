// Owns the closed set of effects that a call can leave for after its commit. An operation names them in its result; the engine performs
// them and must never conclude from an operation's name what is left to do. Plain data: it travels between threads.

import type { Answer } from "../contract/answer.ts";

/** An engine performs no effect of a transaction that was rolled back. */
export type AfterCommit =
  /** Store when the key was last used. May happen a second later, and be lost in a crash. */
  | { readonly effect: "touch_key"; readonly keyId: string; readonly at: number }
  /** The same of the session with this id. */
  | { readonly effect: "touch_session"; readonly session: string; readonly at: number }
  /** Store when memories of the project with this id were last read. May happen a second later, and be lost in a crash. */
  | {
      readonly effect: "touch_memories";
      readonly project: string;
      readonly memories: readonly string[];
      readonly at: number;
    }
  /** Delete the memories that a bulk delete has hidden, in small steps between other calls. Survives a crash: the next start continues. */
  | { readonly effect: "purge_memories" }
  /** Start to work on an export that the call has begun. Survives a crash: the next start continues. */
  | { readonly effect: "start_export" }
  /**
   * Remove erased text from everything that the database keeps beside its rows: logs, free pages, search indexes. Done before the
   * answer; when it fails, the call is answered with 1503, although its transaction is committed.
   */
  | { readonly effect: "remove_erased_text" }
  /**
   * Remove the vectors of deleted memories from everything that the engine keeps beside its rows, such as files of search indexes. Done
   * before the answer; fails as `remove_erased_text` does. `project`: its id; null: all projects, and also after a power loss.
   */
  | { readonly effect: "remove_cached_vectors"; readonly project: string | null }
  /** Continue a change of the embedding model that the call has begun, or stop the one that it has cancelled. Survives a crash. */
  | { readonly effect: "continue_model_change" }
  /** Remember an answer of the gateway that the call has put in the queue. Survives a crash: the next start continues. */
  | { readonly effect: "remember_answer" }
  /** Delete vectors that no search uses, in small steps between other calls. Survives a crash: the next start continues. */
  | { readonly effect: "remove_unused_vectors" }
  /** Remove the files of expired exports. Done before the answer; fails as `remove_erased_text` does. */
  | { readonly effect: "remove_expired_exports" };

/** A call whose transaction is committed. */
export interface AnsweredCall extends SettledCall {
  readonly answer: Answer;
}

/** A call in a transaction that is not committed yet. */
export interface SettledCall {
  /** Given to the caller after the commit; null: the answer that was precomputed. */
  readonly answer: Answer | null;
  /** What the engine does after the commit. */
  readonly after: readonly AfterCommit[];
}

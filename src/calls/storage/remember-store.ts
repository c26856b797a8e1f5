// Owns the interface that remembering needs from a storage engine.

import type { Project } from "../../access/project.ts";
import type { NewTask, Remainder, RememberedPart, RememberTask } from "../../memory/remembering/task.ts";

/** Tasks wait until the transaction of their outcome removes them, so a killed server neither loses one nor performs one twice. */
export interface RememberQueue {
  /** How many tasks of the project wait. */
  count(project: Pick<Project, "id">): Promise<number>;
  /**
   * The next task of the first project after this one, in a fixed order of projects; null: no later project has one. `after` null: the first
   * project. Tasks of a project with fewer attempts are first, then the oldest.
   */
  nextAfter(project: string | null): Promise<RememberTask | null>;
  /** Counts an attempt. @returns false when the task was removed, or has another part now. @throws when it cannot be written */
  begin(task: Pick<RememberTask, "record" | "part">): Promise<boolean>;
  /** Removes a task without an outcome. @throws when it cannot be written */
  remove(record: string): Promise<void>;
}

export interface RememberTransaction {
  /** Requires the record in the same transaction. The caller requests `remember_answer` after the commit. */
  add(task: NewTask): Promise<void>;
  /** Whether this part is still to be extracted: the texts were not erased meanwhile, and no other call has extracted it. */
  isDue(part: Pick<RememberedPart, "record" | "part">): Promise<boolean>;
  settle(part: Pick<RememberedPart, "record">, remainder: Remainder): Promise<void>;
  removeAll(project: Pick<Project, "id">): Promise<void>;
}

/** A change of the queue outside a call. */
export type QueueChange =
  | { readonly begin: Pick<RememberTask, "record" | "part"> }
  | { readonly remove: string };

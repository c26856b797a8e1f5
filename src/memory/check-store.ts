// Owns the interface that checks need from a storage engine.

import type { Project } from "../access/project.ts";
import type { Check } from "./check.ts";

export interface CheckReader {
  /** All checks of the project, oldest first. Waits for no turn: there are few. */
  list(project: Project): Promise<readonly Check[]>;
}

export interface CheckTransaction extends CheckReader {
  count(project: Project): Promise<number>;
  /** @returns the check with its new id */
  insert(project: Project, check: Omit<Check, "id">): Promise<Check>;
  /** @returns whether the project had the check */
  remove(project: Project, id: string): Promise<boolean>;
  /** Removes every check of any project that expects this memory. @returns their number */
  removeExpecting(memoryId: string): Promise<number>;
  removeAll(project: Project): Promise<void>;
}

// Owns the interface that checks need from a storage engine.

import type { Project } from "../../access/project.ts";
import type { Owner } from "../../memory/owner.ts";
import type { Check } from "../../memory/search/check.ts";

export interface CheckReader {
  /** All checks of the owner, oldest first. Waits for no turn: there are few. */
  list(owner: Owner): Promise<readonly Check[]>;
}

export interface CheckTransaction extends CheckReader {
  count(owner: Owner): Promise<number>;
  /** @returns the check with its new id */
  insert(owner: Owner, check: Omit<Check, "id">): Promise<Check>;
  /** Those of the project and all of its subjects. */
  listAll(project: Pick<Project, "id">): Promise<readonly Check[]>;
  /** Of whichever owner. @returns how many were removed */
  removeById(id: string): Promise<number>;
  /** @returns whether the owner had the check */
  remove(owner: Owner, id: string): Promise<boolean>;
  /** Removes every check of any owner that expects this memory. @returns their number */
  removeExpecting(memoryId: string): Promise<number>;
  /** Of the project and all of its subjects. */
  removeAll(project: Pick<Project, "id">): Promise<void>;
}

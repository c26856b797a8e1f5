// Owns the interface that subjects need from a storage engine.

import type { Project } from "../access/project.ts";
import type { Owner, Subject } from "./owner.ts";

export interface SubjectReader {
  /** Null: no call has named the subject since it was erased last. Waits for no turn: it takes microseconds. */
  find(project: Pick<Project, "id">, name: string): Promise<Subject | null>;
  /** The project itself, and all of its subjects. */
  owners(project: Pick<Project, "id">): Promise<readonly Owner[]>;
}

export interface SubjectTransaction {
  /**
   * Whether the name has this pseudonym; if the name has none, it gets this one. False: another call has given it another one meanwhile, or
   * the subject was erased.
   */
  open(project: Pick<Project, "id">, subject: Subject): Promise<boolean>;
}

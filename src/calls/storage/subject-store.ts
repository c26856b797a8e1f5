// Owns the interface that subjects need from a storage engine.

import type { Project } from "../../access/project.ts";
import type { RecordsAbout, TracedRecord } from "../../audit/trace/traced.ts";
import type { Owner, Person, Subject } from "../../memory/owner.ts";

/** How much there is of a subject. */
export interface SubjectHoldings {
  readonly memories: number;
  readonly checks: number;
  /** Of calls for it. */
  readonly records: number;
}

export interface ListedSubject {
  readonly id: string;
  readonly name: string;
  readonly memories: number;
}

export interface SubjectReader {
  /** Null: no call has named the subject since it was erased last. Waits for no turn: it takes microseconds. */
  find(project: Pick<Project, "id">, name: string): Promise<Subject | null>;
  /** The person of this name, for whom a client has said that it acts. Null: no record names it. As `find`. */
  findPerson(project: Pick<Project, "id">, name: string): Promise<Person | null>;
  /** The records of which an erasure of the subject erases something. `signal` works as in MemoryReader. */
  recordsAbout(owner: Owner, subject: Subject, signal: AbortSignal): Promise<RecordsAbout>;
  /** By its pseudonym, which may be that of a person. Null: the project has no such subject, or it was erased. As `find`. */
  findById(project: Pick<Project, "id">, id: string): Promise<Subject | null>;
  /** The project itself, and all of its subjects. */
  owners(project: Pick<Project, "id">): Promise<readonly Owner[]>;
  /**
   * In the order of the bytes of their names. @param after id of a subject; null: the first one
   * @returns null: there is no subject `after`
   */
  list(
    project: Pick<Project, "id">,
    after: string | null,
    limit: number,
  ): Promise<readonly ListedSubject[] | null>;
}

export interface ErasedSubject extends SubjectHoldings {
  readonly held: readonly TracedRecord[];
  /** That have lost their names: of the subject, of its conversations, and of the person with its name. */
  readonly pseudonyms: readonly string[];
}

export interface SubjectTransaction {
  /**
   * Whether the name has this pseudonym; if the name has none, it gets this one. False: another call has given it another one meanwhile, or
   * the subject was erased. Of a person it only says whether the name still has the pseudonym.
   */
  open(project: Pick<Project, "id">, subject: Subject): Promise<boolean>;
  /** Gives the name this pseudonym if it has none. @returns the person with the pseudonym that it has */
  openPerson(project: Pick<Project, "id">, person: Person): Promise<Person>;
  holdings(subject: Subject): Promise<SubjectHoldings>;
  /**
   * Also erases the person with the same name. Deletes memories, checks, what waits to be remembered, and the name. The caller erases the payloads of the records that it returns, and
   * requests `remove_erased_text` after the commit. `known`: SubjectReader.recordsAbout; null: it was not asked.
   */
  erase(subject: Subject, now: number, known: RecordsAbout | null): Promise<ErasedSubject>;
}

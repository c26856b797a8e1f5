// Owns whose memories a call reads and writes: those of a subject, or the project's own.

import { Type } from "@sinclair/typebox";

/** A person, an agent or a thread of an application, whose memories are separate from those of all others. */
export interface Subject {
  /** Its pseudonym, 32 hexadecimal characters, by which records name it. Erasing the subject ends what leads from the name to it. */
  readonly id: string;
  /** As the application calls it. */
  readonly name: string;
}

/** For whom a client says that it acts, which nobody has checked. A subject with the same name is another pseudonym. */
export type Person = Subject;

/** A conversation of a project or of one of its subjects. */
export interface Conversation {
  /** As of Subject. */
  readonly id: string;
  /** As the client calls it. */
  readonly name: string;
}

/** Memories are compared, counted and listed within one owner only. */
export interface Owner {
  /** Id of the project. */
  readonly project: string;
  /** Pseudonym of the subject; null: the project itself. */
  readonly subject: string | null;
}

/** The id under which the memories of an owner are stored. */
export function ownerId({ project, subject }: Owner): string {
  return subject ?? project;
}

/** Of searches and injections for a subject. */
export const includeProject = Type.Optional(
  Type.Boolean({
    default: true,
    description:
      "Whether the memories of the project itself are included in a call for a subject. Without a subject it means nothing.",
  }),
);

// Owns the type Caller: the key of a call, its project, whose memories it is for, and which conversation it names.

import type { Conversation, Owner, Subject } from "../memory/owner.ts";
import type { Key } from "./key.ts";
import { isOfMachineUser } from "./machine-user.ts";
import type { Project } from "./project.ts";
import type { Token } from "./token.ts";

/** A key and the project that it belongs to. */
export interface KeyOwner {
  readonly key: Key;
  /** The keys of a deleted project are revoked. A call with such a key is still recorded in the chain of the project. */
  readonly isProjectDeleted: boolean;
  readonly project: Project;
  /** With which the key is used; absent: with its own secret, or with none. */
  readonly token?: Token;
}

export interface Caller extends KeyOwner {
  /** Whom the call is for; null: the project itself. */
  readonly subject: Subject | null;
  /** The project, and the subject if there is one. */
  readonly owner: Owner;
  /** Whether the memories of the project are the caller's own, too: the subject is the user of this machine. */
  readonly ownsProject: boolean;
  /** The conversation of this owner that the call names; null: none. */
  readonly conversation: Conversation | null;
}

/** Whose memories a call may change. */
export function ownersOf({ owner, ownsProject }: Pick<Caller, "owner" | "ownsProject">): readonly Owner[] {
  return ownsProject ? [owner, { ...owner, subject: null }] : [owner];
}

/** Makes a call be for a subject; null: for the project itself. */
export function callerFor(
  known: KeyOwner,
  subject: Subject | null,
  conversation: Conversation | null = null,
): Caller {
  const owner = { project: known.project.id, subject: subject?.id ?? null };
  const ownsProject = subject !== null && isOfMachineUser(known.key, subject.name);
  return { ...known, subject, owner, ownsProject, conversation };
}

/** The key as a token of it can be used: for its subject only, with no more than its permissions. */
export function callerWithToken(
  known: KeyOwner,
  token: Token,
  subject: Subject,
  conversation: Conversation | null = null,
): Caller {
  const { key } = known;
  const permissions = key.permissions.filter((each) => token.permissions.includes(each));
  return callerFor(
    { ...known, key: { ...key, permissions, subject: subject.name }, token },
    subject,
    conversation,
  );
}

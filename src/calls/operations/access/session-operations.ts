// Owns the sessions of the console: sign in, sign out, list and revoke, and the links by which administrators sign in. Secrets are only in
// the answers to session.link and session.open, and in no record.

import { type Static, Type } from "@sinclair/typebox";
import { unauthenticated } from "../../../access/authorise.ts";
import type { Caller } from "../../../access/caller.ts";
import { digestSecret, permissions } from "../../../access/key.ts";
import { openLinksMax, openSessionsMax, sessionLifeMs, signInLinkLifeMs } from "../../../access/limits.ts";
import {
  createLinkSecret,
  createSessionSecret,
  type KnownSession,
  linkFault,
  sessionFault,
} from "../../../access/session.ts";
import { Refusal } from "../../../platform/errors.ts";
import { Choice, Fields, Id, Nullable, Timestamp } from "../../../platform/schema/schema.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";
import { installationOperation, sessionOperation } from "../../contract/operation.ts";
import type { Transaction } from "../../storage/store.ts";
import { toSignedIn } from "./signed-in.ts";

const kinds = ["administrator", "key"] as const;

const signedIn = {
  id: Type.String({ description: "Id of the session." }),
  kind: Choice(kinds, { description: "Whether the person is an administrator, or uses a key." }),
  created_at: Timestamp({ description: "When the person signed in." }),
  expires_at: Timestamp({ description: "When the session ends at the latest." }),
  os_user: Nullable(Type.String({ description: "The user of the machine who asked for the sign-in link." })),
  key: Nullable(
    Fields({
      id: Type.String(),
      name: Type.String(),
      permissions: Type.Array(Choice(permissions, { description: "An allowed kind of operations." })),
    }),
  ),
  project: Nullable(Fields({ id: Type.String(), name: Type.String() })),
};

const sessionView = {
  id: Type.String({ description: "Id of the session." }),
  kind: Choice(kinds, { description: "Whether the person is an administrator, or uses a key." }),
  project_id: Nullable(Type.String({ description: "Project of the key; null: an administrator." })),
  project_name: Nullable(Type.String({ description: "Name of this project." })),
  key_id: Nullable(Type.String({ description: "The key; null: an administrator." })),
  key_name: Nullable(Type.String({ description: "Name of the key." })),
  os_user: Nullable(
    Type.String({ description: "The user of the machine who asked for the sign-in link; null: not known." }),
  ),
  ip_address: Nullable(Type.String({ description: "Where the person signed in; null: not known." })),
  user_agent: Nullable(Type.String({ description: "The browser, as it names itself." })),
  created_at: Timestamp({ description: "When the person signed in." }),
  expires_at: Timestamp({ description: "When the session ends at the latest." }),
  last_used_at: Nullable(
    Timestamp({ description: "When the session was last used, accurate to the minute; null: never." }),
  ),
};

export type SessionView = Static<ReturnType<typeof Fields<typeof sessionView>>>;

export const createSignInLink = installationOperation({
  name: "session.link",
  summary: "Create a sign-in link",
  description:
    "Creates a secret with which one person can sign in to the console as an administrator, once, within ten minutes.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  secret: true,
  success: 201,
  input: Fields({}),
  output: Fields({
    id: Type.String(),
    secret: Type.String({ description: "The secret. It is not shown again." }),
    expires_at: Timestamp({ description: "When the link can no longer be used." }),
  }),

  async apply(transaction, _input, { now, origin }) {
    const { access } = transaction;
    const open = (await access.listSignInLinks()).filter((link) => linkFault(link, now) === null);
    for (const { id } of surplus(open, openLinksMax)) await access.removeSignInLink(id);
    const secret = createLinkSecret();
    const administrator = origin.administrator ?? { osUid: null, osUser: null, sudoUser: null };
    const secretDigest = digestSecret(secret);
    const expiresAt = now + signInLinkLifeMs;
    const { id } = await access.insertSignInLink({ secretDigest, administrator, expiresAt }, now);
    return {
      data: { id, secret, expires_at: toTimestamp(expiresAt) },
      details: { sign_in_link: id },
    };
  },
});

export const openSession = sessionOperation({
  name: "session.open",
  summary: "Sign in to the console",
  description: "Opens a session with a sign-in link, as an administrator, or with an API key.",
  effects: { readOnly: false, destructive: false, idempotent: false },
  secret: true,
  success: 201,
  input: Fields({}),
  output: Fields({
    ...signedIn,
    secret: Type.String({ description: "The secret of the session. It is not shown again." }),
  }),

  async apply(transaction, _input, { now, origin, caller, link, session: current }) {
    if (current !== null)
      throw new Refusal(1400, "A session cannot open another one. Sign in with a link or a key.");
    if (link === null && caller === null)
      throw unauthenticated("The sign-in link was removed. Ask for a new one.");
    if (link !== null) {
      const fault = linkFault(link, now);
      if (fault !== null) throw fault;
      await transaction.access.useSignInLink(link.id, now);
    }
    const keyId = caller?.key.id ?? null;
    const open = await openSessions(transaction, now);
    const own = open.filter(({ session }) => session.keyId === keyId).map(({ session }) => session);
    for (const { id } of surplus(own, openSessionsMax)) await transaction.access.removeSession(id);
    const secret = createSessionSecret();
    const session = await transaction.access.insertSession(
      {
        secretDigest: digestSecret(secret),
        keyId,
        administrator: link?.administrator ?? null,
        ip: origin.ip,
        userAgent: origin.userAgent,
        expiresAt: now + sessionLifeMs,
      },
      now,
    );
    const details = { session_id: session.id, sign_in_link: link?.id ?? null };
    return { data: { ...toSignedIn({ session, caller }), secret }, details };
  },
});

export const closeSession = sessionOperation({
  name: "session.close",
  summary: "Sign out of the console",
  description: "Ends the session in which it is called.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  success: 204,
  input: Fields({}),
  output: null,

  async apply(transaction, _input, { session }) {
    if (session === null)
      throw unauthenticated("There is no session to close. Sign in to the console first.");
    await transaction.access.removeSession(session.id);
    return { data: null };
  },
});

export const listSessions = installationOperation({
  name: "session.list",
  summary: "List sessions of the console",
  description: "Lists the people who are signed in to the console.",
  effects: { readOnly: true, destructive: false, idempotent: true },
  input: Fields({}),
  output: Type.Array(Fields(sessionView)),

  async apply(transaction, _input, { now }) {
    return { data: (await openSessions(transaction, now)).map(toSessionView) };
  },
});

export const revokeSessions = installationOperation({
  name: "session.revoke",
  summary: "Revoke sessions of the console",
  description: "Ends one session of the console, or all of them. Revoking a session again changes nothing.",
  effects: { readOnly: false, destructive: true, idempotent: true },
  input: Fields({
    session: Type.Optional(Id({ description: "Id of the session." })),
    all: Type.Optional(Type.Literal(true, { description: "Whether all sessions are ended." })),
  }),
  output: Fields({
    revoked: Type.Array(Type.String(), { description: "Ids of the sessions that were open." }),
  }),

  async apply(transaction, { session: id, all }, { now }) {
    if ((id === undefined) === (all === undefined)) {
      throw new Refusal(1400, "Give the id of one session, or all. List the sessions for their ids.");
    }
    const open = (await openSessions(transaction, now)).map(({ session }) => session);
    const chosen = all === true ? open : open.filter((session) => session.id === id);
    for (const session of chosen) await transaction.access.removeSession(session.id);
    return { data: { revoked: chosen.map((session) => session.id) } };
  },
});

/** The oldest first. */
async function openSessions({ access }: Transaction, now: number): Promise<KnownSession[]> {
  return (await access.listSessions()).filter((known) => sessionFault(known, now) === null);
}

/** The oldest of those that are too many when one is added. */
function surplus<Item>(open: readonly Item[], maximum: number): readonly Item[] {
  return open.slice(0, Math.max(0, open.length + 1 - maximum));
}

/** Without a secret. @param caller the key of the session; null: an administrator */
function toSessionView({ session, caller }: KnownSession): SessionView {
  const { id, administrator, ip, userAgent, createdAt, expiresAt, lastUsedAt } = session;
  return {
    id,
    kind: caller === null ? "administrator" : "key",
    ...ownerOf(caller),
    os_user: administrator?.osUser ?? null,
    ip_address: ip,
    user_agent: userAgent,
    created_at: toTimestamp(createdAt),
    expires_at: toTimestamp(expiresAt),
    last_used_at: lastUsedAt === null ? null : toTimestamp(lastUsedAt),
  };
}

function ownerOf(
  caller: Caller | null,
): Pick<SessionView, "project_id" | "project_name" | "key_id" | "key_name"> {
  if (caller === null) return { project_id: null, project_name: null, key_id: null, key_name: null };
  const { key, project } = caller;
  return { project_id: project.id, project_name: project.name, key_id: key.id, key_name: key.name };
}

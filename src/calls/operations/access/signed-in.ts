// Owns the view of the own session, as a page of the console gets it. Must never contain the secret of the session.

import type { Permission } from "../../../access/key.ts";
import type { KnownSession } from "../../../access/session.ts";
import { toTimestamp } from "../../../platform/time/timestamp.ts";

/** Who is signed in. */
export interface SignedIn {
  /** Id of the session. */
  readonly id: string;
  readonly kind: "administrator" | "key";
  /** RFC 3339, UTC. */
  readonly created_at: string;
  /** When the session ends at the latest, however much it is used. */
  readonly expires_at: string;
  /** The user of the machine who asked for the sign-in link; null: not known, or the session of a key. */
  readonly os_user: string | null;
  /** The key that the person signed in with; null: an administrator, who has all permissions in all projects. */
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly permissions: Permission[];
  } | null;
  /** The project of the key; null: an administrator. */
  readonly project: { readonly id: string; readonly name: string } | null;
}

export function toSignedIn({ session, caller }: KnownSession): SignedIn {
  const { id, createdAt, expiresAt, administrator } = session;
  return {
    id,
    kind: caller === null ? "administrator" : "key",
    created_at: toTimestamp(createdAt),
    expires_at: toTimestamp(expiresAt),
    os_user: administrator?.osUser ?? null,
    key:
      caller === null
        ? null
        : { id: caller.key.id, name: caller.key.name, permissions: [...caller.key.permissions] },
    project: caller === null ? null : { id: caller.project.id, name: caller.project.name },
  };
}

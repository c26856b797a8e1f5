// Owns who can open which view and change what, as far as the console knows it: the server decides. Must never show data.

import { type Address, addresses, type Need, type ViewName } from "./addresses.ts";
import type { SessionDetail } from "./api/session-calls.ts";
import { session } from "./session.ts";

/** Whether the session can open a view. @param signedIn null: nobody is signed in */
export function canOpen(view: ViewName, signedIn: SessionDetail | null): boolean {
  const { needs, permission }: Address = addresses[view];
  return allows[needs](signedIn) && (permission === undefined || has(signedIn, permission));
}

/** Whether the session may perform calls of a project that need the permission. Administrators may all. */
export function isAllowed(permission: string): boolean {
  return has(session.value ?? null, permission);
}

function has(signedIn: SessionDetail | null, permission: string): boolean {
  return signedIn?.kind === "administrator" || signedIn?.key?.permissions.includes(permission) === true;
}

const allows: Readonly<Record<Need, (signedIn: SessionDetail | null) => boolean>> = {
  nothing: () => true,
  session: (signedIn) => signedIn !== null,
  project: (signedIn) => signedIn !== null,
  administrator: (signedIn) => signedIn?.kind === "administrator",
};

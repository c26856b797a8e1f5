// Owns the type Actor: who performs a call, as far as the credentials tell.

import type { AdministrationKey } from "../../access/administration-key.ts";
import { keyFault } from "../../access/authorise.ts";
import type { Caller } from "../../access/caller.ts";
import type { Session, SignInLink } from "../../access/session.ts";
import type { Refusal } from "../../platform/errors.ts";

export interface Actor {
  /** Whether it is administration on the machine of the server, which may perform every operation of the installation. */
  readonly isAdministration: boolean;
  /** Whose key it is, valid or not; null: administration, or a key that is missing or unknown. */
  readonly caller: Caller | null;
  /** The administration key that the call presents, valid or not; null: none. */
  readonly administrationKey: AdministrationKey | null;
  /** The session in which the call was sent; null: none. */
  readonly session: Session | null;
  /** The sign-in link that the call presents; null: none. */
  readonly link: SignInLink | null;
  /** Why the credentials are not valid; null: they are. */
  readonly invalid: Refusal | null;
  /** Id of the project whose console's key must be created before the call can be performed; absent: none. */
  readonly lacksKeyOf?: string;
}

export const anonymous: Actor = {
  isAdministration: false,
  caller: null,
  administrationKey: null,
  session: null,
  link: null,
  invalid: null,
};

export const administration: Actor = { ...anonymous, isAdministration: true };

export function actorOfKey(caller: Caller, now: number): Actor {
  return { ...anonymous, caller, invalid: keyFault(caller, now) };
}

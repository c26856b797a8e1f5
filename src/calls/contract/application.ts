// Owns what `apply` of an operation may use besides its transaction. Must never contain what is known only outside of it.

import type { Caller } from "../../access/caller.ts";
import type { Plan, Plans } from "../../access/plan.ts";
import type { Session, SignInLink } from "../../access/session.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import type { Origin } from "./call.ts";

/** What `apply` may use besides its transaction. `now` does not change during the call. */
export interface Application {
  readonly now: number;
  readonly plans: Plans;
  /** Where the call comes from, as recorded. */
  readonly origin: Pick<Origin, "ip" | "userAgent" | "administrator" | "administrationKey" | "remembers">;
  /** Id of the record of the call, of an operation that `namesItsRecord`; absent: it is made with the record. */
  readonly recordId?: string;
  /** Who has sent the call, and why, as its record says it: for other records that the call leaves. */
  readonly sender: () => JsonObject;
}

/** What `apply` of an operation of a session may use, as found inside the transaction. */
export interface SessionApplication extends Application {
  /** The key with which the person signs in or is signed in; null: an administrator. */
  readonly caller: Caller | null;
  /** The session in which the call was sent; null: none. */
  readonly session: Session | null;
  /** The sign-in link that authorises the call; null: none. */
  readonly link: SignInLink | null;
}

/** `caller` and `plan` are as found inside the transaction, not as they were when the call arrived. */
export interface ProjectApplication extends Application {
  readonly caller: Caller;
  readonly plan: Plan;
}

// Owns the subject of the user of this machine: the passages that programs of this machine store are its own, and are read only for it. What
// these programs keep is the project's.

import type { Subject } from "../memory/owner.ts";
import { isLocalKey, type Key } from "./key.ts";

/** One data directory has one user: the one who owns its files. So the name is not that of an account, which a restore may change. */
export const machineUser = "local:user";

/** Whether a call with the key is of the user of this machine, and names nobody else. @param name null: it names nobody */
export function isOfMachineUser(key: Pick<Key, "name">, name: Subject["name"] | null): boolean {
  return isLocalKey(key) && (name === null || name === machineUser);
}

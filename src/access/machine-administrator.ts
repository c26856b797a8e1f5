// Owns which user of the machine this process reports to the ledger. Must never look up a name in the system.

import type { Administrator } from "./administrator.ts";

/**
 * Of this process. The names come from variables, which the user can set; only the number is a fact. The names of users are not looked
 * up: depending on the system, a lookup connects to other programs or to a network.
 */
export function administratorOf({
  USER,
  SUDO_USER,
}: Readonly<Record<string, string | undefined>>): Administrator {
  return { osUid: process.getuid?.() ?? null, osUser: USER ?? null, sudoUser: SUDO_USER ?? null };
}

// Owns which records are those of people who browse in the console: successful reads with a key that administrators act with there.

import { consoleKeyName } from "../../../access/key.ts";
import type { HiddenReads } from "../../storage/ledger-store.ts";
import type { Store } from "../../storage/store.ts";

/**
 * Operations of a project that change nothing, except those that take the data out, which nobody should overlook. test/audit/list.test.ts
 * compares the list with the operations themselves.
 */
export const readActions: readonly string[] = [
  "audit.checkpoint_list",
  "audit.consistency",
  "audit.export_list",
  "audit.export_manifest",
  "audit.export_status",
  "audit.list",
  "audit.read",
  "audit.statistics",
  "audit.verify",
  "check.list",
  "check.run",
  "conversation.list",
  "conversation.read",
  "memory.history",
  "memory.inject",
  "memory.list",
  "memory.read",
  "memory.search",
  "memory.statistics",
  "memory.tags",
  "subject.list",
  "suggestion.list",
  "suggestion.read",
];

/** @param isWanted whether they are to be left out. @returns null: nothing is left out */
export async function consoleReads(
  { access }: Pick<Store, "access">,
  project: string,
  isWanted = false,
): Promise<HiddenReads | null> {
  if (!isWanted) return null;
  const callers = await access.findCallersNamed(project, consoleKeyName);
  return { keyIds: callers.map(({ key }) => key.id), actions: readActions };
}

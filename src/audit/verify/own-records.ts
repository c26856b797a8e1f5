// Owns which records are about operations that this server has performed, and which ones a client has appended. What decides is in the
// hashed entry, and `audit.append` cannot write it.

import type { Entry } from "./entry-parser.ts";

export const reservedActions = "^(memory|audit|key|project)\\.";
const reserved = new RegExp(reservedActions);

/** Whether clients cannot append records with this action. Other records of the server have the member `performed` instead. */
export function isReserved(action: string): boolean {
  return reserved.test(action);
}

/** Whether the server has performed the operation itself. Clients cannot append to the chain of the installation. */
export function isOwn({
  action,
  project,
  isPerformed,
}: Pick<Entry, "action" | "project" | "isPerformed">): boolean {
  return isPerformed || project === null || isReserved(action);
}

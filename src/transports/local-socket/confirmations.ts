// Owns what a server says on its local socket about those to whom it sends checkpoints. Must never answer a record.

import type { Json } from "../../platform/json/json.ts";
import { isObject, readJson } from "../../platform/json/json.ts";
import type { ShownConfirmation } from "../http/console/overview/state.ts";

export const confirmationsPath = "/confirmations";

export async function printConfirmations(read: () => Promise<Json>): Promise<Response> {
  return Response.json({ confirmations: await read() });
}

/** Null: it is the answer of a version without them. */
export function readConfirmations(text: string): readonly ShownConfirmation[] | null {
  const answer = readJson(text);
  if (!isObject(answer) || !Array.isArray(answer.confirmations)) return null;
  // The server of this version has written it.
  return answer.confirmations as unknown as readonly ShownConfirmation[];
}

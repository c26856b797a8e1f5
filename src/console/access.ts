// Owns who can open which view, as far as the console knows it: the server decides. Must never show data.

import { type Address, addresses, type Need, type ViewName } from "./addresses.ts";
import type { SessionDetail } from "./api/session-calls.ts";

/** Whether the session can open a view. @param session null: nobody is signed in */
export function canOpen(view: ViewName, session: SessionDetail | null): boolean {
  const { needs }: Address = addresses[view];
  return allows[needs](session);
}

const allows: Readonly<Record<Need, (session: SessionDetail | null) => boolean>> = {
  nobody: () => true,
  session: (session) => session !== null,
  project: (session) => session !== null,
  administrator: (session) => session?.kind === "administrator",
};

// Owns which sections of earlier messages are put in again: the same bytes, without memories that were erased, deleted or made inactive.

import type { ChatRequest, UserTurn } from "../../../gateway/dialects/dialect.ts";
import type { InjectedSection, PutMemory } from "../../../gateway/injected-sections.ts";
import type { Preparation } from "../../contract/operation.ts";

export interface EarlierSections {
  /** By UserTurn.at. A message that nothing is known of is not there. */
  readonly byTurn: ReadonlyMap<number, readonly PutMemory[]>;
  /** The message whose section is still to be found; null: it has one, or there is none. */
  readonly turn: UserTurn | null;
}

/**
 * A message that the user has just sent gets a new section. In a loop of tool calls, the message before it keeps the one that it got.
 * @param erasures AuditReader.erasures
 */
export async function findEarlier(
  { injectedSections, caller, store }: Pick<Preparation, "injectedSections" | "caller" | "store">,
  { userTurns, lastTurn }: Pick<ChatRequest, "userTurns" | "lastTurn">,
  erasures: string,
): Promise<EarlierSections> {
  const byTurn = new Map<number, readonly PutMemory[]>();
  const alive = new Map<string, Promise<boolean>>();
  /** A section for a subject has memories of the project, too. */
  const find = async (id: string) =>
    (await store.memories.find(caller.owner, id)) ??
    (await store.memories.find({ ...caller.owner, subject: null }, id));
  const isAlive = (id: string): Promise<boolean> => {
    const known = alive.get(id) ?? find(id).then((found) => found?.memory.active === true);
    alive.set(id, known);
    return known;
  };
  /** Whether no memory of the section was erased since. */
  const isWhole = async (turn: UserTurn, section: InjectedSection): Promise<boolean> => {
    if (section.erasures === erasures) return true;
    const place = await store.audit.place(section.injection);
    if (place?.isWhole !== true) return false;
    injectedSections.keep(caller, turn.digest, { ...section, erasures });
    return true;
  };
  const last = userTurns.at(-1) ?? null;
  for (const turn of userTurns) {
    if (turn === last && lastTurn === "user") continue;
    const section = injectedSections.find(caller, turn.digest);
    if (section === null || !(await isWhole(turn, section))) continue;
    const isKept = await Promise.all(section.memories.map(({ id }) => isAlive(id)));
    byTurn.set(
      turn.at,
      section.memories.filter((_, at) => isKept[at] === true),
    );
  }
  return { byTurn, turn: last === null || byTurn.has(last.at) ? null : last };
}

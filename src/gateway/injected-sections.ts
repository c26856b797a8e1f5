// Owns what was put into earlier messages of conversations, so that it is put there again in the next request: the client sends its history
// without it. In memory only. Must never give it to another key or subject, and never grow without a limit.

import type { Caller } from "../access/caller.ts";
import { ownerId } from "../memory/owner.ts";
import type { Dated } from "../memory/search/prompt.ts";
import type { JsonObject } from "../platform/json/json.ts";
import { injectedSectionsMaxCharacters, injectedSectionsMaxPerKey } from "./limits.ts";

/** A memory as it was put into a message. */
export interface PutMemory {
  readonly id: string;
  readonly memory: Dated;
  /** In the form of audit records. */
  readonly result: JsonObject;
}

export interface InjectedSection {
  /** Record of the injection: its payload is erased with the text of each of the memories. */
  readonly injection: string;
  /** AuditReader.erasures when the payload was last there. */
  readonly erasures: string;
  /** May be empty: nothing was put in. */
  readonly memories: readonly PutMemory[];
}

/** Whose conversations they are. */
type Reader = Pick<Caller, "key" | "owner">;

export interface InjectedSections {
  /** @param turn UserTurn.digest */
  find(caller: Reader, turn: string): InjectedSection | null;
  keep(caller: Reader, turn: string, section: InjectedSection): void;
}

export function createInjectedSections(): InjectedSections {
  /** By key and subject, the least recently used first, and so are the turns of each. */
  const readers = new Map<string, Map<string, InjectedSection>>();
  let characters = 0;
  const remove = (turns: Map<string, InjectedSection>, turn: string): void => {
    characters -= lengthOf(turns.get(turn));
    turns.delete(turn);
  };
  const use = (reader: string): Map<string, InjectedSection> => {
    const turns = readers.get(reader) ?? new Map<string, InjectedSection>();
    readers.delete(reader);
    readers.set(reader, turns);
    return turns;
  };
  const keep: InjectedSections["keep"] = (caller, turn, section) => {
    const turns = use(idOf(caller));
    remove(turns, turn);
    turns.set(turn, section);
    characters += lengthOf(section);
    const [oldestTurn] = turns.keys();
    if (turns.size > injectedSectionsMaxPerKey && oldestTurn !== undefined) remove(turns, oldestTurn);
    for (const [oldestReader, others] of readers) {
      for (const oldest of others.keys()) {
        if (characters <= injectedSectionsMaxCharacters) return;
        remove(others, oldest);
      }
      readers.delete(oldestReader);
    }
  };
  return {
    keep,
    find(caller, turn) {
      const section = readers.get(idOf(caller))?.get(turn) ?? null;
      if (section !== null) keep(caller, turn, section);
      return section;
    },
  };
}

function idOf({ key, owner }: Reader): string {
  return `${key.id} ${ownerId(owner)}`;
}

/** With what an entry takes besides its texts. */
function lengthOf(section: InjectedSection | undefined): number {
  if (section === undefined) return 0;
  return section.memories.reduce((sum, { memory }) => sum + 2 * memory.content.length + 500, 300);
}

// Owns what was put into earlier messages of conversations, so that it is put there again in the next request: the client sends its history
// without it. In memory only. Must never give it to another key, and never grow without a limit.

import type { JsonObject } from "../json/json.ts";
import type { Dated } from "../memory/prompt.ts";
import { keptSectionsMaxCharacters, keptSectionsMaxPerKey } from "./limits.ts";

/** A memory as it was put into a message. */
export interface PutMemory {
  readonly id: string;
  readonly memory: Dated;
  /** In the form of audit records. */
  readonly result: JsonObject;
}

export interface KeptSection {
  /** Record of the injection: its payload is erased with the text of each of the memories. */
  readonly injection: string;
  /** AuditReader.erasures when the payload was last there. */
  readonly erasures: number;
  /** May be empty: nothing was put in. */
  readonly memories: readonly PutMemory[];
}

export interface KeptSections {
  /** @param turn UserTurn.digest */
  find(keyId: string, turn: string): KeptSection | null;
  keep(keyId: string, turn: string, section: KeptSection): void;
}

export function createKeptSections(): KeptSections {
  /** By key, the least recently used first, and so are the turns of each. */
  const keys = new Map<string, Map<string, KeptSection>>();
  let characters = 0;
  const remove = (turns: Map<string, KeptSection>, turn: string): void => {
    characters -= lengthOf(turns.get(turn));
    turns.delete(turn);
  };
  const use = (keyId: string): Map<string, KeptSection> => {
    const turns = keys.get(keyId) ?? new Map<string, KeptSection>();
    keys.delete(keyId);
    keys.set(keyId, turns);
    return turns;
  };
  const keep: KeptSections["keep"] = (keyId, turn, section) => {
    const turns = use(keyId);
    remove(turns, turn);
    turns.set(turn, section);
    characters += lengthOf(section);
    const [oldestTurn] = turns.keys();
    if (turns.size > keptSectionsMaxPerKey && oldestTurn !== undefined) remove(turns, oldestTurn);
    for (const [oldestKey, others] of keys) {
      for (const oldest of others.keys()) {
        if (characters <= keptSectionsMaxCharacters) return;
        remove(others, oldest);
      }
      keys.delete(oldestKey);
    }
  };
  return {
    keep,
    find(keyId, turn) {
      const section = keys.get(keyId)?.get(turn) ?? null;
      if (section !== null) keep(keyId, turn, section);
      return section;
    },
  };
}

/** With what an entry takes besides its texts. */
function lengthOf(section: KeptSection | undefined): number {
  if (section === undefined) return 0;
  return section.memories.reduce((sum, { memory }) => sum + 2 * memory.content.length + 500, 300);
}

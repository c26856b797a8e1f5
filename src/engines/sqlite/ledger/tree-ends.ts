// Owns where the Merkle trees of chains end, as far as this process knows, and the records that it has appended since. They need not be
// read and hashed again, and a checkpoint states what was appended, whatever another process has written over it. Never reads a database.

import type { Frontier } from "../../../audit/tree.ts";

/** The end of a tree. */
export interface TreeEnd {
  readonly frontier: Frontier;
  /** The data of the leaves after it. */
  readonly appended: readonly Uint8Array[];
}

export interface TreeEnds {
  /** Undefined: the end is not known, or is not that of so many leaves. */
  find(chain: number, leaves: number): TreeEnd | undefined;
  /** @param newest the hash of the last record in the tree, or the one that its first record follows */
  keep(chain: number, frontier: Frontier, newest: string): void;
  /** This process has appended the record with the hash `hash` after the one with the hash `prev`. */
  follow(chain: number, prev: string, hash: string): void;
  discard(chain: number): void;
  /** A transaction was rolled back. */
  forget(): void;
}

interface KnownEnd {
  readonly frontier: Frontier;
  readonly appended: Uint8Array[];
  /** Of the last record. */
  newest: string;
}

const chainsMax = 10_000;
/** More than any chain has between two checkpoints. */
const appendedMax = 65_536;

export function createTreeEnds(): TreeEnds {
  const ends = new Map<number, KnownEnd>();
  return {
    find(chain, leaves) {
      const end = ends.get(chain);
      return end !== undefined && end.frontier.size + end.appended.length === leaves ? end : undefined;
    },
    keep(chain, frontier, newest) {
      if (!ends.has(chain) && ends.size >= chainsMax) ends.clear();
      ends.set(chain, { frontier, appended: [], newest });
    },
    follow(chain, prev, hash) {
      const end = ends.get(chain);
      if (end === undefined) return;
      if (end.newest !== prev || end.appended.length >= appendedMax) ends.delete(chain);
      else {
        end.appended.push(Uint8Array.fromHex(hash));
        end.newest = hash;
      }
    },
    discard: (chain) => void ends.delete(chain),
    forget: () => ends.clear(),
  };
}

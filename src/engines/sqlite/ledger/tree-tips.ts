// Owns where the Merkle trees of chains end, as far as this process knows, and the records that it has appended since. They need not be
// read and hashed again, and a checkpoint states what was appended, whatever another process has written over it. Never reads a database.

import type { Frontier } from "../../../audit/tree.ts";

/** The end of a tree. */
export interface TreeTip {
  readonly frontier: Frontier;
  /** The data of the leaves after it. */
  readonly appended: readonly Uint8Array[];
}

export interface TreeTips {
  /** Undefined: the end is not known, or is not that of so many leaves. */
  find(chain: number, leaves: number): TreeTip | undefined;
  /** @param newest the hash of the last record in the tree, or the one that its first record follows */
  keep(chain: number, frontier: Frontier, newest: string): void;
  /** This process has appended the record with the hash `hash` after the one with the hash `prev`. */
  follow(chain: number, prev: string, hash: string): void;
  discard(chain: number): void;
  /** A transaction was rolled back. */
  forget(): void;
}

interface KnownTip {
  readonly frontier: Frontier;
  readonly appended: Uint8Array[];
  /** Of the last record. */
  newest: string;
}

const chainsMax = 10_000;
/** More than any chain has between two checkpoints. */
const appendedMax = 65_536;

export function createTreeTips(): TreeTips {
  const tips = new Map<number, KnownTip>();
  return {
    find(chain, leaves) {
      const tip = tips.get(chain);
      return tip !== undefined && tip.frontier.size + tip.appended.length === leaves ? tip : undefined;
    },
    keep(chain, frontier, newest) {
      if (!tips.has(chain) && tips.size >= chainsMax) tips.clear();
      tips.set(chain, { frontier, appended: [], newest });
    },
    follow(chain, prev, hash) {
      const tip = tips.get(chain);
      if (tip === undefined) return;
      if (tip.newest !== prev || tip.appended.length >= appendedMax) tips.delete(chain);
      else {
        tip.appended.push(Uint8Array.fromHex(hash));
        tip.newest = hash;
      }
    },
    discard: (chain) => void tips.delete(chain),
    forget: () => tips.clear(),
  };
}

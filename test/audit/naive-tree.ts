// The Merkle tree as RFC 6962 defines it, with every leaf at hand. Must never share code with what it is compared with.

import { createHash } from "node:crypto";

export const sha256 = (...parts: Uint8Array[]) =>
  new Uint8Array(createHash("sha256").update(Buffer.concat(parts)).digest());

/** MTH of RFC 6962, section 2.1. */
export function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return sha256();
  if (leaves.length === 1) return sha256(Uint8Array.of(0), only);
  const middle = splitOf(leaves.length);
  return sha256(Uint8Array.of(1), naiveRoot(leaves.slice(0, middle)), naiveRoot(leaves.slice(middle)));
}

/** The largest power of two smaller than n. */
export function splitOf(count: number): number {
  return 2 ** (Math.ceil(Math.log2(count)) - 1);
}

/** PROOF of RFC 6962, section 2.1.2. */
export function naiveConsistency(from: number, leaves: readonly Uint8Array[], isWhole = true): Uint8Array[] {
  if (from === leaves.length) return isWhole ? [] : [naiveRoot(leaves)];
  const middle = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, middle), leaves.slice(middle)];
  return from <= middle
    ? [...naiveConsistency(from, left, isWhole), naiveRoot(right)]
    : [...naiveConsistency(from - middle, right, false), naiveRoot(left)];
}

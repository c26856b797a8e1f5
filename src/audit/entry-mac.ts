// Owns the MAC by which the holder of the signing key recognises the entries that it has written itself (format version 2).

import { hkdfSync } from "node:crypto";

/** The MAC (16 bytes) of the entry with this hash: 64 hexadecimal characters. */
export type EntryMac = (entryHash: string) => Uint8Array;

const macBytes = 16;
const knownMaxCount = 10_000;

/** Keeps the keys of the chains. */
export function createMacs({ macOf }: { macOf(chain: string): EntryMac }): (chain: string) => EntryMac {
  const known = new Map<string, EntryMac>();
  return (chain) => {
    const mac = known.get(chain) ?? macOf(chain);
    if (known.size >= knownMaxCount) known.clear();
    known.set(chain, mac);
    return mac;
  };
}

/**
 * HKDF-SHA-256 gives each chain a key of its own.
 * @param seed the 32 bytes of the Ed25519 private key
 * @param chain the identifier of the chain: 32 hexadecimal characters
 * @throws SyntaxError when the identifier, or later a hash, is not hexadecimal
 */
export function createEntryMac(seed: Uint8Array, chain: string): EntryMac {
  const key = new Uint8Array(hkdfSync("sha256", seed, Uint8Array.fromHex(chain), "memledger/mac/v2", 32));
  // A copy that has hashed the key costs a fourth of hashing it again.
  const keyed = new Bun.CryptoHasher("sha256", key);
  return (entryHash) => keyed.copy().update(Uint8Array.fromHex(entryHash)).digest().subarray(0, macBytes);
}

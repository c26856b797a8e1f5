// Owns the MAC by which the holder of the signing key recognises the entries that it has written itself (format version 2).

import { createHmac, hkdfSync } from "node:crypto";
import { fromHex } from "../text/byte-text.ts";

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
 */
export function createEntryMac(seed: Uint8Array, chain: string): EntryMac {
  const key = new Uint8Array(hkdfSync("sha256", seed, toBytes(chain), "memledger/mac/v2", 32));
  return (entryHash) => createHmac("sha256", key).update(toBytes(entryHash)).digest().subarray(0, macBytes);
}

/** @throws Error when the text is not hexadecimal */
function toBytes(hex: string): Uint8Array {
  const bytes = fromHex(hex);
  if (bytes === null) throw new Error(`${hex} is not hexadecimal`);
  return bytes;
}

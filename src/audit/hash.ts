// Owns the two functions that every hash of the ledger uses: the canonical text of a value, and SHA-256.

import canonicalize from "canonicalize";
import type { Json } from "../json/json.ts";

/** RFC 8785. @throws Error for values that I-JSON cannot express, such as a lone surrogate. */
export function canonical(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("a record holds a value that JSON cannot express");
  return text;
}

/** Bun resets it after each digest. */
const hasher = new Bun.CryptoHasher("sha256");

/** SHA-256 of the concatenated parts: 64 lower-case hexadecimal characters. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  for (const part of parts) hasher.update(part);
  return hasher.digest("hex");
}

// Owns the two functions that every hash of the ledger is made with: the canonical text of a value, and SHA-256.

import canonicalize from "canonicalize";
import type { Json } from "../json/json.ts";

/** RFC 8785. @throws Error for what I-JSON cannot express, such as a lone surrogate. */
export function canonical(value: Json): string {
  const text = canonicalize(value);
  if (text === undefined) throw new Error("a record holds a value that JSON cannot express");
  return text;
}

/** Ready for the next text after each digest. */
const hasher = new Bun.CryptoHasher("sha256");

/** Of the parts one after another: 64 lower-case hexadecimal characters. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  for (const part of parts) hasher.update(part);
  return hasher.digest("hex");
}

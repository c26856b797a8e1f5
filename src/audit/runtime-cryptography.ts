// Owns the cryptography of the server and the commands: SHA-256 of Bun, Ed25519 and ML-DSA-44 of node:crypto.

import { createPublicKey, verify } from "node:crypto";
import type { Cryptography } from "./verify/cryptography.ts";

/** An Ed25519 public key in DER (RFC 8410) is this prefix followed by 32 bytes. */
export const derPrefix = Buffer.from("302a300506032b6570032100", "hex");

/** The same of an ML-DSA-44 public key (RFC 9881). */
const mlDsa44Prefix = Buffer.from("30820532300b06096086480165030403110382052100", "hex");

export const runtimeCryptography: Cryptography = {
  createSha256() {
    // Bun resets it after each digest.
    const hasher = new Bun.CryptoHasher("sha256");
    const sha256 = {
      update(part: string | Uint8Array) {
        hasher.update(part);
        return sha256;
      },
      digest: () => hasher.digest("hex"),
    };
    return sha256;
  },
  hashInto(bytes, target) {
    Bun.CryptoHasher.hash("sha256", bytes, target);
  },
  isSignedBy(publicKey, signature, text) {
    const key = createPublicKey({
      key: Buffer.concat([derPrefix, publicKey]),
      format: "der",
      type: "spki",
    });
    return verify(null, Buffer.from(text), key, signature);
  },
  isSignedWithMlDsa44(publicKey, signature, message) {
    const key = createPublicKey({
      key: Buffer.concat([mlDsa44Prefix, publicKey]),
      format: "der",
      type: "spki",
    });
    return verify(null, message, key, signature);
  },
};

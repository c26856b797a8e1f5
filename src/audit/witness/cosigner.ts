// Owns the key of a witness, and signing with it. Must never expose the private key.

import { createPrivateKey, createPublicKey, sign } from "node:crypto";
import { derPrefix, runtimeCryptography } from "../runtime-cryptography.ts";
import { cosignatureLine, cosignedText } from "./cosignature.ts";
import { toVerifierKeyOf, type VerifierKey } from "./verifier-key.ts";

export interface Cosigner {
  readonly verifierKey: VerifierKey;
  /** @returns the signature line without its end */
  cosign(text: string, now: number): string;
}

/** @throws Error when the PEM is not an Ed25519 private key */
export function createCosigner(name: string, privateKeyPem: string): Cosigner {
  const privateKey = createPrivateKey(privateKeyPem);
  if (privateKey.asymmetricKeyType !== "ed25519")
    throw new Error("the key of the witness must be an Ed25519 private key");
  const publicKey = createPublicKey(privateKey).export({ type: "spki", format: "der" });
  const verifierKey = toVerifierKeyOf(
    name,
    "ed25519Cosignature",
    publicKey.subarray(derPrefix.length),
    runtimeCryptography,
  );
  return {
    verifierKey,
    cosign(text, now) {
      const seconds = Math.floor(now / 1_000);
      const signature = sign(null, Buffer.from(cosignedText(text, seconds)), privateKey);
      return cosignatureLine(verifierKey, seconds, signature);
    },
  };
}

// Owns what the checks need of cryptography. A server and a browser have different libraries for it; the checks are the same.

/** Of SHA-256. */
export const hashBytes = 32;

/** SHA-256 of parts. Texts are hashed as UTF-8. */
export interface Sha256 {
  update(part: string | Uint8Array): Sha256;
  /** 64 lower-case hexadecimal characters. The next part begins a new hash. */
  digest(): string;
}

export interface Cryptography {
  createSha256(): Sha256;
  /** SHA-256 of bytes, written into the 32 bytes of `target`. For many short inputs: a third of the time of the above. */
  readonly hashInto: (bytes: Uint8Array, target: Uint8Array) => void;
  /** Ed25519 (RFC 8032). `publicKey` has 32 bytes, `signature` 64. */
  isSignedBy(publicKey: Uint8Array, signature: Uint8Array, text: string): boolean;
  /** ML-DSA-44 (FIPS 204). `publicKey` has 1312 bytes, `signature` 2420. Absent where the runtime does not have it, as in browsers. */
  readonly isSignedWithMlDsa44?: (
    publicKey: Uint8Array,
    signature: Uint8Array,
    message: Uint8Array,
  ) => boolean;
}

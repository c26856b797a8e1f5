// Owns what the checks need of cryptography. A server and a browser have different libraries for it; the checks are the same.

/** SHA-256 of parts. Texts are hashed as UTF-8. */
export interface Sha256 {
  update(part: string | Uint8Array): Sha256;
  /** 64 lower-case hexadecimal characters. The next part begins a new hash. */
  digest(): string;
  /** The same as 32 bytes. */
  digestBytes(): Uint8Array;
}

export interface Cryptography {
  createSha256(): Sha256;
  /** Ed25519 (RFC 8032). `publicKey` has 32 bytes, `signature` 64. */
  isSignedBy(publicKey: Uint8Array, signature: Uint8Array, text: string): boolean;
}

// Owns tokens: secrets that a key issues for one subject, which need no row. A token says what it is for, and has a MAC that only a holder of
// the signing key can make, so neither the database nor a backup without that key is enough to make one. Must never store one.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { type Permission, permissionsForSubjects, tokenPrefix } from "./key.ts";

/** What a token says. Plain data: it travels with its calls. */
export interface Token {
  /** 32 hexadecimal characters, as records name it. */
  readonly id: string;
  /** The key that has issued it: its calls are calls of this key. */
  readonly keyId: string;
  /** `tokenEpoch` of the key when it was issued. */
  readonly epoch: number;
  /** Pseudonym of the subject that its calls are for. */
  readonly subject: string;
  readonly permissions: readonly Permission[];
  /** Milliseconds since 1970, whole seconds. */
  readonly expiresAt: number;
}

export interface Tokens {
  print(token: Token): string;
  /** Null: the signing key in use has not made it. */
  read(text: string): Token | null;
}

/** Offsets in bytes. All parts together are 75 bytes, which are 100 characters without padding. */
const at = { id: 0, keyId: 16, subject: 32, epoch: 48, expiresAt: 54, permissions: 58, mac: 59, end: 75 };
const epochBytes = at.expiresAt - at.epoch;

/** With a key that is derived from the signing key, so a change of the signing key revokes all tokens. */
export function createTokens({ deriveKey }: { deriveKey(purpose: string): Uint8Array }): Tokens {
  // A copy that has hashed the key costs a fourth of hashing it again.
  const keyed = new Bun.CryptoHasher("sha256", deriveKey("memledger/token/v1"));
  const macOf = (bytes: Uint8Array) =>
    keyed
      .copy()
      .update(bytes.subarray(0, at.mac))
      .digest()
      .subarray(0, at.end - at.mac);
  return {
    print({ id, keyId, subject, epoch, expiresAt, permissions }) {
      const bytes = Buffer.alloc(at.end);
      bytes.write(id, at.id, "hex");
      bytes.write(keyId, at.keyId, "hex");
      bytes.write(subject, at.subject, "hex");
      bytes.writeUIntBE(epoch, at.epoch, epochBytes);
      bytes.writeUInt32BE(expiresAt / 1_000, at.expiresAt);
      bytes.writeUInt8(toBits(permissions), at.permissions);
      bytes.set(macOf(bytes), at.mac);
      return tokenPrefix + bytes.toString("base64url");
    },
    read(text) {
      const bytes = Buffer.from(text.slice(tokenPrefix.length), "base64url");
      if (bytes.length !== at.end || !timingSafeEqual(bytes.subarray(at.mac), macOf(bytes))) return null;
      const hex = (from: number) => bytes.toString("hex", from, from + 16);
      return {
        id: hex(at.id),
        keyId: hex(at.keyId),
        subject: hex(at.subject),
        epoch: bytes.readUIntBE(at.epoch, epochBytes),
        expiresAt: bytes.readUInt32BE(at.expiresAt) * 1_000,
        permissions: fromBits(bytes.readUInt8(at.permissions)),
      };
    },
  };
}

/** Not the next number: a restored database must not come to an epoch that the original has had. */
export function createTokenEpoch(): number {
  return randomBytes(epochBytes).readUIntBE(0, epochBytes);
}

/** A permission has the bit of its place in the list. */
function toBits(permissions: readonly Permission[]): number {
  return permissionsForSubjects.reduce(
    (bits, each, place) => bits | (Number(permissions.includes(each)) << place),
    0,
  );
}

function fromBits(bits: number): Permission[] {
  return permissionsForSubjects.filter((_, place) => (bits & (1 << place)) !== 0);
}

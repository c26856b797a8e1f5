// A log as others have them: a tree that grows, and checkpoints of any of its sizes that a key signs.

import { createPrivateKey, sign } from "node:crypto";
import { runtimeCryptography } from "../../../src/audit/runtime-cryptography.ts";
import { createSigner, createSigningKey } from "../../../src/audit/signed-note.ts";
import { addCheckpointBody } from "../../../src/audit/witness/add-checkpoint.ts";
import {
  parseVerifierKeyOf,
  toVerifierKeyOf,
  type VerifierKey,
} from "../../../src/audit/witness/verifier-key.ts";
import { naiveConsistency, naiveRoot, sha256 } from "../naive-tree.ts";

export interface MadeLog {
  readonly origin: string;
  /** What the witness is given. */
  readonly key: VerifierKey;
  checkpoint(size: number): string;
  /** base64 */
  consistency(from: number, to: number): string[];
  /** The request from one size to another. */
  request(from: number, to: number): Uint8Array;
}

/** @param origin default: one of a memledger */
export function makeLog(origin = `memledger/${"ab".repeat(16)}/2`, salt = ""): MadeLog {
  const pem = createSigningKey();
  const own = parseVerifierKeyOf(createSigner(pem).verifierKey, runtimeCryptography);
  if (own === null) throw new Error("not a verifier key");
  const named = toVerifierKeyOf(origin, "ed25519", own.publicKey, runtimeCryptography);
  const leaves = (size: number) =>
    Array.from({ length: size }, (_, index) => sha256(Buffer.from(`${salt}${index}`)));
  const checkpoint = (size: number) => {
    const text = `${origin}\n${size}\n${Buffer.from(naiveRoot(leaves(size))).toString("base64")}\n`;
    const signature = sign(null, Buffer.from(text), createPrivateKey(pem));
    const bytes = Buffer.concat([Buffer.from(named.id, "hex"), signature]);
    return `${text}\n— ${origin} ${bytes.toString("base64")}\n`;
  };
  const consistency = (from: number, to: number) =>
    from === 0 ? [] : naiveConsistency(from, leaves(to)).map((hash) => Buffer.from(hash).toString("base64"));
  return {
    origin,
    key: origin.startsWith("memledger/") ? own : named,
    checkpoint,
    consistency,
    request: (from, to) =>
      new TextEncoder().encode(addCheckpointBody(from, consistency(from, to), checkpoint(to))),
  };
}

// Owns what cosignatures prove under a policy: which checkpoints enough witnesses have signed, and since when. Pure; must never read a file.

import { toHex } from "../../platform/text/byte-text.ts";
import type { KnownRoot } from "../verify/checkpoint-comparison.ts";
import type { Cryptography } from "../verify/cryptography.ts";
import { keyName } from "../verify/note.ts";
import { type CheckedSignatures, type Cosignature, checkSignatures } from "./cosignature.ts";
import type { Policy } from "./policy.ts";
import { parseSignedCheckpoint, type SignedCheckpointOf } from "./signed-checkpoint.ts";
import { parseVerifierKeyOf } from "./verifier-key.ts";

/** A checkpoint of version 2 with what the witnesses of a policy have signed of it. */
export interface JudgedRoot {
  readonly root: KnownRoot;
  readonly cosignatures: readonly Cosignature[];
  /** Names of witnesses whose line is not valid. Such a checkpoint satisfies no policy. */
  readonly invalid: readonly string[];
  readonly isSatisfied: boolean;
}

/** Null: no line of a witness of this policy is there, and the policy needs one. */
export function judgeRoot(root: KnownRoot, policy: Policy, cryptography: Cryptography): JudgedRoot | null {
  const checkpoint = root.note === undefined ? null : parseSignedCheckpoint(root.note);
  const keys = policy.witnesses.map(({ key }) => key);
  const { valid, invalid }: CheckedSignatures =
    checkpoint === null ? { valid: [], invalid: [] } : checkSignatures(checkpoint, keys, cryptography);
  const isWithout = valid.length + invalid.length === 0;
  // The quorum none: a checkpoint from the ledger itself is still no statement from outside.
  if (checkpoint === null || (isWithout && !root.isOutside)) return null;
  const isSatisfied =
    invalid.length === 0 &&
    isOfLog(checkpoint, root.signers, policy, cryptography) &&
    policy.isReached(new Set(valid.map(({ key }) => key.text)));
  const named = invalid.map((key) => policy.witnesses.find((one) => one.key === key)?.name ?? key.name);
  return { root, cosignatures: valid, invalid: named, isSatisfied };
}

/** Whether the policy names a log of which the key has signed it, or no logs. */
function isOfLog(
  { origin }: SignedCheckpointOf,
  signers: readonly string[],
  { logs }: Policy,
  cryptography: Cryptography,
): boolean {
  const keys = signers.flatMap((text) => parseVerifierKeyOf(text, cryptography) ?? []);
  const isLog = logs.some(
    ({ name, publicKey }) =>
      (name === origin || name === keyName) && keys.some((key) => toHex(key.publicKey) === toHex(publicKey)),
  );
  return logs.length === 0 || isLog;
}

export interface WitnessFinding {
  /** In the policy. */
  readonly name: string;
  readonly key: string;
  /** Leaves of the first and the newest checkpoint that it has cosigned, and when, in milliseconds; null: none. */
  readonly first: SeenTree | null;
  readonly newest: SeenTree | null;
}

export interface SeenTree {
  readonly leaves: number;
  readonly at: number;
}

export interface PolicyFinding {
  readonly chain: string;
  readonly isSatisfied: boolean;
  /** The largest tree that satisfies the policy, and since when; null: none does. */
  readonly satisfied: SeenTree | null;
  readonly witnesses: readonly WitnessFinding[];
}

/** What is proved of one chain. `isCovered`: whether what satisfies the policy covers a record that the chain has */
export function summarise(
  { chain, isCovered }: { readonly chain: string; readonly isCovered: boolean },
  judged: readonly JudgedRoot[],
  policy: Policy,
): PolicyFinding {
  const own = judged
    .filter(({ root }) => root.chain === chain)
    .toSorted((a, b) => a.root.leaves - b.root.leaves);
  const witnesses = policy.witnesses.map(({ name, key }): WitnessFinding => {
    const seen = own.flatMap(({ root, cosignatures }) =>
      cosignatures
        .filter((each) => each.key.text === key.text)
        .map(({ at }): SeenTree => ({ leaves: root.leaves, at })),
    );
    return { name, key: key.text, first: seen[0] ?? null, newest: seen.at(-1) ?? null };
  });
  const last = own.findLast(({ isSatisfied }) => isSatisfied);
  const satisfied = last === undefined ? null : { leaves: last.root.leaves, at: reachedAt(last, policy) };
  return { chain, isSatisfied: isCovered, satisfied, witnesses };
}

/** When the last cosignature that the policy needs was made. */
function reachedAt({ cosignatures }: JudgedRoot, policy: Policy): number {
  const inOrder = cosignatures.toSorted((a, b) => a.at - b.at);
  const signers = new Set<string>();
  for (const { key, at } of inOrder) {
    signers.add(key.text);
    if (policy.isReached(signers)) return at;
  }
  return inOrder.at(-1)?.at ?? 0;
}

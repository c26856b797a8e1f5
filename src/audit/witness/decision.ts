// Owns what a witness decides about a checkpoint (C2SP tlog-witness): whether it continues what the witness has cosigned before. Pure.

import { toHex } from "../../platform/text/byte-text.ts";
import type { TreeHasher } from "../tree.ts";
import type { Cryptography } from "../verify/cryptography.ts";
import { isConsistent, type TreeRoot } from "../verify/tree-paths.ts";
import { type AddCheckpoint, parseAddCheckpoint } from "./add-checkpoint.ts";
import { checkSignatures } from "./cosignature.ts";
import { parseSignedCheckpoint, type SignedCheckpointOf } from "./signed-checkpoint.ts";
import { keyTypes, toVerifierKeyOf, type VerifierKey } from "./verifier-key.ts";

/** What is answered in place of a cosignature. */
export interface WitnessRefusal {
  readonly status: 400 | 403 | 404 | 409 | 422;
  /** For people. With status 409, the size that was cosigned last. */
  readonly message: string;
}

/** A checkpoint that a log has signed, and what it says of the tree before it. */
export interface Submission extends AddCheckpoint {
  readonly checkpoint: SignedCheckpointOf;
  /** The signature lines of the log that are valid. */
  readonly logLines: readonly string[];
}

/** What one request is, before the state of its log is read. @param logs keys that may sign */
export function readSubmission(
  body: Uint8Array,
  logs: readonly VerifierKey[],
  cryptography: Cryptography,
): Submission | WitnessRefusal {
  const text = readUtf8(body);
  const request = text === null ? null : parseAddCheckpoint(text);
  const checkpoint = request === null ? null : parseSignedCheckpoint(request.note);
  if (request === null || checkpoint === null)
    return { status: 400, message: "The request is not an add-checkpoint request of C2SP tlog-witness." };
  const { origin } = checkpoint;
  const keys = logs.flatMap((log) => keysFor(origin, log, cryptography));
  if (keys.length === 0)
    return { status: 404, message: `This witness does not know the log ${origin}. Start it with --log KEY.` };
  const { valid, invalid } = checkSignatures(checkpoint, keys, cryptography);
  if (valid.length === 0 || invalid.length > 0)
    return { status: 403, message: `No key that this witness knows has signed the checkpoint of ${origin}.` };
  if (request.oldSize > checkpoint.size)
    return { status: 400, message: "The old size is larger than the checkpoint." };
  return { ...request, checkpoint, logLines: valid.map(({ line }) => line) };
}

/** Null: it is to be cosigned. @param known what was cosigned last; null: nothing */
export function refusalOf(
  { oldSize, proof, checkpoint }: Submission,
  known: TreeRoot | null,
  hasher: TreeHasher,
  emptyRoot: Uint8Array,
): WitnessRefusal | null {
  const knownSize = known?.size ?? 0;
  if (oldSize !== knownSize) return { status: 409, message: String(knownSize) };
  const isWrongEmpty = checkpoint.size === 0 && toHex(checkpoint.root) !== toHex(emptyRoot);
  const continues =
    known === null || knownSize === 0 ? proof.length === 0 : isConsistent(known, checkpoint, proof, hasher);
  if (continues && !isWrongEmpty) return null;
  return {
    status: 422,
    message: `The checkpoint does not continue the one of size ${knownSize} that this witness has cosigned.`,
  };
}

function readUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** A key of a memledger signs the logs of all its chains, with its own name or that of the log. Another key signs the log of its name. */
function keysFor(
  origin: string,
  log: VerifierKey,
  cryptography: Pick<Cryptography, "createSha256">,
): readonly VerifierKey[] {
  if (log.name === origin) return [log];
  const isOurs = log.name === "memledger" && log.publicKey.length === keyTypes.ed25519.bytes;
  return isOurs && memledgerLog.test(origin)
    ? [log, toVerifierKeyOf(origin, "ed25519", log.publicKey, cryptography)]
    : [];
}

const memledgerLog = /^memledger\/[0-9a-f]{32}\/(?:2|[0-9a-f]{32})$/;

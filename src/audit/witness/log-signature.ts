// Owns the signature line of a checkpoint under the name of its log, which witnesses of others expect (C2SP tlog-policy: the name of a key is the
// origin). The signature is the one under the name of the ledger: it does not cover the name. Pure.

import { fromHex, toBase64 } from "../../platform/text/byte-text.ts";
import type { Cryptography } from "../verify/cryptography.ts";
import { keyName } from "../verify/note.ts";
import { parseSignedCheckpoint } from "./signed-checkpoint.ts";
import { parseVerifierKeyOf, toVerifierKeyOf } from "./verifier-key.ts";

/** The note with the lines of these keys once more, under the name of the log. */
export function signedAsLog(
  note: string,
  verifierKeys: readonly string[],
  cryptography: Cryptography,
): string {
  const checkpoint = parseSignedCheckpoint(note);
  if (checkpoint === null) return note;
  const keys = verifierKeys.flatMap((text) => parseVerifierKeyOf(text, cryptography) ?? []);
  const lines = checkpoint.signatures.flatMap(({ name, keyId, signature }) => {
    const key = name === keyName ? keys.find(({ id }) => id === keyId) : undefined;
    if (key === undefined) return [];
    const { id } = toVerifierKeyOf(checkpoint.origin, "ed25519", key.publicKey, cryptography);
    return [`— ${checkpoint.origin} ${toBase64(Uint8Array.of(...(fromHex(id) ?? []), ...signature))}\n`];
  });
  return note + lines.join("");
}

/** The verifier key of a log of this ledger, as witnesses of other programs are told it. Null: it is not a key of the ledger. */
export function logKeyOf(origin: string, verifierKey: string, cryptography: Cryptography): string | null {
  const key = parseVerifierKeyOf(verifierKey, cryptography);
  return key && toVerifierKeyOf(origin, "ed25519", key.publicKey, cryptography).text;
}

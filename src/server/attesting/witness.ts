// Owns asking a witness to cosign a checkpoint (C2SP tlog-witness), over HTTP. Must never return a cosignature that it has not verified.

import { runtimeCryptography } from "../../audit/runtime-cryptography.ts";
import { addCheckpointBody, parseKnownSize } from "../../audit/witness/add-checkpoint.ts";
import { checkSignatures } from "../../audit/witness/cosignature.ts";
import { logKeyOf, signedAsLog } from "../../audit/witness/log-signature.ts";
import { parseSignedCheckpoint, type SignedCheckpointOf } from "../../audit/witness/signed-checkpoint.ts";
import { parseWitness } from "../../audit/witness/witness.ts";
import type { UnattestedCheckpoint } from "../../calls/storage/attestation-store.ts";
import type { Store } from "../../calls/storage/store.ts";
import { AttestationRefused, type Party } from "./destination.ts";
import { post } from "./post.ts";

interface WitnessTools {
  readonly store: { readonly audit: Pick<Store["audit"], "proveConsistency"> };
  /** Of this ledger. */
  readonly verifierKeys: readonly string[];
}

/** @param setting a URL and a verifier key, as the setting `witness` has them */
export function createWitness(setting: string, { store, verifierKeys }: WitnessTools): Party {
  const witness = parseWitness(setting);
  if (witness === null) throw new Error(`not a witness: ${setting}`);
  const { url, key } = witness;

  const submit = async (
    { project, note }: UnattestedCheckpoint,
    { size }: SignedCheckpointOf,
    oldSize: number,
    signal: AbortSignal,
  ): Promise<Answer> => {
    const { path } =
      oldSize === 0
        ? { path: [] }
        : await store.audit.proveConsistency(
            project === null ? null : { id: project },
            { from: oldSize, to: size },
            signal,
          );
    if (path === null) throw new AttestationRefused(unprovable(oldSize));
    const signed = signedAsLog(note, verifierKeys, runtimeCryptography);
    const request = addCheckpointBody(oldSize, path, signed);
    const answer = await post(`${url}/add-checkpoint`, "text/plain; charset=utf-8", request, signal);
    return { status: answer.status, body: answer.body.toString("utf8") };
  };

  return {
    kind: "cosignature",
    source: key.text,
    name: key.name,
    everyMs: 0,
    async attest(waiting, signal) {
      const checkpoint = parseSignedCheckpoint(waiting.note);
      if (checkpoint === null) throw new AttestationRefused("the checkpoint is malformed");
      const before = waiting.attested === null ? null : parseSignedCheckpoint(waiting.attested);
      // The log has a new name after an accepted loss, and then begins with nothing.
      const oldSize = before?.origin === checkpoint.origin ? before.size : 0;
      let answer = await submit(waiting, checkpoint, oldSize, signal);
      if (answer.status === 409) {
        const known = parseKnownSize(answer.body);
        if (known === null) throw new Error(`${url} has answered 409 without a size`);
        if (known > checkpoint.size) throw new AttestationRefused(older(known, checkpoint.size));
        answer = await submit(waiting, checkpoint, known, signal);
      }
      if (answer.status !== 200) {
        const [newest = ""] = verifierKeys;
        throw refusalOf(answer, url, logKeyOf(checkpoint.origin, newest, runtimeCryptography) ?? "");
      }
      const cosigned = parseSignedCheckpoint(waiting.note + answer.body);
      const {
        valid: [cosignature],
      } = cosigned === null ? { valid: [] } : checkSignatures(cosigned, [key], runtimeCryptography);
      if (cosignature === undefined)
        throw new AttestationRefused(
          `the answer of ${url} has no valid cosignature of ${key.name}+${key.id}. Compare the key of the witness with the setting witness.`,
        );
      return cosignature.line;
    },
  };
}

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** @param logKey what witnesses of other programs are told */
function refusalOf({ status, body }: Answer, url: string, logKey: string): Error {
  const said = body.trim().slice(0, 200);
  const answered = `${url} has answered ${status}${said === "" ? "" : ` (${said})`}`;
  const remedy = remedies[status];
  if (remedy === undefined) return new Error(answered);
  const key = status === 403 || status === 404 ? ` For a witness of another program: ${logKey}` : "";
  return new AttestationRefused(`${answered}: ${remedy}${key}`);
}

const remedies: Readonly<Record<number, string>> = {
  400: "it does not understand the request. Check that the URL is the submission prefix of a C2SP tlog-witness.",
  403: "it does not accept the key of this ledger. Give the operator of the witness audit.pub of the data directory.",
  404: "it does not know this log, or the URL is not that of a witness. Give the operator of the witness audit.pub of the data directory.",
  409: "another server sends checkpoints of this log, too. Find out which.",
  422: "it has cosigned a ledger that this one does not continue: records were changed or removed. Get its last checkpoint of this log, and run memledger audit verify --checkpoint FILE.",
};

function older(known: number, size: number): string {
  return `the witness has cosigned ${known} leaves of this log, and the newest checkpoint has ${size}: records are missing, such as after an older backup was restored. Get its last checkpoint of this log, and run memledger audit verify --checkpoint FILE.`;
}

function unprovable(size: number): string {
  return `the witness has cosigned ${size} leaves of this log, of which there is no checkpoint here, so nothing can be proved from there on: it was a checkpoint of another ledger, or of one that was restored. Get its last checkpoint of this log, and run memledger audit verify --checkpoint FILE.`;
}

// Owns the verdict about the ledger in a backup: that of `audit verify`, and what only a person who has kept the public key can ask.
// Must never write to the backup.

import { findStoredKey, type UnpackedBackup, withVerifiable } from "../../server/backup/verify-backup.ts";
import type { Verification } from "../audit/report.ts";
import { verifyPath } from "../audit/verify.ts";

interface KeptEvidence {
  readonly publicKey: string | null;
  readonly checkpoints: readonly string[];
}

/** @throws UnusableInput */
export async function verifyBackup(unpacked: UnpackedBackup, evidence: KeptEvidence): Promise<Verification> {
  return withVerifiable(unpacked, async (folder) => {
    const verification = await verifyPath(folder, { ...evidence, project: null });
    if (evidence.publicKey === null || isRefused(verification)) return verification;
    const { manifest } = unpacked;
    const message =
      findOtherKey(verification, [manifest.auditKey, await findStoredKey(folder)]) ??
      findUnsignedChain(verification);
    if (message === null) return verification;
    const failure = { seq: null, check: "signature", message, chain: null } as const;
    return { ...verification, finding: { ...verification.finding, verdict: "broken", failure } };
  });
}

/** A backup without external checkpoints is complete in itself. */
export function isRefused({ finding }: Verification): boolean {
  return finding.verdict !== "intact" && finding.verdict !== "unattested";
}

/** A server that is started with the backup would sign with this key. */
function findOtherKey(
  { evidence: { keys } }: Verification,
  inUse: readonly (string | null)[],
): string | null {
  const other = inUse.find((key) => key !== null && !keys.includes(key));
  if (other === undefined) return null;
  return `the ledger of the backup is to be signed with the key ${other}, which is not the public key given, nor a successor of it`;
}

/**
 * The server signs every chain that has records, and signs what is due before a backup. Only the record of the first backup can be the
 * first one of the installation.
 */
function findUnsignedChain({ finding: { chains } }: Verification): string | null {
  const unsigned = chains.find(
    ({ project, records, checkpoints, anchors }) =>
      checkpoints + anchors === 0 && records > (project === null ? 1 : 0),
  );
  const isSigned = chains.some(({ checkpoints, anchors }) => checkpoints + anchors > 0);
  if (unsigned === undefined && isSigned) return null;
  const whose =
    unsigned === undefined || !isSigned
      ? "the ledger"
      : `the chain of ${unsigned.project === null ? "the installation" : `project ${unsigned.project}`}`;
  return `nothing of ${whose} is signed with the public key given, so the key cannot confirm it: the backup was forged, or made before anything was signed`;
}

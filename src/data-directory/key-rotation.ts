// Owns the change of the signing key of a data directory without a running server: finds both keys, has the former one attest the
// new one, and has the database record it. Never changes a key that the caller did not name.

import { openRotation, rotationText } from "../audit/key-rotation.ts";
import { rotateKey } from "../audit/rotate-key.ts";
import { createSigner, createSigningKey, isVerifierKey } from "../audit/signed-note.ts";
import { createClock } from "../clock.ts";
import type { Config } from "../config/config.ts";
import type { JsonObject } from "../json/json.ts";
import type { Logger } from "../log/logger.ts";
import { type Held, openAdministrationWith } from "./directory-hold.ts";
import { administer } from "./first-start.ts";
import { readLedgerState } from "./ledger.ts";
import {
  findSigningKey,
  openLedgerFiles,
  ownKeyPath,
  readSigningKey,
  type SigningKey,
} from "./ledger-files.ts";
import { planRotation, readRotations, rotationsPath, settleRotation } from "./ledger-rotation.ts";
import { refuseOlderDatabase } from "./lost-database.ts";

export interface RotationOptions {
  readonly config: Config;
  /** File of the new key, which stays where it is; null: a new one is made in the data directory. */
  readonly newKey: string | null;
  /** The operator says that nobody has the former key any more. */
  readonly isFormerLost: boolean;
  readonly logger: Logger;
}

/** @returns the answer of the operation. @throws Error that says what to do. */
export async function changeKey(held: Held, options: RotationOptions): Promise<JsonObject> {
  const { root } = held.directory;
  const { config, newKey, isFormerLost, logger } = options;
  const found = findFormer(root, config.auditKey, isFormerLost);
  const { keyInUse, missing } = await readLedgerState(held, found?.verifierKey ?? null);
  refuseOlderDatabase(held, missing);
  const inUse = requireKnown(root, keyInUse);
  const former = requireFormer(found, inUse, options);
  const successor = newKey === null ? makeKey() : readSigningKey(newKey);
  refuseUsedKey(root, inUse, successor);
  const text = rotationText({ former: inUse, successor: successor.verifierKey, at: createClock().now() });
  // Signed by the new key alone the statement proves nothing, and says so.
  const statement = createSigner((former ?? successor).pem).sign(text);
  planRotation(root, { statement, ownKey: newKey === null ? successor.pem : null });
  const { perform, close } = await openAdministrationWith(
    held,
    config,
    openLedgerFiles(root, successor),
    logger,
  );
  try {
    return await administer(perform, rotateKey, { statement });
  } finally {
    await close();
    settleRotation(root, (await readLedgerState(held, null)).keyInUse);
  }
}

/** Null when there is none. A file that cannot be read is as good as lost, if the operator says so. */
function findFormer(root: string, auditKey: string | null, isLost: boolean): SigningKey | null {
  try {
    return findSigningKey(root, auditKey);
  } catch (error) {
    if (isLost) return null;
    throw error;
  }
}

/** Null when the former key is lost. */
function requireFormer(
  found: SigningKey | null,
  inUse: string,
  { config, isFormerLost }: RotationOptions,
): SigningKey | null {
  const isThere = found?.verifierKey === inUse;
  if (isThere && isFormerLost) {
    throw new Error("The key in use is there, so it can attest the new one. Leave out --former-key-lost.");
  }
  if (isThere || isFormerLost) return isThere ? found : null;
  const path = config.auditKey ?? ownKeyPath(config.dataDir);
  throw new Error(
    `The key in use (verifier key ${inUse}) must attest the new one, but it is not in ${path}. Name its file with --audit-key FILE, or, if nobody has it any more, add --former-key-lost.`,
  );
}

function requireKnown(root: string, keyInUse: string | null): string {
  if (keyInUse !== null && isVerifierKey(keyInUse)) return keyInUse;
  throw new Error(
    keyInUse === null
      ? "Nothing has been signed yet, so there is no key to change. Start the server, with --audit-key FILE if the key is to be kept elsewhere."
      : `The public key ${keyInUse} that has signed this ledger is not in ${root}/audit.pub. Put its line there first.`,
  );
}

/** A former key may have been given up because somebody else has it. */
function refuseUsedKey(root: string, inUse: string, { verifierKey }: SigningKey): void {
  const rotations = readRotations(rotationsPath(root)).map(openRotation);
  const used = rotations.flatMap((rotation) =>
    rotation === null ? [] : [rotation.former, rotation.successor],
  );
  if (![inUse, ...used].includes(verifierKey)) return;
  throw new Error(
    "This key signs or has signed this ledger already. Name the file of a new key with --new-key.",
  );
}

function makeKey(): SigningKey {
  const pem = createSigningKey();
  return { pem, verifierKey: createSigner(pem).verifierKey };
}

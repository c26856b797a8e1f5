// Owns the change of the signing key while no server runs: finds both keys, signs the new key with the previous one, and records the
// change in the database. Must never change a key that the caller did not name.

import { openRotation, rotationText } from "../../audit/key-rotation.ts";
import { createSigner, createSigningKey, isVerifierKey } from "../../audit/signed-note.ts";
import { rotateKey } from "../../calls/operations/ledger/rotate-key.ts";
import type { JsonObject } from "../../platform/json/json.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { createClock } from "../../platform/time/clock.ts";
import { backUpBeforeMigration } from "../backup/migration-backup.ts";
import type { Config } from "../config/config.ts";
import { administer, administrationRequest } from "../data-directory/administration.ts";
import { type LockedDirectory, openAdministrationWith } from "../data-directory/directory-lock.ts";
import { refuseOlderDatabase } from "../data-directory/lost-database.ts";
import { readLedgerState } from "./ledger.ts";
import {
  findSigningKey,
  openLedgerFiles,
  ownKeyPath,
  readSigningKey,
  type SigningKey,
} from "./ledger-files.ts";
import { prepareRotation, readRotations, rotationsPath, settleRotation } from "./ledger-rotation.ts";

interface RotationOptions {
  readonly config: Config;
  /** Path of the new key, which is not copied; null: a new key is created in the data directory. */
  readonly newKey: string | null;
  /** The operator states that the previous key is lost. */
  readonly isPreviousLost: boolean;
  readonly logger: Logger;
}

/** @returns the answer of the operation. @throws Error that says what to do. */
export async function changeKey(locked: LockedDirectory, options: RotationOptions): Promise<JsonObject> {
  const { root } = locked.directory;
  const { config, newKey, isPreviousLost, logger } = options;
  const found = findPrevious(root, config.auditKey, isPreviousLost);
  await backUpBeforeMigration(locked, config, logger);
  const { keyInUse, missing } = await readLedgerState(locked, found?.verifierKey ?? null);
  refuseOlderDatabase(locked, missing);
  const inUse = requireKnown(root, keyInUse);
  const former = requirePrevious(found, inUse, options);
  const successor =
    newKey === null ? makeKey() : readSigningKey(newKey, "Set --new-key to the path of the new key.");
  refuseUsedKey(root, inUse, successor);
  const text = rotationText({ former: inUse, successor: successor.verifierKey, at: createClock().now() });
  // A statement that is signed only by the new key is reported as such by a verification.
  const statement = createSigner((former ?? successor).pem).sign(text);
  prepareRotation(root, { statement, ownKey: newKey === null ? successor.pem : null });
  const { perform, close } = await openAdministrationWith(
    locked,
    config,
    {
      ...openLedgerFiles(root, successor),
      previousSigningKey: former?.pem ?? null,
      // Without the previous key, nobody can tell what it has written: the change accepts the records as they are.
      acceptsHeads: former === null,
    },
    logger,
  );
  try {
    return await administer(perform, rotateKey, administrationRequest("cli", { statement }));
  } finally {
    await close();
    settleRotation(root, (await readLedgerState(locked, null)).keyInUse);
  }
}

/** Null when there is none, or when it cannot be read and the operator states that it is lost. */
function findPrevious(root: string, auditKey: string | null, isLost: boolean): SigningKey | null {
  try {
    return findSigningKey(root, auditKey);
  } catch (error) {
    if (isLost) return null;
    throw error;
  }
}

/** Null when the previous key is lost. */
function requirePrevious(
  found: SigningKey | null,
  inUse: string,
  { config, isPreviousLost }: RotationOptions,
): SigningKey | null {
  const isThere = found?.verifierKey === inUse;
  if (isThere && isPreviousLost) {
    throw new Error("The previous key is available, so it can sign the change. Remove --former-key-lost.");
  }
  if (isThere || isPreviousLost) return isThere ? found : null;
  const path = config.auditKey ?? ownKeyPath(config.dataDir);
  throw new Error(
    `The previous key (verifier key ${inUse}) must sign the change, but ${path} does not contain it. Set its path with --audit-key FILE. If the previous key is lost, add --former-key-lost.`,
  );
}

function requireKnown(root: string, keyInUse: string | null): string {
  if (keyInUse !== null && isVerifierKey(keyInUse)) return keyInUse;
  throw new Error(
    keyInUse === null
      ? "Nothing has been signed yet, so there is no key to change. Start the server. To keep the key outside the data directory, add --audit-key FILE."
      : `The public key ${keyInUse} of this ledger is not in ${root}/audit.pub. Add its line to that file first.`,
  );
}

/** A previous key may have been replaced because it was stolen. */
function refuseUsedKey(root: string, inUse: string, { verifierKey }: SigningKey): void {
  const rotations = readRotations(rotationsPath(root)).map(openRotation);
  const used = rotations.flatMap((rotation) =>
    rotation === null ? [] : [rotation.former, rotation.successor],
  );
  if (![inUse, ...used].includes(verifierKey)) return;
  throw new Error("This key was already used to sign this ledger. Set --new-key to the path of a new key.");
}

function makeKey(): SigningKey {
  const pem = createSigningKey();
  return { pem, verifierKey: createSigner(pem).verifierKey };
}

// Owns the checks of an unpacked backup beside those of its ledger: the database is intact, and the manifest is true. Must never change
// what was unpacked.

import { cpSync, existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Engine } from "../../calls/storage/engine.ts";
import type { RecordedErasure } from "../../calls/storage/stored-ledger.ts";
import { chooseEngine } from "../../engines/engines.ts";
import { locate } from "../data-directory/data-directory.ts";
import { findSigningKey, readVerifierKeys } from "../ledger/ledger-files.ts";
import { unusable } from "./archive-reader.ts";
import type { Manifest } from "./manifest.ts";

/** An unpacked backup. */
export interface UnpackedBackup {
  readonly folder: string;
  readonly manifest: Manifest;
}

/** @throws UnusableBackup; Error that says what to do when the database is damaged */
export async function requireIntact(path: string, folder: string, { database }: Manifest): Promise<void> {
  const { damage, format } = await withEngine(folder, async (engine) => {
    const damage = await engine.findDamage();
    return { damage, format: damage.length > 0 ? null : await engine.findFormat() };
  });
  if (damage.length > 0) {
    throw new Error(
      `The database in ${path} is damaged: ${damage.join("; ")}. Nothing was changed. Use another backup.`,
    );
  }
  // The format decides how the ledger is verified, so the manifest must not.
  if (format === 0) throw unusable(path, "its database is empty");
  if (format !== database.format) {
    const stated = `its manifest states format ${database.format} of the database, which has format ${format}`;
    throw unusable(path, `${stated}: the backup was altered`);
  }
}

/** The executable unpacks its libraries beside the database: they are removed again. */
export async function withEngine<Result>(
  folder: string,
  work: (engine: Engine) => Promise<Result>,
): Promise<Result> {
  const directory = locate(folder);
  try {
    return await work(chooseEngine(directory));
  } finally {
    rmSync(directory.runtime, { recursive: true, force: true });
  }
}

/**
 * Compares every statement of the manifest that the files can confirm. To be called when the ledger was verified: a changed schema can
 * show anything.
 * @param path of the backup, for the message. @throws UnusableBackup
 */
export async function requireTrueManifest(path: string, unpacked: UnpackedBackup): Promise<void> {
  const { folder, manifest } = unpacked;
  const key = findSigningKey(folder, null)?.verifierKey ?? null;
  const [newest = null] = readVerifierKeys(folder);
  const found = await withEngine(folder, (engine) => engine.describe());
  const isOneKey = [key, newest].every((each) => each === null || each === manifest.auditKey);
  const statements: readonly (readonly [what: string, isTrue: boolean])[] = [
    ["the records of its database", Bun.deepEquals(found.chains, manifest.database.chains)],
    ["the installation of its database", found.installation === manifest.database.installation],
    ["the embedding model of its database", Bun.deepEquals(found.model, manifest.database.model)],
    ["whether it contains the signing key", manifest.includesSigningKey === (key !== null)],
    // A signing key that could not be read when the backup was made is not named.
    ["its signing key", isOneKey || (manifest.auditKey === null && key === null)],
  ];
  const wrong = statements.find(([, isTrue]) => !isTrue);
  if (wrong !== undefined)
    throw unusable(path, `what its manifest says about ${wrong[0]} is not true: the backup was altered`);
}

/** Below it, the tables are not those of the audit format. */
const verifiableFormat = 2;

/**
 * Passes the ledger of a backup to `work` in a folder where it can be verified: that of the backup, or one with a migrated copy if its
 * database has the first format. The backup itself stays as it is, because the version that wrote it may be started with it.
 */
export async function withVerifiable<Result>(
  { folder, manifest }: UnpackedBackup,
  work: (folder: string) => Promise<Result>,
): Promise<Result> {
  if (manifest.database.format >= verifiableFormat) return work(folder);
  const copy = join(folder, "migrated");
  try {
    mkdirSync(copy, { mode: 0o700 });
    for (const name of ["memledger.db", "audit.pub", "audit.rotations", "checkpoints"]) {
      if (existsSync(join(folder, name))) cpSync(join(folder, name), join(copy, name), { recursive: true });
    }
    await withEngine(copy, (engine) => engine.migrate(async () => undefined));
    return await work(copy);
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** The erasures of subjects that the ledger of a backup names. Databases of the first format name none. */
export async function findErasures({
  folder,
  manifest,
}: UnpackedBackup): Promise<readonly RecordedErasure[]> {
  if (manifest.database.format < verifiableFormat) return [];
  return withEngine(folder, (engine) => engine.withLedger("read", (ledger) => ledger.findErasures()));
}

/** The verifier key of the key that signs this ledger, as its database has it; null: none is stored. */
export async function findStoredKey(folder: string): Promise<string | null> {
  return withEngine(folder, (engine) =>
    engine.withLedger("read", async (ledger) => (await ledger.findKey()).verifierKey),
  );
}

// Chooses the storage engine. The only file outside src/engines/sqlite/ that names an engine.

import type { Engine } from "../calls/storage/engine.ts";
import type { LedgerVerifier } from "../calls/storage/ledger-verifier.ts";
import { prepareRuntime, type RuntimeFiles } from "../platform/native/runtime.ts";
import { createSqliteEngine } from "./sqlite/engine.ts";
import { formatVersion } from "./sqlite/schema/migrate.ts";
import { readCosignedNotes, readStampedNotes } from "./sqlite/verify/attested-notes.ts";
import { verifyRecentRecords } from "./sqlite/verify/recent-records.ts";
import { readStoredEntries } from "./sqlite/verify/stored-entries.ts";
import { verifyDatabase } from "./sqlite/verify/verify.ts";

/** Paths in a data directory. */
export interface EnginePlace {
  readonly database: string;
  readonly lock: string;
  /** Folder of the unpacked native libraries. */
  readonly runtime: string;
}

/** Makes the engine of a data directory. `runtime` is asked for when the first connection is opened. */
export type ChooseEngine = (place: EnginePlace, runtime?: () => RuntimeFiles) => Engine;

export const chooseEngine: ChooseEngine = (
  { database, lock, runtime: folder },
  runtime = () => prepareRuntime(folder),
) => createSqliteEngine({ path: database, lock, runtime });

/** The newest format of the database that this program reads, and the one that it writes. */
export const databaseFormat: number = formatVersion;

/** For evidence on any machine. Separate from the engine, because it must work without native libraries. */
export const ledgerVerifier: LedgerVerifier = {
  verify: verifyDatabase,
  cosignedNotes: readCosignedNotes,
  stampedNotes: readStampedNotes,
  storedEntries: readStoredEntries,
  verifyRecent: async (options) => verifyRecentRecords(options),
};

/** The database of a witness. */
export { openWitnessStates, type WitnessStates } from "./sqlite/witness-states.ts";

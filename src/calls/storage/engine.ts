// Owns the interface between the program and a storage engine: everything about a database that is not a call. Knows no SQL and
// no kind of database. src/engines/README.md says how to write an engine.

import type { Plans } from "../../access/plan.ts";
import type { CheckpointInterval } from "../../audit/checkpoint-schedule.ts";
import type { Export } from "../../audit/export/export.ts";
import type { Cause } from "../../platform/files/system-error.ts";
import type { Logger, LogLevel } from "../../platform/log/logger.ts";
import { counted } from "../../platform/text/plural.ts";
import type { ClockShift } from "../../platform/time/clock-shift.ts";
import type { ModelBinding, ModelChange } from "./model-change-store.ts";
import type { DatabaseFaults, RepairOptions } from "./repairs.ts";
import type { Store } from "./store.ts";
import type { StoredLedger } from "./stored-ledger.ts";

/** The database of one data directory. Keeps no connection open; the code that opens a store closes it. */
export interface Engine {
  /** For messages, such as "SQLite". */
  readonly name: string;
  /** Where the database is, for messages: a path, or an address without its password. */
  readonly location: string;
  /** Format of the databases that this program writes. */
  readonly format: number;
  /** Names of the engine's own files in the data directory. They are moved away in this order. */
  readonly files: readonly string[];

  /**
   * Lets one process at a time use the database.
   * @returns null while another process, or this one, holds the lock.
   * @throws Error that says what to do when there can be no lock.
   */
  takeLock(): Promise<Lock | null>;
  /** Opens no connection and needs no native library. */
  findState(): Promise<DatabaseState>;
  /** Evidence that a database existed here, as a clause for messages; null: there is none. As findState. */
  findTraces(): Promise<string | null>;
  /** Whether the last process that used the database was killed. As findState. */
  wasKilled(): Promise<boolean>;
  /** @throws Error that says what to do when the engine would read or write files that it did not create. As findState. */
  requireOwnFiles(): Promise<void>;
  /**
   * Call it before the database is opened for writing. Reads the whole database if a process was killed.
   * @throws Error that says what to do when the files that this process left do not belong to the database
   */
  requireIntactLog(): Promise<void>;
  /** Whether nothing was ever stored. Needs the lock. */
  isUnused(): Promise<boolean>;
  /**
   * Creates the database, or migrates it to the current format. Needs the lock.
   * @param onUnused called before anything is written to a database without tables; if it rejects, nothing is written
   * @throws ForeignDatabase, or Error that says what to do when the schema was changed or a newer program wrote the database
   */
  migrate(onUnused: () => Promise<void>): Promise<void>;
  /** @throws as migrate does */
  inspect(): Promise<Inspection>;
  /** The format of the database; 0: nothing was ever stored. @throws as migrate does */
  findFormat(): Promise<number>;
  /**
   * Writes one state of the database to a new file, while other connections and processes write. Works with every older format.
   * @throws Error that says what to do when the database is damaged; the reason of `signal`
   */
  copyTo(target: string, options?: CopyOptions): Promise<DatabaseCopy>;
  /** What `copyTo` would say about a copy. Works with every older format. @throws as migrate does */
  describe(): Promise<DatabaseCopy>;
  /** The faults of the database, as clauses for messages; empty when it is intact. Reads the whole database. */
  findDamage(): Promise<readonly string[]>;
  /** What does not fit the memories and can be made again from them. Needs a database of the current format that is not damaged. */
  findFaults(): Promise<DatabaseFaults>;
  /** Repairs what `findFaults` finds, in one transaction. Needs the lock. Never changes a memory or the ledger. */
  repair(hasWrongWords: boolean, options: RepairOptions): Promise<void>;
  /**
   * The keys that are in force in a restored database, and its projects. Works with every older format.
   * @param now milliseconds since 1970
   */
  listAccess(now: number): Promise<RestoredAccess>;
  /** Revokes the keys of a restored database that are used with their secret, administration keys included. No server may use it. @returns how many they were */
  revokeKeys(now: number): Promise<number>;
  /**
   * Ends the sessions, sign-in links and tokens of a restored database, which were in force when it was copied. No server may use it.
   * @returns how many they were
   */
  endSessions(): Promise<number>;
  /** Runs `work` with the ledger of the database. With "read", nothing is changed. */
  withLedger<Result>(
    access: "read" | "write",
    work: (ledger: StoredLedger) => Promise<Result>,
  ): Promise<Result>;
  /** Needs the lock. Migrates the database to the current format. @throws ModelMismatch, and as migrate does */
  open(options: StoreOptions): Promise<Store>;
  /** For commands that wait for an export while the server works on it. `folder` is where the files of exports are. */
  findExport(folder: string, id: string): Promise<Export | null>;
  /** Why an operation on the database failed; null when the error is not one of the database. */
  explainFailure(error: unknown): Cause | null;
}

export interface Lock {
  release(): void;
}

/** "empty": the database exists and has no content. */
export type DatabaseState = "missing" | "empty" | "present";

export interface StoreOptions {
  readonly plans: Plans;
  readonly ledger: LedgerFiles;
  /** Days that payloads of audit records are kept; null: as long as their entries. */
  readonly payloadRetentionDays: number | null;
  /** Days that records of the installation's chain are kept; null: without a limit. */
  readonly installationRetentionDays: number | null;
  /** When a checkpoint is signed. Absent: the usual interval. */
  readonly checkpointInterval?: CheckpointInterval;
  /** How long the file of an export is kept. Absent: as in the limits. */
  readonly exportLifeMs?: number;
  /** The embedding model of the vectors in the database; null for administration only. */
  readonly model: ModelBinding | null;
  /** Memory for search indexes; larger projects are searched in the database. */
  readonly searchCacheBytes: number;
  /**
   * Threads that scan the memories of large projects. They and the one that searches start at once. Null: as many as there are processors,
   * within a limit. 0: one, which starts when it is needed, as the one that searches does.
   */
  readonly searchThreads: number | null;
  readonly groupCommit: boolean;
  /** Moves the clock of all threads; see createClock. */
  readonly clockShift: ClockShift | null;
  readonly logger: Logger;
  readonly logLevel: LogLevel;
  /** Called after the commit of a call that has begun or cancelled a change of the model. */
  readonly onModelChange?: () => void;
  /** Called after the commit of a call that has put an answer in the queue of those to remember. */
  readonly onRemember?: () => void;
}

/** The signing key, and the folders of a data directory to which an engine writes. */
export interface LedgerFiles {
  /** Ed25519 private key, PKCS #8 PEM. */
  readonly signingKey: string;
  /** Of this key and of the previous ones, newest first. */
  readonly verifierKeys: readonly string[];
  /** The key that this one replaces with the first call, PKCS #8 PEM. Null: it is lost. Absent: this one is in use. */
  readonly previousSigningKey?: string | null;
  /** The operator has accepted the records of this database as they are, and the first call records it; absent: not. */
  readonly acceptsHeads?: boolean;
  /** This key was created now, so nothing was ever signed: what the database has is accepted. Absent: it was read. */
  readonly isKeyNew?: boolean;
  /** Folder of `<chain>.notes`, to which every checkpoint is appended. */
  readonly notes: string;
  readonly exports: string;
}

export interface Inspection {
  readonly format: number;
  /** Null before the first start of a server. */
  readonly model: ModelBinding | null;
  /** Models that were replaced, SHA-256. */
  readonly previousModels: readonly string[];
  readonly modelChange: ModelChange | null;
  /** Without those that a bulk delete has hidden. */
  readonly memories: number;
  /** Inactive ones that a newer memory has superseded: by a rule of a previous version, or by a suggestion that was accepted. */
  readonly superseded: number;
  /** Revoked and expired ones included. */
  readonly keys: number;
  /** Those that are used with their secret: without the local keys of projects and those of the console. */
  readonly secretKeys: number;
  /** Chain of the installation, which identifies it; null before its first record. */
  readonly installation: string | null;
  /** By age. */
  readonly projects: readonly Readonly<{ id: string; name: string }>[];
}

export interface RestoredAccess {
  /** By age. `project`: its name. */
  readonly keys: readonly Readonly<{ id: string; name: string; project: string }>[];
  readonly administrationKeys: readonly Readonly<{ id: string; name: string }>[];
  readonly projects: readonly Readonly<{ id: string; name: string }>[];
}

export interface CopyOptions {
  readonly onProgress?: (doneBytes: number, totalBytes: number) => void;
  readonly signal?: AbortSignal;
}

/** The newest record of a chain in the copy of the database. */
export interface ChainHead {
  /** 32 hexadecimal characters. */
  readonly chain: string;
  /** Id of the project; null: the chain of the installation. */
  readonly project: string | null;
  /** Number of its newest record. */
  readonly size: number;
  /** Of this record: 64 lower-case hexadecimal characters. */
  readonly hash: string;
}

/** What is known about a copy of a database. */
export interface DatabaseCopy {
  readonly format: number;
  /** Null before the first start of a server. */
  readonly model: ModelBinding | null;
  /** Chain of the installation, which identifies it; null before its first record. */
  readonly installation: string | null;
  readonly chains: readonly ChainHead[];
}

/** The database is not a memledger database, or its first bytes are damaged. */
export class ForeignDatabase extends Error {
  constructor(options?: ErrorOptions) {
    super("The database is not a memledger database. Set another data directory with --data-dir.", options);
  }
}

/** The database contains vectors of another model; vectors of two models cannot be compared. */
export class ModelMismatch extends Error {
  readonly bound: ModelBinding;
  readonly memories: number;

  constructor(bound: ModelBinding, given: ModelBinding, memories: number) {
    super(
      `The database contains ${counted(memories, "memory", "memories")} with embeddings of the model ${bound.id} (sha256 ${bound.sha256.slice(0, 12)}), but the server was started with ${given.id} (sha256 ${given.sha256.slice(0, 12)}). Set --model to the directory of the previous model, or run "memledger reembed" with the same --data-dir and --model to compute all embeddings again.`,
    );
    this.name = "ModelMismatch";
    this.bound = bound;
    this.memories = memories;
  }
}

// Owns the work of a server beside its calls: starts exports, remembering, backups and a change of the model, and wakes them. Must never
// contain what they do.

import type { KnownBackup } from "../calls/contract/known-backup.ts";
import { listKnownBackups } from "../calls/operations/backups/known-backups.ts";
import { continueRemembering } from "../calls/operations/remembering/continue-remembering.ts";
import type { Perform } from "../calls/perform.ts";
import type { Store } from "../calls/storage/store.ts";
import type { Bodies } from "../gateway/bodies.ts";
import type { ReplaceableEmbedder } from "../models/embedding/replaceable-embedder.ts";
import type { Logger } from "../platform/log/logger.ts";
import type { Supervisor } from "../platform/threads/supervisor.ts";
import type { Clock } from "../platform/time/clock.ts";
import { type Attesting, startAttesting } from "./attesting/attesting.ts";
import { attestedBy, type Destination } from "./attesting/destination.ts";
import { createTimeStampAuthority } from "./attesting/time-stamp-authority.ts";
import { createWitness } from "./attesting/witness.ts";
import { scheduleBackups } from "./backup/scheduled-backups.ts";
import type { Config } from "./config/config.ts";
import type { LockedDirectory } from "./data-directory/directory-lock.ts";
import { createDepositor } from "./depositing/depositor.ts";
import { attestationsWaitMs } from "./depositing/limits.ts";
import { createPlaces } from "./depositing/places.ts";
import { continueModelChange } from "./model/changing-model.ts";
import { beginNewerModel } from "./model/newer-model.ts";

/** Calls may wake it before it has started: what it starts with is in the database. */
export interface BackgroundWork {
  modelHasChange(): void;
  hasAnswerToRemember(): void;
  /** Null: they cannot be listed, or it has not started. */
  knownBackups(): Promise<readonly KnownBackup[] | null>;
  /** Of the third parties that attest checkpoints; none before it has started. */
  attestations(): ReturnType<Attesting["states"]>;
  /** @param parts what ends with the server, the last one first */
  start(parts: AsyncDisposableStack, started: StartedServer): void;
}

interface StartedServer {
  readonly config: Config;
  readonly locked: LockedDirectory;
  readonly store: Store;
  /** Of the ledger. */
  readonly verifierKeys: readonly string[];
  readonly embedder: ReplaceableEmbedder;
  readonly bodies: Pick<Bodies, "readWords">;
  readonly perform: Perform;
  readonly supervisor: Supervisor;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function createBackgroundWork(): BackgroundWork {
  let wakeModelChange: (() => void) | null = null;
  let wakeRemembering: (() => void) | null = null;
  let attesting: Attesting | null = null;
  let list: BackgroundWork["knownBackups"] = async () => null;
  return {
    modelHasChange: () => wakeModelChange?.(),
    hasAnswerToRemember: () => wakeRemembering?.(),
    knownBackups: () => list(),
    attestations: () => attesting?.states() ?? [],
    start(parts, { config, locked, store, embedder, bodies, verifierKeys, ...tools }) {
      const { perform, supervisor, clock, logger } = tools;
      const { root } = locked.directory;
      store.exports.start();
      const remembering = continueRemembering({
        ...{ store, perform, clock, logger },
        detail: config.gateway.rememberDetail,
        readWords: bodies.readWords,
      });
      parts.defer(remembering.close);
      remembering.start();
      wakeRemembering = remembering.wake;
      const destinations = destinationsOf(config, { store, verifierKeys, clock, logger });
      attesting = startAttesting(destinations, { clock, logger });
      parts.defer(attesting.close);
      const schedule = scheduleBackups(locked, config, { perform, supervisor, clock, logger });
      list = () => listKnownBackups(root, schedule);
      parts.defer(async () => schedule?.close());
      const modelChange = continueModelChange({
        ...tools,
        root,
        runtime: locked.runtime,
        threads: config.embeddingThreads,
        embedders: config.embedders,
        store,
        calls: embedder,
        modelOfCalls: () => embedder.current.model.sha256,
        onChanged: (next) => embedder.replace(next),
      });
      const { close, wake } = modelChange;
      parts.defer(close);
      wakeModelChange = wake;
      void beginNewerModel({ ...{ config, root, store, perform, logger }, model: embedder.current.model });
    },
  };
}

/** @throws Error that says what to do */
function destinationsOf(
  config: Config,
  { verifierKeys, ...tools }: Pick<StartedServer, "store" | "verifierKeys" | "clock" | "logger">,
): readonly Destination[] {
  const { dataDir, witness, timestampUrl: url, timestampRoots: roots, timestampMinutes } = config;
  const witnesses = witness.map((each) => createWitness(each, { store: tools.store, verifierKeys }));
  const authorities =
    url === null ? [] : [createTimeStampAuthority({ url, roots, everyMs: timestampMinutes * 60_000 })];
  const parties = [...witnesses, ...authorities].map((party) => attestedBy(party, tools));
  const waitMs = parties.length === 0 ? 0 : attestationsWaitMs;
  const places = createPlaces(config, tools);
  return [...parties, ...places.map((place) => createDepositor(place, { ...tools, dataDir, waitMs }))];
}

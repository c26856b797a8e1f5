// A second engine, for tests of the interface only: it keeps everything in this process, and searches by looking at every memory. What it
// lacks is named in engine.test.ts.

import { isUsedWithSecret } from "../../../src/access/key.ts";
import { readPayloadText } from "../../../src/audit/parts/stored-payload.ts";
import { type Engine, ModelMismatch, type StoreOptions } from "../../../src/calls/storage/engine.ts";
import type { PublishedState, StoredLedger } from "../../../src/calls/storage/stored-ledger.ts";
import { createData, type Data, noSettings } from "./data.ts";
import { recordsOfChain } from "./ledger.ts";
import { openMemoryStore } from "./store.ts";

/** One process holds them, so they are found by their folder. */
const databases = new Map<string, { data: Data; isMigrated: boolean; isLocked: boolean }>();

export function createMemoryEngine(folder: string): Engine {
  const database = databases.get(folder) ?? { data: createData(), isMigrated: false, isLocked: false };
  databases.set(folder, database);
  const { data } = database;
  const { settings, projects, keys } = data;
  return {
    name: "memory",
    location: `memory:${folder}`,
    format: 1,
    files: [],
    async takeLock() {
      if (database.isLocked) return null;
      database.isLocked = true;
      return {
        release() {
          database.isLocked = false;
        },
      };
    },
    findState: async () => (database.isMigrated ? "present" : "missing"),
    findTraces: async () => null,
    wasKilled: async () => false,
    requireOwnFiles: async () => {},
    requireIntactLog: async () => {},
    isUnused: async () => !database.isMigrated,
    async migrate(onUnused) {
      if (!database.isMigrated) await onUnused();
      database.isMigrated = true;
    },
    inspect: async () => ({
      format: 1,
      model: settings.get("all")?.model ?? null,
      previousModels: settings.get("all")?.previousModels ?? [],
      modelChange: settings.get("all")?.modelChange ?? null,
      memories: data.memories.all().length,
      keys: keys.all().length,
      superseded: 0,
      secretKeys: keys.all().filter(({ key }) => isUsedWithSecret(key)).length,
      installation: data.chains.get(null)?.chain ?? null,
      projects: projects.all().flatMap(({ project, isDeleted }) => (isDeleted ? [] : [project])),
    }),
    findFormat: async () => (database.isMigrated ? 1 : 0),
    copyTo: async () => {
      throw new Error("The engine in memory stores no file that could be copied. Use another engine.");
    },
    describe: async () => {
      throw new Error("The engine in memory stores no file that could be described. Use another engine.");
    },
    findDamage: async () => [],
    listAccess: async () => ({ keys: [], administrationKeys: [], projects: [] }),
    revokeKeys: async () => 0,
    async endSessions() {
      const [sessions, links] = [data.sessions.all(), data.links.all()];
      for (const { session } of sessions) data.sessions.delete(session.id);
      for (const { link } of links) data.links.delete(link.id);
      return sessions.length + links.length;
    },
    findFaults: async () => ({ orphanVectors: 0, missingVectors: 0, wrongWords: 0 }),
    repair: async () => {},
    withLedger: (_access, work) => work(readLedger(data)),
    async open(options) {
      database.isMigrated = true;
      bindModel(data, options.model);
      return openMemoryStore(data, options);
    },
    findExport: async (_folder, id) => data.exports.get(id) ?? null,
    explainFailure: () => null,
  };
}

function bindModel({ settings, memories }: Data, model: StoreOptions["model"]): void {
  const before = settings.get("all") ?? noSettings;
  if (model === null || before.model?.sha256 === model.sha256) return;
  const count = memories.all().length;
  if (before.model !== null && count > 0) throw new ModelMismatch(before.model, model, count);
  settings.set("all", { ...before, model });
}

/** Its chains begin with their trees. */
function sizeOf(checkpoint: PublishedState): number {
  return "size" in checkpoint ? checkpoint.size : checkpoint.leaves - 1;
}

function readLedger(data: Data): StoredLedger {
  const { settings, chains, records, checkpoints } = data;
  return {
    findKey: async () => ({
      verifierKey: settings.get("all")?.verifierKey ?? null,
      newestNote: checkpoints.all().at(-1)?.note ?? null,
    }),
    async setKey(verifierKey) {
      settings.set("all", { ...(settings.get("all") ?? noSettings), verifierKey });
    },
    async findMissingRecords(published) {
      const isHeld = (checkpoint: PublishedState) =>
        "hash" in checkpoint &&
        records
          .all()
          .some(
            ({ chain, seq, hash }) =>
              chain === checkpoint.chain && seq === checkpoint.size && hash === checkpoint.hash,
          );
      const newestOf = ({ chain }: PublishedState) =>
        chains.all().find((row) => row.chain === chain)?.seq ?? null;
      return published
        .filter((checkpoint) => !isHeld(checkpoint))
        .map((checkpoint) => ({ checkpoint, size: sizeOf(checkpoint), newest: newestOf(checkpoint) }));
    },
    // Nobody else can write to this process.
    findUncoveredRemovals: async () => [],
    findNewerCheckpoints: async (published) =>
      checkpoints
        .all()
        .filter(({ chain, size }) =>
          published.every((checkpoint) => checkpoint.chain !== chain || size > sizeOf(checkpoint)),
        )
        .map(({ chain, size, note }) => ({ chain, size, note })),
    findRotations: async () =>
      recordsOfChain(data, null)
        .filter(({ action, status }) => action === "audit.rotate_key" && status === 200)
        .map(({ payload }) =>
          String(JSON.parse((payload && readPayloadText(payload)) ?? "{}").request_body?.statement),
        ),
    findErasures: async () =>
      records
        .all()
        .filter(({ action }) => action === "audit.redact")
        .flatMap(({ at, payload }) => {
          const { erased } = JSON.parse((payload && readPayloadText(payload)) ?? "{}");
          return erased === undefined ? [] : [{ at, subjects: erased }];
        }),
  };
}

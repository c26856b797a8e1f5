// Owns `memledger doctor --fix`: lists what can be repaired safely, and repairs it with --apply. Needs the lock, so that no server uses the
// directory. Must never touch the ledger, nor anything in a database whose file is damaged.

import { recordRepairs } from "../../calls/operations/ledger/record-repairs.ts";
import { type DatabaseFaults, isFaultless } from "../../calls/storage/repairs.ts";
import { startEmbedder } from "../../models/embedding/embedder.ts";
import { createLogger } from "../../platform/log/logger.ts";
import { counted } from "../../platform/text/plural.ts";
import type { Config } from "../../server/config/config.ts";
import {
  type LockedDirectory,
  lockDirectory,
  openAdministration,
} from "../../server/data-directory/directory-lock.ts";
import { isDatabaseMissing } from "../../server/data-directory/lost-database.ts";
import {
  type FileRepair,
  findFileRepairs,
  repairFile,
} from "../../server/data-directory/repairable-files.ts";
import { chooseModelInUse } from "../../server/model/model-in-use.ts";
import { dataOf, performHere } from "../access/administer.ts";
import { failureMessage } from "../failure-message.ts";

/** What was found, or repaired. */
export interface Repair {
  readonly applied: boolean;
  readonly files: readonly FileRepair[];
  /** Null: the database is not touched; `untouched` says why. */
  readonly database: DatabaseFaults | null;
  readonly untouched: string | null;
}

/** @throws DirectoryInUse while a server runs */
export async function repair(config: Config, isApplied: boolean): Promise<Repair> {
  const locked = await lockDirectory(config.dataDir);
  try {
    const { database, untouched } = await findDatabaseFaults(locked, config);
    const files = await findFileRepairs(locked, database !== null);
    if (isApplied) {
      if (database !== null && !isFaultless(database)) await repairDatabase(locked, config, database);
      for (const file of files) repairFile(file);
    }
    return { applied: isApplied, files, database, untouched };
  } finally {
    locked.release();
  }
}

async function findDatabaseFaults(
  locked: LockedDirectory,
  config: Config,
): Promise<Pick<Repair, "database" | "untouched">> {
  const { engine } = locked;
  const unusable = async (error: unknown, isDamaged: boolean) => {
    const reason = await failureMessage(error, config.dataDir);
    return {
      database: null,
      untouched: isDamaged ? `it is damaged; restore the last backup. ${reason}` : reason,
    };
  };
  try {
    if (await isDatabaseMissing(locked)) return { database: null, untouched: "there is no database yet" };
    await engine.requireIntactLog();
    const { format } = await engine.inspect();
    if (format < engine.format)
      return {
        database: null,
        untouched: "it has an older format; start the server once, which migrates it",
      };
  } catch (error) {
    // What the engine refuses itself, such as a database of a newer version, has a message that says what to do.
    return unusable(error, engine.explainFailure(error) !== null);
  }
  try {
    const damage = await engine.findDamage();
    if (damage.length > 0) throw new Error(`${engine.name} reports: ${damage.join("; ")}.`);
    return { database: await engine.findFaults(), untouched: null };
  } catch (error) {
    return unusable(error, true);
  }
}

async function repairDatabase(
  locked: LockedDirectory,
  config: Config,
  faults: DatabaseFaults,
): Promise<void> {
  const { engine, runtime } = locked;
  const logger = createLogger("silent");
  const { orphanVectors, missingVectors, wrongWords } = faults;
  await using parts = new AsyncDisposableStack();
  const embedder =
    missingVectors === 0
      ? null
      : await startEmbedder({ runtime, model: await chooseModelInUse(config, locked, logger) });
  parts.defer(async () => embedder?.close());
  await requireModel(locked, embedder?.model.sha256);
  const { perform, close } = await openAdministration(locked, config, logger);
  try {
    const input = { orphan_vectors: orphanVectors, missing_vectors: missingVectors, wrong_words: wrongWords };
    dataOf(await performHere(perform, recordRepairs, input));
  } finally {
    await close();
  }
  await engine.repair(wrongWords > 0, {
    async embed(content) {
      if (embedder === null) throw new Error("No model was loaded, because no vector was missing.");
      return embedder.embed(content, "passage");
    },
  });
}

async function requireModel({ engine }: LockedDirectory, sha256: string | undefined): Promise<void> {
  const { model } = await engine.inspect();
  if (sha256 === undefined || model === null || model.sha256 === sha256) return;
  throw new Error(
    `Memories have no embedding of the model ${model.id}, but another model is configured. Set --model to the directory of ${model.id}, and run the command again.`,
  );
}

export function describeRepair({ applied, files, database, untouched }: Repair): string {
  const lines = files.map(({ path, action, reason }) => {
    const [done, toDo] = action === "remove" ? ["Removed", "Remove"] : ["Restricted", "Restrict"];
    return `${applied ? done : toDo} ${path}: ${reason}.`;
  });
  if (database !== null) lines.push(...describeFaults(database, applied));
  const what = applied ? "Repaired" : "Would be repaired";
  const nothing = applied ? "Nothing was repaired." : "Nothing to repair.";
  const parts = lines.length === 0 ? [] : [`${what}:\n${lines.map((line) => `- ${line}`).join("\n")}`];
  if (lines.length === 0 && untouched === null) parts.push(nothing);
  if (untouched !== null) parts.push(`The database was not examined: ${untouched}`);
  if (!applied && lines.length > 0) parts.push("Nothing was changed. To repair this, add --apply.");
  return parts.join("\n\n");
}

function describeFaults(faults: DatabaseFaults, applied: boolean): string[] {
  const { orphanVectors, missingVectors, wrongWords } = faults;
  const lines = [
    [orphanVectors, applied ? "Deleted" : "Delete", counted(orphanVectors, "embedding"), "without a memory"],
    [
      missingVectors,
      applied ? "Embedded" : "Embed",
      counted(missingVectors, "memory", "memories"),
      "without an embedding",
    ],
    [
      wrongWords,
      applied ? "Made" : "Make",
      "the keyword index",
      `again, which is wrong for ${counted(wrongWords, "memory", "memories")}`,
    ],
  ] as const;
  return lines.flatMap(([number, verb, what, why]) => (number === 0 ? [] : [`${verb} ${what} ${why}.`]));
}

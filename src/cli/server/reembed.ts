// Binds `memledger reembed`: changes the embedding model, beside a running server or without one. Checks the new model and the disk
// before anything is changed. model-change/ has the rules.

import type { Command } from "commander";
import { requireDiskSpace } from "../../calls/operations/model-change/disk-space.ts";
import {
  beginModelChange,
  cancelModelChange,
  describeModel,
} from "../../calls/operations/model-change/operations.ts";
import type { Engine, Inspection } from "../../calls/storage/engine.ts";
import type { ModelBinding } from "../../calls/storage/model-change-store.ts";
import { chooseEngine } from "../../engines/engines.ts";
import { type ModelIdentity, startEmbedder } from "../../models/embedding/embedder.ts";
import type { ModelSource } from "../../models/embedding/model-directory.ts";
import { isObject } from "../../platform/json/json.ts";
import { createLogger } from "../../platform/log/logger.ts";
import { prepareRuntime } from "../../platform/native/runtime.ts";
import { counted } from "../../platform/text/plural.ts";
import { createClock } from "../../platform/time/clock.ts";
import type { Config } from "../../server/config/config.ts";
import { settings } from "../../server/config/settings.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import {
  type LockedDirectory,
  lockDirectory,
  openAdministration,
  requireDatabase,
} from "../../server/data-directory/directory-lock.ts";
import { continueModelChange } from "../../server/model/changing-model.ts";
import { removeModelCopy, saveModelCopy } from "../../server/model/model-copies.ts";
import { chooseModel } from "../../server/model/model-in-use.ts";
import { administer, askOrPerform, dataOf, performHere } from "../access/administer.ts";
import { addSettings, bindWork, type Session } from "../command.ts";
import { createRateProgress, type RateProgress } from "../rate-progress.ts";
import type { Report, Terminal } from "../terminal.ts";

const pollMs = 250;
/** If nothing was done for so long, the server is asked whether it still runs. */
const silentMs = 5_000;

export function addReembedCommand(program: Command, session: Session): void {
  const command = program
    .command("reembed")
    .description(
      "Change the embedding model: compute the embeddings of all memories with the configured model. Works beside a running server, which serves the previous embeddings until all are computed. If it is interrupted, run it again, or start the server: it resumes.",
    )
    .option("--cancel", "cancel a change that is in progress; the model in use stays");
  addSettings(command, [settings.model, settings.embedders, settings.embeddingThreads]);
  bindWork(command, session, ({ config, options, terminal }) =>
    options.cancel === true ? cancel(config) : change(config, terminal),
  );
}

async function cancel(config: Config): Promise<Report> {
  const data = await administer(config, cancelModelChange, {});
  const { cancelled } = isObject(data) ? data : {};
  if (isObject(cancelled)) removeModelCopy(config.dataDir, String(cancelled.sha256));
  return { data, text: "The change of the model was cancelled. The model in use and its embeddings stay." };
}

async function change(config: Config, terminal: Terminal): Promise<Report> {
  await requireDatabase(config.dataDir);
  const directory = locate(config.dataDir);
  const source = chooseModel(config);
  const runtime = prepareRuntime(directory.runtime);
  const engine = chooseEngine(directory, () => runtime);
  const before = await engine.inspect().catch((error: unknown) => explainUnusable(config, error));
  const wanted = await tryModel(source, { runtime, threads: config.embeddingThreads });
  const isNew = before.model?.sha256 !== wanted.sha256;
  if (isNew && before.modelChange === null) requireDiskSpace(directory.root, before.memories, source, wanted);
  // While another change is in progress, this one is refused. A copy of the model in use that was damaged is made again.
  const isOther = before.modelChange !== null && before.modelChange.to.sha256 !== wanted.sha256;
  if (!isOther) saveModelCopy(directory.root, source);

  const progress = createRateProgress(terminal);
  const input = { id: wanted.id, sha256: wanted.sha256, dimensions: wanted.dimensions };
  try {
    const where = await askOrPerform<"server" | "here">(
      config,
      async (ask) => {
        const reply = await ask(beginModelChange, input);
        if (reply === null) return null;
        dataOf(reply);
        return "server";
      },
      async (locked) => {
        await changeHere(locked, config, wanted, progress);
        return "here";
      },
    );
    if (where === "server") await followServer(engine, config, wanted, progress);
    const isChanged = isNew || before.modelChange !== null;
    return report(await engine.inspect(), wanted, isChanged);
  } finally {
    progress.clear();
  }
}

/** @throws Error as every command that opens this database; else `error` */
async function explainUnusable(config: Config, error: unknown): Promise<never> {
  const locked = await lockDirectory(config.dataDir);
  try {
    const { close } = await openAdministration(locked, config, createLogger("silent"));
    await close();
  } finally {
    locked.release();
  }
  throw error;
}

/** Loads the model as the server will. @throws Error that says what is wrong with it */
async function tryModel(
  model: ModelSource,
  options: Pick<Parameters<typeof startEmbedder>[0], "runtime" | "threads">,
): Promise<ModelBinding> {
  const embedder = await startEmbedder({ ...options, model });
  try {
    await embedder.embed("Does the model work?", "passage");
    const { id, sha256, dimensions }: ModelIdentity = embedder.model;
    return { id, sha256, dimensions };
  } finally {
    await embedder.close();
  }
}

/** No server runs: the command does its work while it has the lock. */
async function changeHere(
  locked: LockedDirectory,
  config: Config,
  { id, sha256, dimensions }: ModelBinding,
  progress: RateProgress,
): Promise<void> {
  const { engine, runtime, directory } = locked;
  await engine.requireIntactLog();
  const logger = createLogger(config.logLevel === "debug" ? "debug" : "silent");
  await using parts = new AsyncDisposableStack();
  const { perform, store, close } = await openAdministration(locked, config, logger);
  parts.defer(close);
  const input = { id, sha256, dimensions };
  dataOf(await performHere(perform, beginModelChange, input));
  const running = continueModelChange({
    root: directory.root,
    runtime,
    threads: config.embeddingThreads,
    embedders: config.embedders,
    store,
    perform,
    // No calls run.
    calls: { whenIdle: async () => {}, pause() {}, resume() {} },
    onChanged: (next) => next.close(),
    clock: createClock(),
    logger,
  });
  parts.defer(() => running.close());
  const memories = await store.models.count();
  let isSettled = false;
  const settled = running.settled().finally(() => {
    isSettled = true;
  });
  while (!isSettled) {
    await Promise.race([settled, Bun.sleep(pollMs)]);
    const current = await store.models.change();
    if (current !== null) progress.show(Math.min(current.done, memories), memories);
  }
  await settled;
}

/** Shows how far the server is, until it is done. */
async function followServer(
  engine: Engine,
  config: Config,
  { id, sha256, dimensions }: ModelBinding,
  progress: RateProgress,
): Promise<void> {
  let done = -1;
  let changedAtMs = performance.now();
  for (;;) {
    const { modelChange, memories } = await engine.inspect();
    if (modelChange === null || modelChange.to.sha256 !== sha256 || modelChange.failure !== null) return;
    if (modelChange.done !== done) changedAtMs = performance.now();
    done = modelChange.done;
    progress.show(Math.min(done, memories), memories);
    if (performance.now() - changedAtMs > silentMs) {
      const isServed = await askOrPerform(
        config,
        async (ask) => ((await ask(beginModelChange, { id, sha256, dimensions })) === null ? null : true),
        async () => false,
      );
      if (!isServed) throw new Error(stopped);
      changedAtMs = performance.now();
    }
    await Bun.sleep(pollMs);
  }
}

const stopped =
  "The server stopped before the model was changed. The change continues when the server starts again, or when you run this command again. Until it is finished, the previous model is in use.";

function report(
  { model, modelChange, memories }: Inspection,
  wanted: ModelBinding,
  isChanged: boolean,
): Report {
  if (model?.sha256 === wanted.sha256) {
    const name = `${model.id} (${model.dimensions} dimensions)`;
    const text = isChanged
      ? `Embedded ${counted(memories, "memory", "memories")} with ${name}.`
      : `No embedding was changed: ${counted(memories, "memory has", "memories have")} embeddings of ${name} already.`;
    return { data: { memories, model }, text };
  }
  if (modelChange !== null && modelChange.failure !== null) {
    throw new Error(
      `The change to ${describeModel(wanted)} failed: ${modelChange.failure} The previous model stays in use. Correct this and run the command again, or add --cancel.`,
    );
  }
  throw new Error(
    `The change to ${describeModel(wanted)} was cancelled, or another one replaced it. The model in use is ${model === null ? "not known yet" : describeModel(model)}.`,
  );
}

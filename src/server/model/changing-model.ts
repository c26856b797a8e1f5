// Owns how a process of a data directory continues a change of the embedding model: the model's copy, its thread, and the operation that
// replaces the vectors. model-change/ has the rules.

import {
  type CallsOfModel,
  type RunningModelChange,
  startModelChange,
} from "../../calls/operations/model-change/model-change.ts";
import { changeModel } from "../../calls/operations/model-change/operations.ts";
import type { Perform } from "../../calls/perform.ts";
import type { ModelBinding } from "../../calls/storage/model-change-store.ts";
import type { Store } from "../../calls/storage/store.ts";
import { type Embedder, type EmbedderOptions, startEmbedder } from "../../models/embedding/embedder.ts";
import type { Logger } from "../../platform/log/logger.ts";
import { serverItself } from "../../platform/scheduling/fair-queue.ts";
import type { Clock } from "../../platform/time/clock.ts";
import { administrationRequest } from "../data-directory/administration.ts";
import { findModelCopy, removeOtherModels } from "./model-copies.ts";

interface ChangingOptions extends Pick<EmbedderOptions, "runtime" | "threads" | "embedders" | "supervisor"> {
  /** Path of the data directory. */
  readonly root: string;
  readonly store: Pick<Store, "models">;
  readonly perform: Perform;
  readonly calls: CallsOfModel;
  /** As of startModelChange. */
  readonly modelOfCalls?: () => string;
  /** Takes the embedder of the new model. */
  readonly onChanged: (next: Embedder) => Promise<void>;
  readonly clock: Clock;
  readonly logger: Logger;
}

export function continueModelChange(options: ChangingOptions): RunningModelChange {
  const { root, store, perform, onChanged, ...rest } = options;
  return startModelChange({
    ...rest,
    vectors: store.models,
    load: (model) => load(model, options),
    async switchModel(sha256) {
      return (await perform(changeModel, administrationRequest("server", { sha256 }))).answer;
    },
    async onChanged({ embedder }) {
      await onChanged(embedder);
      removeOtherModels(root, embedder.model.sha256);
    },
  });
}

/** @throws Error that says what to do */
async function load(model: ModelBinding, options: ChangingOptions) {
  const { root, runtime, threads = 1, embedders = 1, supervisor, clock, logger } = options;
  const source = findModelCopy(root, model.sha256);
  if (source === null) {
    throw new Error(
      `The data directory has no copy of the model ${model.id}. Run memledger reembed again with its directory, or cancel the change with memledger reembed --cancel.`,
    );
  }
  const supervised = supervisor === undefined ? {} : { supervisor };
  const embedder = await startEmbedder({
    runtime,
    model: source,
    threads,
    embedders,
    clock,
    logger,
    ...supervised,
  });
  const { id, sha256, dimensions } = embedder.model;
  return {
    embedder,
    model: { id, sha256, dimensions },
    embed: (content: string) => embedder.embed(content, "passage", serverItself),
    close: () => embedder.close(),
  };
}

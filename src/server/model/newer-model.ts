// Owns the change to the newest built-in model that a server begins by itself, for a data directory of an earlier version. Must never
// change a model that the configuration names.

import { requireDiskSpace } from "../../calls/operations/model-change/disk-space.ts";
import { beginModelChange } from "../../calls/operations/model-change/operations.ts";
import type { Perform } from "../../calls/perform.ts";
import type { ModelBinding } from "../../calls/storage/model-change-store.ts";
import type { Store } from "../../calls/storage/store.ts";
import { identify } from "../../models/embedding/model.ts";
import { builtInModels } from "../../models/embedding/model-directory.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Config } from "../config/config.ts";
import { administer, administrationRequest } from "../data-directory/administration.ts";

interface NewerModelOptions {
  readonly config: Pick<Config, "model">;
  /** Path of the data directory. */
  readonly root: string;
  /** The model in use. */
  readonly model: Pick<ModelBinding, "id" | "sha256">;
  readonly store: Pick<Store, "models">;
  readonly perform: Perform;
  readonly logger: Logger;
}

/** Does nothing while a change is in progress, whatever its model. What prevents the change is logged, and tried again at the next start. */
export async function beginNewerModel(options: NewerModelOptions): Promise<void> {
  const { config, root, model, store, perform, logger } = options;
  if (config.model !== null) return;
  const [newest, ...earlier] = builtInModels();
  if (newest === undefined || !earlier.some(({ sha256 }) => sha256 === model.sha256)) return;
  try {
    if ((await store.models.change()) !== null) return;
    const { id, sha256, dimensions } = identify(newest);
    const to = { id, sha256, dimensions };
    requireDiskSpace(root, await store.models.count(), newest, to);
    await administer(perform, beginModelChange, administrationRequest("server", to));
    logger.info("a change to the newer built-in embedding model began", { model: model.id, newer: id });
  } catch (error) {
    logger.warn("the data directory keeps an earlier embedding model", {
      model: model.id,
      newer: newest.id,
      reason: error instanceof Error ? error.message : String(error),
      remedy: "remove the cause, then run memledger reembed or restart the server",
    });
  }
}

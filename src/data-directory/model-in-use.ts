// Owns which embedding model a server of a data directory loads: the configured one, or the one that the data directory was changed to.

import type { Config } from "../config/config.ts";
import { defaultModel, type ModelSource, readModelDirectory } from "../embedding/model-directory.ts";
import type { Logger } from "../log/logger.ts";
import type { Inspection } from "../storage/engine.ts";
import { findKeptModel } from "./kept-models.ts";
import { type DatabasePlace, isDatabaseMissing } from "./lost-database.ts";

/** The model that the configuration names. @throws Error that says what to do about its directory. */
export function chooseModel({ model }: Pick<Config, "model">): ModelSource {
  return model === null ? defaultModel() : readModelDirectory(model);
}

/**
 * The model of the vectors in the database, if the data directory has it and the configuration does not name a model that it was never
 * changed from. Else the configured one, which `Engine.open` compares with the database.
 * @throws Error that says what to do about the configured directory, or about the copy in the data directory
 */
export async function chooseModelInUse(
  config: Pick<Config, "model">,
  { directory: { root }, engine }: DatabasePlace,
  logger: Logger,
): Promise<ModelSource> {
  const { model, formerModels } = (await isDatabaseMissing({ engine }))
    ? nothingBound
    : await engine.inspect();
  // Without a change, the model is that of the configuration, as it always was.
  if (model === null || formerModels.length === 0) return chooseModel(config);
  const kept = findKeptModel(root, model.sha256);
  if (kept === null || config.model === null) return kept ?? chooseModel(config);
  const configured = tryToChoose(config);
  if (configured?.sha256 === kept.sha256) return kept;
  if (configured !== null && !formerModels.includes(configured.sha256)) return configured;
  logger.warn("the setting model names a former model; the model that it was changed to is used", {
    model: model.id,
    setting: config.model,
    remedy: "remove the setting model, or change the model with memledger reembed",
  });
  return kept;
}

const nothingBound: Pick<Inspection, "model" | "formerModels"> = { model: null, formerModels: [] };

/** Null: its directory cannot be used any more, such as one that was removed after the change. */
function tryToChoose(config: Pick<Config, "model">): ModelSource | null {
  try {
    return chooseModel(config);
  } catch {
    return null;
  }
}

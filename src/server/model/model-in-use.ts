// Owns which embedding model a server of a data directory loads: the configured one, or the one that the data directory was changed to.

import { existsSync } from "node:fs";
import { basename } from "node:path";
import type { Inspection } from "../../calls/storage/engine.ts";
import {
  builtInModels,
  defaultModel,
  type ModelSource,
  readModelDirectory,
} from "../../models/embedding/model-directory.ts";
import type { Logger } from "../../platform/log/logger.ts";
import type { Config } from "../config/config.ts";
import { type DatabasePlace, isDatabaseMissing } from "../data-directory/lost-database.ts";
import { findModelCopy } from "./model-copies.ts";

/** The model that the configuration names: a directory, or a built-in model. @throws Error that says what to do about its directory. */
export function chooseModel({ model }: Pick<Config, "model">): ModelSource {
  if (model === null) return defaultModel();
  const named = existsSync(model) ? undefined : builtInModels().find(({ id }) => id === basename(model));
  return named ?? readModelDirectory(model);
}

/**
 * The model of the vectors in the database, if it is built in or the data directory has it, and the configuration does not name a model
 * that the database was never changed from. Else the configured one, which `Engine.open` compares with the database.
 * @throws Error that says what to do about the configured directory, or about the copy in the data directory
 */
export async function chooseModelInUse(
  config: Pick<Config, "model">,
  { directory: { root }, engine }: DatabasePlace,
  logger: Logger,
): Promise<ModelSource> {
  const { model, previousModels } = (await isDatabaseMissing({ engine }))
    ? nothingBound
    : await engine.inspect();
  if (model === null) return chooseModel(config);
  // Without a change, a configured model is the one that counts.
  if (config.model !== null && previousModels.length === 0) return chooseModel(config);
  const kept = findModelCopy(root, model.sha256);
  if (kept === null) return chooseModel(config);
  if (config.model === null) return kept;
  const configured = tryToChoose(config);
  if (configured?.sha256 === kept.sha256) return kept;
  if (configured !== null && !previousModels.includes(configured.sha256)) return configured;
  logger.warn("the setting model names a previous model; the model that it was changed to is used", {
    model: model.id,
    setting: config.model,
    remedy: "remove the setting model, or change the model with memledger reembed",
  });
  return kept;
}

const nothingBound: Pick<Inspection, "model" | "previousModels"> = { model: null, previousModels: [] };

/** Null: its directory cannot be used any more, such as one that was removed after the change. */
function tryToChoose(config: Pick<Config, "model">): ModelSource | null {
  try {
    return chooseModel(config);
  } catch {
    return null;
  }
}

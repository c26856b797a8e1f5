// Ensures that vectors of two models are never compared: the models that computed the vectors of a call are compared in the
// transaction with the model of the vectors in the database. Must never compute a vector itself.

import { unavailable } from "../platform/errors.ts";
import { type Refused, toRefusalAnswer } from "./contract/answer.ts";
import type { Call } from "./contract/call.ts";
import type { SettledCall } from "./storage/after-commit.ts";
import type { Transaction } from "./storage/store.ts";

/** For one preparation of a call. */
export interface ModelWatch {
  /** A vector of this model was computed for the call. @param model its SHA-256 */
  used(model: string): void;
  /** SHA-256 of each model that was used; undefined: none. */
  readonly models: readonly string[] | undefined;
}

export function createModelWatch(): ModelWatch {
  const models = new Set<string>();
  return {
    used: (model) => void models.add(model),
    get models() {
      return models.size === 0 ? undefined : [...models];
    },
  };
}

/** Whether the call has vectors of another model than the database. Needs the lock of the call's chain. */
export async function isOfOtherModel(
  { models: transaction }: Transaction,
  { decision: { models } }: Call,
): Promise<boolean> {
  if (models === undefined) return false;
  const bound = await transaction.bound();
  return models.some((model) => model !== bound?.sha256);
}

const { code, message, data, retryAfterSeconds } = unavailable(
  "The embedding model was changed while this call was performed, so nothing was done. Send the call again.",
);

/** The refusal of a call that is not prepared again. Plain data, because it travels between threads. */
export const ofOtherModel: Refused = { code, message, data, retryAfterSeconds };

/** Nothing of the call has happened, and it has no record. */
export const settledOfOtherModel: SettledCall = {
  answer: { ...toRefusalAnswer(ofOtherModel), outdatedBy: "model" },
  after: [],
};

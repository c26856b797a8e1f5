// Names the model that the tests run with: the one that is shipped, or MEMLEDGER_TEST_MODEL. Must never fall back to another.

import {
  defaultModel,
  type ModelSource,
  readModelDirectory,
} from "../../../src/models/embedding/model-directory.ts";

export function realModel(): ModelSource {
  const other = process.env.MEMLEDGER_TEST_MODEL;
  return other === undefined ? defaultModel() : readModelDirectory(other);
}

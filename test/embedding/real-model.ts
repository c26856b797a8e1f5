// Names the model that the tests run with: the one that is shipped, or MEMLEDGER_TEST_MODEL. Must never fall back to another.

import { join } from "node:path";
import type { ModelSource } from "../../src/embedding/model-directory.ts";
import { readModelDirectory } from "../../src/embedding/model-directory.ts";

export function realModel(): ModelSource {
  const shipped = join(import.meta.dir, "../../models/memledger-embed-v1");
  return readModelDirectory(process.env.MEMLEDGER_TEST_MODEL ?? shipped);
}

// Compares random lives of a server with the model. Other lives each day; MODEL_SEED repeats one of them, and
// MODEL_STEPS makes it longer.

import { expect, test } from "bun:test";
import { live } from "./model-run.ts";

const { MODEL_SEED, MODEL_STEPS } = process.env;
const seed = Number(MODEL_SEED ?? Math.floor(Date.now() / 86_400_000));
const steps = Number(MODEL_STEPS ?? 400);

test(
  `whatever happens to a server, every call leaves its one record and the ledger verifies (seed ${seed}, ${steps} steps)`,
  async () => {
    const { records } = await live({ seed, steps });
    expect(records).toBeGreaterThan(steps / 2);
  },
  60_000 + 500 * steps,
);

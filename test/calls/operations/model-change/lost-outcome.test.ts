// The thread that writes ends while it commits the switch: nobody is told the outcome, and the database does not answer for a while.

import { expect, test } from "bun:test";
import { startModelChange } from "../../../../src/calls/operations/model-change/model-change.ts";
import type {
  ModelBinding,
  ModelChange,
  ModelVectors,
} from "../../../../src/calls/storage/model-change-store.ts";
import { unavailable } from "../../../../src/platform/errors.ts";
import { createLogger } from "../../../../src/platform/log/logger.ts";
import { createClock } from "../../../../src/platform/time/clock.ts";

const former: ModelBinding = { id: "former", sha256: "a".repeat(64), dimensions: 2 };
const next: ModelBinding = { id: "next", sha256: "b".repeat(64), dimensions: 2 };

test("calls use the new model when the outcome of the switch becomes known later", async () => {
  let bound = former;
  let change: ModelChange | null = { to: next, startedAt: 1, done: 0, failure: null };
  let isDown = false;
  const answer = async <Value>(value: Value): Promise<Value> => {
    if (isDown) throw unavailable("The thread that writes is restarting.");
    return value;
  };
  const vectors: ModelVectors = {
    bound: () => answer(bound),
    change: () => answer(change),
    count: () => answer(0),
    findMissing: () => answer([]),
    add: async () => {},
    async fail(_change, reason) {
      throw new Error(`The change must not fail: ${reason}`);
    },
  };
  let model = former;
  const running = startModelChange({
    vectors,
    async switchModel() {
      bound = next;
      change = null;
      isDown = true;
      return { code: 1503, message: "The outcome is unknown." };
    },
    load: async (loaded) => ({
      model: loaded,
      embed: async () => new Float32Array(2),
      close: async () => {},
    }),
    calls: { whenIdle: async () => {}, pause() {}, resume() {} },
    modelOfCalls: () => model.sha256,
    async onChanged({ model: changed }) {
      model = changed;
    },
    clock: {
      ...createClock(),
      async sleep() {
        isDown = false;
      },
    },
    logger: createLogger("silent"),
  });
  await running.settled();
  expect(model).toEqual(next);
  await running.close();
});

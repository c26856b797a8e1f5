// Proves that what waits for its turn lets everything else in between.

import { expect, test } from "bun:test";
import { createTurns } from "../../../src/platform/scheduling/turns.ts";

test("each turn is one of the event loop, in the order of the calls", async () => {
  const nextTurn = createTurns();
  const events: string[] = [];
  const work = async (name: string) => {
    await nextTurn();
    events.push(name);
    setImmediate(() => events.push(`something else after ${name}`));
  };
  await Promise.all([work("first"), work("second"), work("third")]);
  expect(events).toEqual([
    "first",
    "something else after first",
    "second",
    "something else after second",
    "third",
  ]);
});

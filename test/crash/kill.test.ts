// A short kill loop in the default suite; `bun run proof` runs the long one.

import { afterEach, expect, test } from "bun:test";
import { killRepeatedly } from "./kill.ts";
import { killAll } from "./server.ts";

afterEach(killAll);

test("a server that is killed under load has every answered call, one record for each, and no half of any other", async () => {
  const { kills, answered, faults } = await killRepeatedly({ kills: 3, seed: 1 });
  expect(faults).toEqual([]);
  expect(kills).toBe(3);
  expect(answered).toBeGreaterThan(20);
}, 60_000);

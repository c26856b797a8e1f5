// A short kill loop in the default suite; `bun run proof` runs the long one.

import { afterEach, expect, test } from "bun:test";
import { findLeftovers } from "../soak/leftovers.ts";
import { killRepeatedly } from "./kill.ts";
import { createLoad } from "./load.ts";
import { killAll, startServer, temporaryFolder } from "./server.ts";

afterEach(killAll);

test("a server that is killed under load has every answered call, one record for each, and no half of any other", async () => {
  const { kills, answered, faults } = await killRepeatedly({ kills: 3, seed: 1 });
  expect(faults).toEqual([]);
  expect(kills).toBe(3);
  expect(answered).toBeGreaterThan(20);
});

test("a server that ends while deleted memories still wait for their removal leaves them to the next start, without a complaint", async () => {
  using folder = temporaryFolder();
  const server = await startServer({ dataDir: `${folder.path}/data` });
  const target = { url: server.url, key: server.apiKey ?? "" };
  const load = createLoad(1);
  await Promise.all(Array.from({ length: 600 }, () => load.send(target, "memory.create")));
  const headers = { Authorization: `Bearer ${target.key}` };
  const { status } = await fetch(`${server.url}/v1/memories`, { method: "DELETE", headers });
  expect([status, await server.stop(), server.log()]).toEqual([200, 0, ""]);
  expect(findLeftovers(`${folder.path}/data`)).toEqual([]);
});

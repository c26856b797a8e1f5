// The answer cache of an earlier version is removed when the server starts, because it may contain texts that are erased now.

import { afterAll, expect, test } from "bun:test";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

test("its folder is gone after a start, whatever is in it, and the rest of the cache stays", async () => {
  const cache = join(app.config.dataDir, "cache");
  const folder = join(cache, "answers");
  await app.restart(async () => {
    mkdirSync(folder, { recursive: true });
    for (const name of ["answers.db", "answers.db-wal", "other"]) writeFileSync(join(folder, name), "secret");
  });
  expect(existsSync(folder)).toBe(false);
  expect(existsSync(cache)).toBe(true);
});

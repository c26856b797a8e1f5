// A folder on a disk of its own that is full, read-only, or not mounted: records are kept nowhere else, nothing is dropped, and the folder is not written while
// its disk is away.

import { afterEach, expect } from "bun:test";
import { mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { whyNoMount } from "../../crash/disk-faults.ts";
import type { TestApp } from "../../fixture.ts";
import { testWith } from "../../needs.ts";
import { cleanUp, create, createFolder, startWith, until } from "../attesting/witnessed.ts";
import { keptIn, rangesIn, signed, verify } from "./kept.ts";

let mounted: string | null = null;
const run = (...words: string[]) => expect(Bun.spawnSync(words).exitCode).toBe(0);
afterEach(async () => {
  if (mounted !== null) Bun.spawnSync(["umount", "-l", mounted]);
  mounted = null;
  await cleanUp();
});

/** Waits until something else is said. */
async function complaint(app: TestApp): Promise<string> {
  const known = app.complaints.length;
  await create(app);
  await signed(app);
  return until(app, async () => app.complaints[known] ?? null);
}

testWith(whyNoMount())("a disk that is full, read-only or not mounted gets everything later", async () => {
  const folder = join(createFolder(), "disk");
  mkdirSync(folder);
  const mount = ["mount", "-t", "tmpfs", "-o", "size=1m", "memledger-test", folder];
  run(...mount);
  mounted = folder;
  const app = await startWith([], { keep: folder });
  await create(app);
  const first = await keptIn(app, folder);
  const filler = join(folder, "filler");
  try {
    writeFileSync(filler, Buffer.alloc(2 * 1024 * 1024));
  } catch {
    // The disk is full.
  }
  expect(await complaint(app)).toContain("no space is left on the disk. Free disk space.");
  expect(rangesIn(folder, first.chain)).toEqual(first.ranges);
  rmSync(filler);
  run("mount", "-o", "remount,ro", folder);
  app.passTime(700_000);
  expect(await complaint(app)).toContain("the file system is read-only. Mount it read-write.");
  run("mount", "-o", "remount,rw", folder);
  app.passTime(700_000);
  const second = await keptIn(app, folder);
  run("umount", folder);
  mounted = null;
  app.passTime(700_000);
  expect(await complaint(app)).toContain(
    "was on another disk when the last records were kept in it. Mount this disk.",
  );
  expect(readdirSync(folder)).toEqual([]);
  run(...mount);
  mounted = folder;
  app.passTime(700_000);
  // Another disk in its place gets what is new, and the rest is on the first one.
  const third = await keptIn(app, folder);
  expect(third.ranges[0]).toStartWith(`${second.size + 1}-`);
  expect((await verify(folder, join(app.config.dataDir, "audit.pub"))).failure).toBeNull();
});

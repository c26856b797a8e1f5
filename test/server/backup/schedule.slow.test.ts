// Scheduled backups of a running server: when they are made, which are removed, and what happens while the folder cannot be used. The
// clock is moved, so nothing here waits for the time.

import { afterEach, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { listKnownBackups } from "../../../src/calls/operations/backups/known-backups.ts";
import { readBackupState, rememberBackup } from "../../../src/calls/operations/backups/last-backup.ts";
import { startBackupSchedule } from "../../../src/calls/operations/backups/schedule.ts";
import type { JsonObject } from "../../../src/platform/json/json.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { createClock } from "../../../src/platform/time/clock.ts";
import { openBackupFolder } from "../../../src/server/backup/backup-folder.ts";
import { loadConfig } from "../../../src/server/config/config.ts";
import { durationMs } from "../../../src/server/config/setting.ts";
import { startTestApp, type TestApp } from "../../fixture.ts";

const hourMs = 3_600_000;
const opened: { app: TestApp; folder: string }[] = [];

afterEach(async () => {
  for (const { app, folder } of opened.splice(0)) {
    await app.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function start(flags: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), "memledger-schedule-"));
  const folder = join(root, "backups");
  const app = await startTestApp({
    "backup-dir": folder,
    "backup-every": "6h",
    "backup-keep": "2",
    ...flags,
  });
  opened.push({ app, folder: root });
  return { app, folder };
}

const filesIn = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".tar.zst"))
    .toSorted();

/** Waits for what a thread does; a test that hangs is ended by its timeout. */
async function until(isDone: () => boolean): Promise<void> {
  while (!isDone()) await Bun.sleep(5);
}

const lastOf = (app: TestApp) => readBackupState(app.config.dataDir);

test("the first one is made at once, the next after the time, and the oldest is removed", async () => {
  const { app, folder } = await start();
  await until(() => lastOf(app).last !== null);
  expect(filesIn(folder)).toHaveLength(1);
  const [first = ""] = filesIn(folder);
  expect(lastOf(app).last?.path).toBe(join(folder, first));
  writeFileSync(join(folder, "memledger-000000000000-2020-01-01T00-00-00-000Z.tar.zst"), "of another server");
  writeFileSync(join(folder, "notes.txt"), "of the operator");

  app.passTime(5 * hourMs);
  await Bun.sleep(50);
  expect(filesIn(folder)).toHaveLength(2);
  for (const count of [3, 3]) {
    const before = lastOf(app).last?.atMs ?? 0;
    app.passTime(6 * hourMs);
    await until(() => (lastOf(app).last?.atMs ?? 0) > before);
    await until(() => filesIn(folder).length === count);
  }
  expect(filesIn(folder)).not.toContain(first);
  expect(readdirSync(folder)).toContain("notes.txt");
  const records = app.records(null).filter(({ action }) => action === "backup.create");
  expect(records).toHaveLength(3);
  expect(records[0]?.payload).toMatchObject({ request_body: { includes_signing_key: false } });
});

test("a file from the future does not make each check due, and is removed before the others", async () => {
  const { app, folder } = await start();
  await until(() => lastOf(app).last !== null);
  const [first = ""] = filesIn(folder);
  const future = first.replace(/\d{4}-\d{2}-\d{2}T/, "2099-01-01T");
  writeFileSync(join(folder, future), "made before the clock was corrected");
  for (let check = 0; check < 3; check++) {
    app.passTime(60_000);
    await Bun.sleep(50);
  }
  expect(app.records(null).filter(({ action }) => action === "backup.create")).toHaveLength(1);
  const before = lastOf(app).last?.atMs ?? 0;
  app.passTime(6 * hourMs);
  await until(() => (lastOf(app).last?.atMs ?? 0) > before);
  await until(() => filesIn(folder).length === 2);
  expect(filesIn(folder)).toContain(first);
  expect(filesIn(folder)).not.toContain(future);
});

test("a schedule that is closed before a backup begins does not begin it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-schedule-"));
  const recorded = Promise.withResolvers<void>();
  const isRecording = Promise.withResolvers<void>();
  let made = 0;
  const schedule = startBackupSchedule({
    dataDir: folder,
    folder,
    everyMs: hourMs,
    keep: null,
    clock: createClock(),
    logger: createLogger("silent"),
    installation: async () => "0".repeat(32),
    requireFolder: () => ({ path: folder, isOnOtherDisk: false }),
    async record() {
      isRecording.resolve();
      await recorded.promise;
    },
    async make() {
      made += 1;
      return 1;
    },
    async stop() {},
  });
  await isRecording.promise;
  const closed = schedule.close();
  recorded.resolve();
  await closed;
  expect(made).toBe(0);
  rmSync(folder, { recursive: true });
});

test("the answer of an erasure lists what backups still hold, by the names of the files, with the time when each ends", async () => {
  const { app, folder } = await start();
  await until(() => lastOf(app).last !== null);
  const before = lastOf(app).last?.atMs ?? 0;
  app.passTime(6 * hourMs);
  await until(() => (lastOf(app).last?.atMs ?? 0) > before);
  const { path: newest = "", atMs = 0 } = lastOf(app).last ?? {};
  const byCommand = join(folder, "..", "by-command.tar.zst");
  writeFileSync(byCommand, "of a command");
  rememberBackup(app.config.dataDir, { atMs, bytes: 12, path: byCommand });
  const create = { content: "Ida plays the harp.", memory_type: "fact", subject: "user:1" };
  expect((await app.call("POST", "/v1/memories", { body: create })).status).toBe(201);
  const erase = (body: JsonObject) => app.call("POST", "/v1/subjects/user:1/erase", { body });
  const dry = await erase({ dry_run: true });
  const listed = dry.data.backups as { file: string; created_at: string; ends_at: string | null }[];
  expect(listed.map(({ file }) => file)).toEqual([...filesIn(folder).toReversed(), "by-command.tar.zst"]);
  expect(listed[0]).toMatchObject({ file: basename(newest), created_at: new Date(atMs).toISOString() });
  const hours = listed.map(({ ends_at }) => ends_at && Math.round((Date.parse(ends_at) - atMs) / hourMs));
  expect(hours).toEqual([12, 6, null]);
  expect(dry.text).not.toContain(folder);

  rmSync(byCommand);
  const renamed = `${folder}-away`;
  renameSync(folder, renamed);
  const { data } = await erase({});
  expect(data).toMatchObject({ erased: true, backups: null, receipt: { v: 1 } });
  renameSync(renamed, folder);
  expect((await erase({})).data).toMatchObject({ erased: false, backups: [{}, {}] });
});

test("a backup that is being made is listed, and none ends if all are kept", async () => {
  const folder = mkdtempSync(join(tmpdir(), "memledger-schedule-"));
  const [isMaking, made] = [Promise.withResolvers<string>(), Promise.withResolvers<number>()];
  const schedule = startBackupSchedule({
    dataDir: folder,
    folder,
    everyMs: hourMs,
    keep: null,
    clock: createClock(),
    logger: createLogger("silent"),
    installation: async () => "0".repeat(32),
    requireFolder: () => ({ path: folder, isOnOtherDisk: false }),
    async record() {},
    make(path) {
      isMaking.resolve(path);
      return made.promise;
    },
    async stop() {},
  });
  const path = await isMaking.promise;
  expect(await schedule.files()).toMatchObject([{ path, endsAtMs: null }]);
  expect(await listKnownBackups(folder, schedule)).toMatchObject([{ file: basename(path), endsAtMs: null }]);
  writeFileSync(path, "complete");
  expect(await schedule.files()).toHaveLength(1);
  made.resolve(8);
  await until(() => readBackupState(folder).last !== null);
  await schedule.close();
  expect(await schedule.files()).toMatchObject([{ path, endsAtMs: null }]);
  expect(await listKnownBackups(folder, null)).toMatchObject([{ file: basename(path), endsAtMs: null }]);
  rmSync(folder, { recursive: true });
});

test("a restart makes none before its time", async () => {
  const { app, folder } = await start();
  await until(() => lastOf(app).last !== null);
  await app.restart();
  app.passTime(5 * hourMs);
  await Bun.sleep(100);
  expect(filesIn(folder)).toHaveLength(1);
  // The operator has moved it away.
  for (const name of filesIn(folder)) rmSync(join(folder, name));
  app.passTime(60_000);
  await until(() => filesIn(folder).length === 1);
});

test("a failure is logged once, remembered, and repeated; the server stays ready", async () => {
  const { app, folder } = await start();
  await until(() => lastOf(app).last !== null);
  rmSync(folder, { recursive: true });
  writeFileSync(folder, "a file where the folder was");
  app.passTime(6 * hourMs);
  await until(() => lastOf(app).failure !== null);
  expect(lastOf(app).last).not.toBeNull();
  expect((await app.call("GET", "/health/ready")).status).toBe(200);
  const first = lastOf(app).failure?.atMs ?? 0;
  app.passTime(2 * 60_000);
  await until(() => (lastOf(app).failure?.atMs ?? 0) > first);
  expect(app.complaints.splice(0)).toEqual([expect.stringContaining("a scheduled backup failed")]);

  // A folder in which backups were made is not created again: its disk may not be mounted.
  rmSync(folder);
  const former = lastOf(app).failure?.atMs ?? 0;
  app.passTime(hourMs);
  await until(() => (lastOf(app).failure?.atMs ?? 0) > former);
  expect(lastOf(app).failure?.message).toMatch(
    /does not exist, but scheduled backups were made in it.*Mount/,
  );
  expect(app.complaints.splice(0)).toEqual([expect.stringContaining("a scheduled backup failed")]);
  mkdirSync(folder);
  app.passTime(hourMs);
  await until(() => lastOf(app).failure === null);
  expect(filesIn(folder)).toHaveLength(1);
});

test("a server that stops while one is made leaves no unfinished file", async () => {
  const { app, folder } = await start();
  await until(() => readdirSync(join(folder, "..")).includes("backups") && readdirSync(folder).length > 0);
  await app.restart();
  await until(() => filesIn(folder).length === 1);
  await until(() => readdirSync(folder).length === 1);
});

test("a folder inside the data directory is refused at the start", async () => {
  const root = mkdtempSync(join(tmpdir(), "memledger-schedule-"));
  mkdirSync(join(root, "data"));
  chmodSync(join(root, "data"), 0o700);
  const { startApp } = await import("../../../src/server/app.ts");
  for (const dir of ["data", "data/backups"]) {
    const { config } = loadConfig({
      flags: {
        "data-dir": join(root, "data"),
        port: "0",
        "log-level": "silent",
        "backup-dir": join(root, dir),
      },
    });
    await expect(startApp(config)).rejects.toThrow(/--backup-dir: .* is inside the data directory/);
  }
  rmSync(root, { recursive: true });
});

test("a folder whose disk is not mounted is refused", () => {
  const root = mkdtempSync(join(tmpdir(), "memledger-schedule-"));
  const [dataDir, folder] = [join(root, "data"), join(root, "disk", "backups")];
  mkdirSync(dataDir);
  expect(() => openBackupFolder(folder, dataDir)).toThrow(/because .*disk does not exist. Mount its disk/);
  mkdirSync(join(root, "disk"));
  const place = openBackupFolder(folder, dataDir);
  expect(existsSync(folder)).toBe(true);
  const last = { atMs: 1, bytes: 1, path: join(folder, "b.tar.zst") };
  rememberBackup(dataDir, last, { ...place, isOnOtherDisk: true });
  expect(() => openBackupFolder(folder, dataDir)).toThrow(/was on another disk.*Mount this disk/);
  expect(openBackupFolder(join(root, "disk", "others"), dataDir).isOnOtherDisk).toBe(false);
  // A backup by the command says nothing about the folder.
  rememberBackup(dataDir, last);
  rmSync(folder, { recursive: true });
  expect(() => openBackupFolder(folder, dataDir)).toThrow(/scheduled backups were made in it/);
  rmSync(root, { recursive: true });
});

test("durations have a unit", () => {
  expect([durationMs("30m"), durationMs("6h"), durationMs("7d")]).toEqual([
    1_800_000,
    6 * hourMs,
    168 * hourMs,
  ]);
  for (const text of ["6", "0h", "6 h", "-1h", "6s", "1.5h"]) {
    expect(() => loadConfig({ flags: { "backup-every": text }, readsFile: false })).toThrow(/30m, 6h or 7d/);
  }
});

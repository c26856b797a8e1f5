// Tests the background server with real processes: one only, however many programs start it; its end; its log; and who replaces it.

import { afterAll, describe, expect, test } from "bun:test";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { stopBackgroundServer } from "../../../src/assistants/local-access/background-server.ts";
import type { Channel } from "../../../src/assistants/local-access/channel.ts";
import { ServerUnreachable } from "../../../src/assistants/local-access/channel-failure.ts";
import { openChannel } from "../../../src/assistants/local-access/open-channel.ts";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { createClockShift, passTime } from "../../../src/platform/time/clock-shift.ts";
import { startBackgroundApp } from "../../../src/server/app.ts";
import { loadConfig } from "../../../src/server/config/config.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { findBackgroundServer } from "../../../src/server/find-background-server.ts";
import { isRunning } from "../../../src/server/start-marker.ts";
import { cleanUp, run, runJson, serve } from "../../cli/command.ts";
import { endServersAfterEach, untilEnded } from "./background.ts";

const { directory, serverOf } = endServersAfterEach();
afterAll(cleanUp);

const open = (dataDir: string) => openChannel({ dataDir, project: "default", start: true });

async function save(channel: Channel, content: string): Promise<number> {
  const body = JSON.stringify({ content, memory_type: "fact" });
  const headers = { "Content-Type": "application/json" };
  return (await channel.fetch("/v1/memories", { method: "POST", headers, body })).status;
}

const linesOf = (dataDir: string) => readFileSync(locate(dataDir).log, "utf8").split("\n");
const startsOf = (dataDir: string) =>
  linesOf(dataDir).filter((line) => line.includes('"message":"server started"')).length;

/** A program of its own, as an assistant starts it. @returns the status of its request */
async function saveInProcess(dataDir: string, content: string): Promise<string> {
  const module = join(import.meta.dir, "save-once.ts");
  const child = Bun.spawn([process.execPath, module, dataDir, content], {
    stdout: "pipe",
    stderr: "inherit",
  });
  return (await child.stdout.text()).trim();
}

describe("the start", () => {
  test("ten programs at once start one server, and each is answered", async () => {
    const dataDir = directory();
    const saved = await Promise.all(
      Array.from({ length: 10 }, (_, n) => saveInProcess(dataDir, `fact ${n}`)),
    );
    expect(saved).toEqual(Array.from({ length: 10 }, () => "201"));
    const pid = await serverOf(dataDir);
    expect(isRunning(pid)).toBe(true);
    expect(startsOf(dataDir)).toBe(1);
    expect(existsSync(locate(dataDir).startMarker)).toBe(false);
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    expect(statSync(locate(dataDir).log).mode & 0o077).toBe(0);
  });

  test("two servers started at once: one runs, the other says that the directory is in use", async () => {
    const dataDir = directory();
    const start = () => run(["serve", "--background", "--data-dir", dataDir, "--log-level", "warn"]);
    const [first, second] = [start(), start()];
    const loser = await Promise.race([first, second]);
    expect([loser.exitCode, loser.stderr]).toEqual([3, expect.stringContaining("in use")]);
    expect(await stopBackgroundServer(dataDir)).toBeNumber();
    const codes = (await Promise.all([first, second])).map(({ exitCode }) => exitCode);
    expect(codes.toSorted()).toEqual([0, 3]);
  });

  test("opens no port and creates no key with a secret", async () => {
    const dataDir = directory();
    expect(await save(open(dataDir), "x")).toBe(201);
    await serverOf(dataDir);
    expect(linesOf(dataDir).join("")).toContain('"url":null');
    const keys = await runJson(["key", "list", "--project", "default", "--data-dir", dataDir]);
    expect(keys.json).toMatchObject([{ name: "local" }]);
  });

  test("an error of the server reaches the program, with what to do", async () => {
    const dataDir = directory();
    mkdirSync(dataDir, { mode: 0o700 });
    writeFileSync(join(dataDir, "memledger.toml"), "prot = 1\n");
    const failure = await save(open(dataDir), "x").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServerUnreachable);
    expect(String(failure)).toContain("Did you mean port?");
    expect(existsSync(locate(dataDir).startMarker)).toBe(false);
  });

  test("a socket that cannot be opened is an error, because the server has no port", async () => {
    const dataDir = directory();
    mkdirSync(join(locate(dataDir).socket, "not empty"), { recursive: true, mode: 0o700 });
    const failure = await save(open(dataDir), "x").catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ServerUnreachable);
    expect(String(failure)).toContain("The local socket");
    expect(existsSync(locate(dataDir).startMarker)).toBe(false);
  });

  test("a program whose executable was moved says what to do", async () => {
    const dataDir = directory();
    const executable = join(mkdtempSync(join(tmpdir(), "memledger-test-")), "bun");
    copyFileSync(process.execPath, executable);
    const module = join(import.meta.dir, "../../../src/assistants/local-access/background-server.ts");
    const script = `import { rmSync } from "node:fs";
      import { ensureServer } from ${JSON.stringify(module)};
      rmSync(process.execPath);
      await ensureServer(process.argv[1]).catch(({ message }) => process.stdout.write(message));`;
    const child = Bun.spawn([executable, "-e", script, dataDir], { stdout: "pipe" });
    const message = await child.stdout.text();
    rmSync(dirname(executable), { recursive: true });
    expect(message).toStartWith(`The program ${executable} cannot be started: it does not exist.`);
    expect(message).toContain("memledger connect");
    expect(existsSync(locate(dataDir).startMarker)).toBe(false);
  });

  test("a mark of a process that has ended, or that is old, delays nothing", async () => {
    const ended = Bun.spawn(["true"]);
    await ended.exited;
    for (const [content, ageSeconds] of [
      [String(ended.pid), 0],
      [String(process.pid), 60],
      ["nonsense", 60],
    ] as const) {
      const dataDir = directory();
      const { startMarker } = locate(dataDir);
      mkdirSync(dataDir, { mode: 0o700 });
      writeFileSync(startMarker, content);
      const time = Date.now() / 1_000 - ageSeconds;
      utimesSync(startMarker, time, time);
      expect(await save(open(dataDir), "x")).toBe(201);
      await serverOf(dataDir);
      expect(existsSync(startMarker)).toBe(false);
    }
  });
});

describe("the end", () => {
  test("a server that was killed is started again, and nothing that was answered is lost", async () => {
    const dataDir = directory();
    const channel = open(dataDir);
    expect(await save(channel, "before")).toBe(201);
    const pid = await serverOf(dataDir);
    process.kill(pid, "SIGKILL");
    await untilEnded(pid);
    expect(await save(channel, "after")).toBe(201);
    expect(await save(channel, "before")).toBe(409);
    expect(await serverOf(dataDir)).not.toBe(pid);
  });

  test("memledger stop ends it, and says so if there is none", async () => {
    const dataDir = directory();
    expect(await save(open(dataDir), "x")).toBe(201);
    const pid = await serverOf(dataDir);
    const stopped = await runJson(["stop", "--data-dir", dataDir]);
    expect(stopped.object).toEqual({ stopped: true, pid });
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(locate(dataDir).socket)).toBe(false);
    const none = await run(["stop", "--data-dir", dataDir]);
    expect([none.exitCode, none.stdout]).toEqual([0, expect.stringContaining("No background server uses")]);
  });

  test("memledger stop says what to do if the server does not answer", async () => {
    const dataDir = directory();
    mkdirSync(dataDir);
    // A stopped process, or one whose disk hangs: connections are accepted by the system.
    const silent = Bun.listen({ unix: locate(dataDir).socket, socket: { data: () => undefined } });
    try {
      const stopped = stopBackgroundServer(dataDir, 100).catch((error: Error) => error.message);
      expect(await stopped).toContain(`The server of ${dataDir} does not answer.`);
    } finally {
      silent.stop(true);
    }
  });

  test("memledger stop leaves a server with a port alone", async () => {
    const dataDir = directory();
    const server = await serve(dataDir);
    expect((await runJson(["stop", "--data-dir", dataDir])).object).toEqual({ stopped: false, pid: null });
    expect(isRunning(server.pid)).toBe(true);
    await server.end("SIGTERM");
  });

  test("memledger serve replaces it, shows a key, and programs go on", async () => {
    const dataDir = directory();
    const channel = open(dataDir);
    expect(await save(channel, "one")).toBe(201);
    const pid = await serverOf(dataDir);
    const server = await serve(dataDir);
    expect(isRunning(pid)).toBe(false);
    expect(server.ready.api_key).toBeString();
    expect(await save(channel, "two")).toBe(201);
    expect(await findBackgroundServer(dataDir)).toBeNull();
    const all = await fetch(`${server.url}/v1/memories`, {
      headers: { Authorization: `Bearer ${server.ready.api_key}` },
    });
    expect(await all.json()).toMatchObject({ data: { pagination: { total: 2 } } });
    await server.end("SIGTERM");
    expect(existsSync(locate(dataDir).startMarker)).toBe(false);
  });

  test("a command that needs the directory names the process and how to stop it", async () => {
    const dataDir = directory();
    expect(await save(open(dataDir), "x")).toBe(201);
    const pid = await serverOf(dataDir);
    const { exitCode, stderr } = await run(["audit", "rotate-key", "--yes", "--data-dir", dataDir]);
    expect(exitCode).toBe(3);
    expect(stderr).toContain(`process ${pid}. Stop it: memledger stop --data-dir`);
  });

  test("it ends when it is idle, and not before", async () => {
    const dataDir = directory();
    const { config } = loadConfig({
      flags: { "data-dir": dataDir, "log-level": "error", "background-idle-minutes": "20" },
    });
    const clockShift = createClockShift();
    const causes: string[] = [];
    const app = await startBackgroundApp(config, {
      logger: createLogger("error"),
      clockShift,
      end: (cause) => causes.push(cause),
    });
    try {
      const channel = openChannel({ dataDir, project: "default", start: false });
      passTime(clockShift, 19 * 60_000);
      expect(await save(channel, "x")).toBe(201);
      passTime(clockShift, 19 * 60_000);
      // The question is no activity, and its answer comes after the check.
      await findBackgroundServer(dataDir);
      expect(causes).toEqual([]);
      passTime(clockShift, 2 * 60_000);
      while (causes.length === 0) await Bun.sleep(10);
      expect(causes[0]).toBe("idle");
    } finally {
      await app.close();
    }
  });

  test("after its directory was removed, programs use a new server, and the previous one ends and leaves the new socket", async () => {
    const dataDir = directory();
    const flags = { "data-dir": dataDir, "log-level": "silent", "background-idle-minutes": "unlimited" };
    const clockShift = createClockShift();
    const { promise: ended, resolve: end } = Promise.withResolvers<string>();
    const former = await startBackgroundApp(loadConfig({ flags }).config, { clockShift, end });
    const channel = open(dataDir);
    expect(await save(channel, "lost")).toBe(201);
    rmSync(dataDir, { recursive: true });
    expect(await save(channel, "kept")).toBe(201);
    const pid = await serverOf(dataDir);
    expect(pid).not.toBe(process.pid);
    passTime(clockShift, 60_000);
    expect(await ended).toBe("its local socket was removed or replaced");
    await former.close();
    expect(await findBackgroundServer(dataDir)).toBe(pid);
    expect(await save(channel, "kept, too")).toBe(201);
  });

  test("it does not end if it is told to stay", async () => {
    const dataDir = directory();
    const flags = { "data-dir": dataDir, "log-level": "error", "background-idle-minutes": "unlimited" };
    const clockShift = createClockShift();
    const causes: string[] = [];
    const app = await startBackgroundApp(loadConfig({ flags }).config, {
      logger: createLogger("error"),
      clockShift,
      end: (cause) => causes.push(cause),
    });
    passTime(clockShift, 1_000 * 60_000);
    await findBackgroundServer(dataDir);
    await app.close();
    expect(causes).toEqual([]);
  });
});

test("the log begins again when it is too long, also while it is written", async () => {
  const dataDir = directory();
  mkdirSync(dataDir, { mode: 0o700 });
  const { log, previousLog } = locate(dataDir);
  const module = join(import.meta.dir, "../../../src/platform/log/log-file.ts");
  const script = `import { openLogFile, shortenOwnLog } from ${JSON.stringify(module)};
    const file = { path: process.argv[1], previous: process.argv[2] };
    process.stderr.write("a".repeat(90));
    shortenOwnLog(file, 100);
    process.stderr.write("b".repeat(20));
    shortenOwnLog(file, 100);
    process.stderr.write("c");`;
  writeFileSync(log, "");
  const { openLogFile } = await import(module);
  const child = Bun.spawn([process.execPath, "-e", script, log, previousLog], {
    stderr: openLogFile({ path: log, previous: previousLog }),
  });
  expect(await child.exited).toBe(0);
  expect(readFileSync(log, "utf8")).toBe("c");
  expect(readFileSync(previousLog, "utf8")).toBe("a".repeat(90) + "b".repeat(20));
  writeFileSync(log, "d".repeat(1024 * 1024 + 1));
  openLogFile({ path: log, previous: previousLog });
  expect([statSync(log).size, readFileSync(previousLog, "utf8").slice(0, 2)]).toEqual([0, "dd"]);
});

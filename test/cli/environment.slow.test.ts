// Starts the server in broken environments, each in its own way: the message must name the true cause and what to do, in one line.

import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  closeSync,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  statfsSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { takeLock } from "../../src/engines/sqlite/database-file/lock.ts";
import { prepareRuntime } from "../../src/platform/native/runtime.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { whyNoMount } from "../crash/disk-faults.ts";
import { describeWith, root } from "../needs.ts";
import { main } from "../program.ts";
import { cleanUp, createFolder, run, serve } from "./command.ts";

afterAll(cleanUp);

/** Starts a server that is expected to end at once, and returns what it says. */
async function failure(
  dataDir: string,
  words: readonly string[] = [],
  wrapper: readonly string[] = [],
): Promise<string> {
  const serving = ["serve", "--port", "0", "--log-level", "error", "--data-dir", dataDir, ...words];
  const child = Bun.spawn([...wrapper, process.execPath, main, ...serving], {
    env: { PATH: process.env.PATH ?? "" },
    stdout: "pipe",
    stderr: "pipe",
  });
  const late = setTimeout(() => child.kill(), 10_000);
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  clearTimeout(late);
  expect(stdout).toBe("");
  expect([1, 2]).toContain(code);
  const [line = "", ...rest] = stderr.trim().split("\n");
  expect(line).toStartWith("memledger: ");
  expect(rest.filter((other) => !other.startsWith("Run "))).toEqual([]);
  return line;
}

describe("the data directory", () => {
  test.each<[what: string, prepare: (folder: string) => string, said: RegExp]>([
    ["is a file", (folder) => file(join(folder, "x")), /cannot be used: it is a file, not a directory\./],
    ["is below a file", (folder) => join(file(join(folder, "x")), "y"), /a part of the path is a file/],
    ["has too long a name", (folder) => join(folder, "x".repeat(300)), /the path is too long\./],
    ["is a link to itself", (folder) => link(join(folder, "x"), "x"), /too many symbolic links\./],
    ["is a link to nothing", (folder) => link(join(folder, "x"), "y"), /a directory that does not exist\./],
    ["is where no directory can be", () => "/proc/nowhere", /cannot be used: .+\. .+--data-dir/],
  ])("%s", async (_, prepare, said) => {
    expect(await failure(prepare(createFolder()))).toMatch(said);
  });
});

describe("in the data directory", () => {
  test.each([
    ["memledger.db", /memledger\.db is not a regular file\./],
    ["memledger.lock", /memledger\.lock cannot be locked: it is a directory, not a file\./],
    ["memledger.toml", /memledger\.toml cannot be read: it is a directory, not a file\./],
    ["audit.key", /The audit key .+ cannot be read: it is a directory, not a file\./],
  ])("%s is a directory", async (name, said) => {
    const dataDir = createFolder();
    mkdirSync(join(dataDir, name));
    expect(await failure(dataDir)).toMatch(said);
  });

  test.each(["checkpoints", "exports"])("%s is a file", async (name) => {
    const dataDir = createFolder();
    file(join(dataDir, name));
    expect(await failure(dataDir)).toMatch(/cannot be used: it is a file, not a directory\. Rename/);
  });

  test("the first bytes of the database are damaged", async () => {
    const dataDir = createFolder();
    await (await serve(dataDir)).end("SIGTERM");
    const database = openSync(locate(dataDir).database, "r+");
    writeSync(database, Buffer.alloc(100, 0x61), 0, 100, 0);
    closeSync(database);
    const said = /memledger\.db is damaged: its header .+ restore the database from the last backup/;
    expect(await failure(dataDir)).toMatch(said);
    expect((await run(["doctor", "--data-dir", dataDir])).stdout).toMatch(said);
    const other = join(createFolder(), "data");
    mkdirSync(other);
    writeFileSync(join(other, "memledger.db"), "this is no database but a text that is long enough");
    expect(await failure(other)).toMatch(/memledger\.db is not a memledger database\. Choose another/);
  });

  test("the database is damaged", async () => {
    const dataDir = createFolder();
    await (await serve(dataDir)).end("SIGTERM");
    const database = openSync(locate(dataDir).database, "r+");
    writeSync(database, Buffer.alloc(400_000, 0xff), 0, 400_000, 4096);
    closeSync(database);
    const said = await failure(dataDir);
    expect(said).toMatch(
      /cannot be used: the database file is damaged.+check the disk.+restore the last backup/,
    );
  });
});

describe("the address", () => {
  test.each([
    ["not.a.host", /The host name not\.a\.host has no address\. .*--host/],
    ["a..b", /has no address/],
    ["256.1.1.1", /has no address/],
    ["192.0.2.1", /192\.0\.2\.1 is not an address of this machine/],
    ["2001:db8::1", /is not an address of this machine/],
  ])("%s", async (host, said) => {
    for (const port of ["0", "18420"]) {
      expect(await failure(createFolder(), ["--host", host, "--port", port])).toMatch(said);
    }
  });
});

test("a file size limit", async () => {
  const limit = ["sh", "-c", `trap '' XFSZ; ulimit -f 0; exec "$@"`, "sh"];
  expect(await failure(join(createFolder(), "data"), [], limit)).toMatch(/cannot be used: .+\. \w+ .+\./);
});

test("umask 000, no HOME, no PATH, closed standard streams and a strange locale and time zone", async () => {
  const dataDir = join(createFolder(), "data");
  const words = [process.execPath, main, "serve", "--port", "0", "--data-dir", dataDir];
  const child = Bun.spawn(["/bin/bash", "-c", `umask 000; exec "$@" <&- >&- 2>&-`, "bash", ...words], {
    env: { PATH: "", TZ: "Not/AZone", LANG: "xx_YY.nothing", LC_ALL: "C" },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  const { socket } = locate(dataDir);
  for (let turn = 0; turn < 400 && !existsSync(socket); turn++) await Bun.sleep(25);
  const live = await fetch("http://localhost/health/live", { unix: socket });
  expect(live.status).toBe(200);
  const modes = [...new Bun.Glob("**").scanSync({ cwd: dataDir, onlyFiles: false, dot: true })].map(
    (name) => {
      const info = lstatSync(join(dataDir, name));
      return { name, others: info.mode & 0o077 };
    },
  );
  expect(modes.length).toBeGreaterThan(5);
  expect(modes.filter(({ others }) => others !== 0)).toEqual([]);
  child.kill("SIGTERM");
  expect(await child.exited).toBe(0);
});

test("a missing audit key", async () => {
  const said = await failure(createFolder(), ["--audit-key", "nowhere.pem"]);
  expect(said).toMatch(/nowhere\.pem cannot be read: it does not exist\./);
});

const somebody = 65_534;

describeWith(root)("root and another user", () => {
  test("a directory of that user is refused, also for a command", async () => {
    const dataDir = join(createFolder(), "data");
    mkdirSync(dataDir, { mode: 0o700 });
    chownSync(dataDir, somebody, somebody);
    const said =
      /belongs to the user 65534, but memledger runs as the user 0\. Run the command as that user: sudo -u '#65534' memledger \.\.\. If the files are yours and no server of that user uses them, change their owner instead: chown -Rh 0 /;
    expect(await failure(dataDir)).toMatch(said);
    const doctor = await run(["doctor", "--data-dir", dataDir]);
    expect([doctor.exitCode, doctor.stdout]).toEqual([1, expect.stringMatching(said)]);
    const made = await run(["project", "create", "--name", "x", "--data-dir", dataDir]);
    expect([made.exitCode, made.stderr]).toEqual([1, expect.stringMatching(said)]);
  });

  test("no change of the owner is advised while a server of that user may be running", async () => {
    const dataDir = join(createFolder(), "data");
    mkdirSync(dataDir, { mode: 0o700 });
    file(join(dataDir, "memledger.sock"));
    chownSync(dataDir, somebody, somebody);
    const said = await failure(dataDir);
    expect(said).toContain("do not change the owner of its files");
    expect(said).not.toContain("chown");
  });

  test("a command of that user to a server of root names the socket", async () => {
    const folder = createFolder();
    chmodSync(folder, 0o755);
    const dataDir = join(folder, "data");
    const server = await serve(dataDir);
    chmodSync(dataDir, 0o755);
    const said: string[] = [];
    for (const words of [["project", "list"], ["stop"]]) {
      const command = [process.execPath, main, ...words, "--data-dir", dataDir];
      const child = Bun.spawn(["setpriv", `--reuid=${somebody}`, "--clear-groups", ...command], {
        stdout: "ignore",
        stderr: "pipe",
        env: { HOME: folder },
      });
      said.push(await child.stderr.text());
    }
    await server.end("SIGTERM");
    for (const message of said) {
      expect(message).toContain(
        `Permission denied on the socket ${join(dataDir, "memledger.sock")}: the server runs as the user 0`,
      );
      expect(message).toContain("sudo -u '#0'");
    }
  });

  test("every command of that user names the owner of a directory that it cannot enter", async () => {
    const folder = createFolder();
    chmodSync(folder, 0o755);
    const dataDir = join(folder, "data");
    mkdirSync(dataDir, { mode: 0o700 });
    for (const words of [["doctor"], ["project", "list"], ["serve", "--port", "0"]]) {
      const command = [process.execPath, main, ...words, "--data-dir", dataDir];
      const child = Bun.spawn(["setpriv", `--reuid=${somebody}`, "--clear-groups", ...command], {
        stdout: "ignore",
        stderr: "pipe",
        env: { HOME: folder },
      });
      expect(await child.stderr.text()).toMatch(
        /^memledger: The data directory \S+ belongs to the user 0, but memledger runs as the user 65534\. Run the command as that user: sudo -u '#0' memledger .+\n$/,
      );
      expect(await child.exited).toBe(1);
    }
  });

  test("verification of a directory that the user cannot enter names the permission, not a missing database", async () => {
    const folder = createFolder();
    chmodSync(folder, 0o755);
    const dataDir = join(folder, "data");
    mkdirSync(dataDir, { mode: 0o700 });
    const words = [process.execPath, main, "audit", "verify", dataDir];
    const child = Bun.spawn(["setpriv", `--reuid=${somebody}`, "--clear-groups", ...words], {
      stderr: "ignore",
      stdout: "pipe",
      env: { HOME: folder },
    });
    expect(await child.stdout.text()).toContain("memledger.db cannot be read: permission denied.");
    expect(await child.exited).toBe(40);
  });

  test.each([
    "memledger.db",
    "memledger.db-wal",
    "memledger.lock",
    "audit.key",
    "checkpoints",
    "memledger.toml",
  ])("%s is a link of that user", async (name) => {
    const folder = createFolder();
    const dataDir = join(folder, "data");
    mkdirSync(dataDir);
    const target = file(join(folder, "target"));
    await plantLink(join(dataDir, name), target);
    expect(await failure(dataDir)).toMatch(/The symbolic link .+ belongs to the user 65534/);
    expect(await Bun.file(target).text()).toBe("");
  });

  test("a directory of that user is refused through a link of its own", async () => {
    const folder = createFolder();
    chmodSync(folder, 0o777);
    mkdirSync(join(folder, "real"));
    await plantLink(join(folder, "data"), join(folder, "real"));
    expect(await failure(join(folder, "data"))).toMatch(/The data directory .+ belongs to the user 65534/);
  });

  test("a link of root's own is followed", async () => {
    const folder = createFolder();
    mkdirSync(join(folder, "data"));
    mkdirSync(join(folder, "large"));
    symlinkSync(join(folder, "large"), join(folder, "data", "exports"));
    const server = await serve(join(folder, "data"));
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
  });
});

/** As the other user would. */
async function plantLink(path: string, target: string): Promise<void> {
  symlinkSync(target, path);
  const child = Bun.spawn(["chown", "-h", `${somebody}`, path]);
  expect(await child.exited).toBe(0);
}

describeWith(whyNoMount())("a file system", () => {
  async function mounted(options: string, work: (folder: string) => Promise<void>): Promise<void> {
    const folder = createFolder();
    mount(["-t", "tmpfs", "-o", options, "memledger-test", folder]);
    try {
      await work(folder);
    } finally {
      Bun.spawnSync(["umount", "-l", folder]);
    }
  }

  test("that is read-only", () =>
    mounted("size=24m", async (folder) => {
      const dataDir = join(folder, "data");
      await (await serve(dataDir)).end("SIGTERM");
      mount(["-o", "remount,ro", folder]);
      expect(await failure(dataDir)).toMatch(
        /cannot be used: the file system is read-only\. Mount it read-write/,
      );
      expect(await failure(join(folder, "new"))).toMatch(/the file system is read-only\./);
    }));

  test("that is full", () =>
    mounted("size=64k", async (folder) => {
      expect(await failure(join(folder, "data"))).toMatch(/no space is left on the disk\. Free disk space\./);
    }));

  test("that is full since the server has stopped", () =>
    mounted("size=24m", async (folder) => {
      const dataDir = join(folder, "data");
      await (await serve(dataDir)).end("SIGTERM");
      const { bavail, bsize } = statfsSync(folder);
      writeFileSync(join(folder, "filler"), Buffer.alloc(bavail * bsize));
      expect(await failure(dataDir)).toMatch(/no space is left on the disk\. Free disk space\./);
    }));

  test("that allows no programs", () =>
    mounted("size=24m,noexec", async (folder) => {
      const runtime = prepareRuntime("unused-from-source");
      const sqliteAddon = join(folder, "better_sqlite3.node");
      copyFileSync(runtime.sqliteAddon, sqliteAddon);
      expect(() => takeLock(join(folder, "lock"), { ...runtime, sqliteAddon })).toThrow(
        /better_sqlite3\.node cannot be loaded: .*mounted noexec.* Mount it without noexec/,
      );
    }));
});

function mount(words: readonly string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(["mount", ...words]);
  if (exitCode !== 0) throw new Error(`mount failed: ${stderr}`);
}

function file(path: string): string {
  writeFileSync(path, "");
  return path;
}

function link(path: string, target: string): string {
  symlinkSync(target, path);
  return path;
}

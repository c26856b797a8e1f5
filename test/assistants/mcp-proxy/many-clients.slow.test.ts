// Tests `memledger mcp` with many real processes: shared memory, projects, ten clients at once, kill -9 of the program and of the server.

import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { userDataDirectory } from "../../../src/server/config/user-data-directory.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { isRunning } from "../../../src/server/start-marker.ts";
import { cleanUp, runJson } from "../../cli/command.ts";
import { endServersAfterEach, untilEnded } from "../local-access/background.ts";
import { endShimsAfterEach, initialize } from "./shim.ts";
import { textOf } from "./stdio-client.ts";

const { directory, serverOf } = endServersAfterEach();
const startShim = endShimsAfterEach();
afterAll(cleanUp);

const at = (dataDir: string, ...words: string[]) => ({ words: ["--data-dir", dataDir, ...words] });
const save = (content: string) => ({ content, type: "fact" });

describe("projects", () => {
  test("are separate, and one is created when it is first named", async () => {
    const dataDir = directory();
    const [one, two] = [
      startShim(at(dataDir, "--project", "one")),
      startShim(at(dataDir, "--project", "two")),
    ];
    await one.tool("memory_save", save("Only in one."));
    expect(textOf(await two.tool("memory_search", { query: "only" }))).not.toContain("Only in one");
    expect(textOf(await one.tool("memory_search", { query: "only" }))).toContain("Only in one");
    await serverOf(dataDir);
    const { json } = await runJson(["project", "list", "--data-dir", dataDir]);
    expect(json).toMatchObject([{ name: expect.any(String) }, { name: expect.any(String) }]);
  });

  test("have subjects, which are as separate", async () => {
    const dataDir = directory();
    const [one, two, all] = [
      startShim(at(dataDir, "--subject", "user:Zoë")),
      startShim(at(dataDir, "--subject", "user:2")),
      startShim(at(dataDir)),
    ];
    await one.tool("memory_save", save("Only of Zoë."));
    await all.tool("memory_save", save("Only of the project."));
    const found = async (shim: typeof one) => textOf(await shim.tool("memory_search", { query: "only of" }));
    expect(await found(one)).toMatch(/(?=.*of Zoë)(?=.*of the project)/s);
    for (const shim of [two, all]) expect(await found(shim)).not.toContain("of Zoë");
    const other = { query: "only of", subject: "user:Zoë" };
    for (const shim of [two, all])
      expect(textOf(await shim.tool("memory_search", other))).toContain("unknown");
    await serverOf(dataDir);
  });

  test("auto is the repository of the working directory", async () => {
    const dataDir = directory();
    const repository = join(dataDir, "..", "shop");
    mkdirSync(join(repository, ".git"), { recursive: true });
    mkdirSync(join(repository, "src"));
    const shim = startShim({ ...at(dataDir, "--project", "auto"), cwd: join(repository, "src") });
    await shim.tool("memory_save", save("In the shop."));
    await serverOf(dataDir);
    const { json } = await runJson(["project", "list", "--data-dir", dataDir]);
    expect(json).toMatchObject([{ name: "shop", memories: 1 }]);
  });

  test("without options the data directory is that of the user, and nothing is written where the client started", async () => {
    const folder = join(directory(), "..");
    const [home, cwd] = [join(folder, "home"), join(folder, "cwd")];
    for (const path of [home, cwd]) mkdirSync(path);
    const shared = join(folder, "share");
    // From source, Bun keeps a cache in the home directory.
    const noCache = { BUN_RUNTIME_TRANSPILER_CACHE_PATH: "0" };
    for (const [variables, dataDir] of [
      [{ XDG_DATA_HOME: shared }, userDataDirectory({ XDG_DATA_HOME: shared })],
      [{ MEMLEDGER_DATA_DIR: join(folder, "data") }, join(folder, "data")],
    ] as const) {
      const shim = startShim({ variables: { HOME: home, ...noCache, ...variables }, cwd });
      await shim.tool("memory_save", save("x"));
      await serverOf(dataDir);
    }
    for (const path of [cwd, home]) expect(readdirSync(path)).toEqual([]);
  });
});

describe("many clients", () => {
  test("ten at once share one server; any of them killed loses nothing of the others, and nothing is left", async () => {
    const dataDir = directory();
    const shims = Array.from({ length: 10 }, () => startShim(at(dataDir)));
    const opened = await Promise.all(shims.map((shim) => shim.ask("initialize", initialize)));
    expect(opened.every(({ result }) => result !== undefined)).toBe(true);
    const pid = await serverOf(dataDir);
    const saving = shims.map((shim, n) =>
      Promise.all(Array.from({ length: 5 }, (_, m) => shim.tool("memory_save", save(`fact ${n} ${m}`)))),
    );
    const killed = shims.slice(0, 4);
    // Nobody answers what they have asked.
    for (const lost of saving.slice(0, 4)) lost.catch(() => undefined);
    await Promise.all(killed.map((shim) => shim.kill()));
    const results = (await Promise.all(saving.slice(4))).flat();
    expect(results.map(textOf).filter((text) => !text.startsWith("created"))).toEqual([]);
    const ends = await Promise.all(shims.slice(4).map((shim) => shim.end()));
    expect(ends.map(({ exitCode }) => exitCode)).toEqual(Array.from({ length: 6 }, () => 0));
    expect(shims.filter((shim) => isRunning(shim.pid))).toEqual([]);
    expect(await serverOf(dataDir)).toBe(pid);
    expect(existsSync(locate(dataDir).startMarker)).toBe(false);
    const log = readFileSync(locate(dataDir).log, "utf8");
    expect(log.split('"message":"server started"')).toHaveLength(2);
    const { json } = await runJson(["project", "list", "--data-dir", dataDir]);
    const [project] = Array.isArray(json) ? json : [];
    expect(Number(Object(project).memories)).toBeGreaterThanOrEqual(30);
    expect((await runJson(["audit", "verify", "--data-dir", dataDir])).exitCode).toBe(10);
  }, 120_000);

  test("a program that is killed while it starts the server leaves the others a server", async () => {
    const dataDir = directory();
    const first = startShim(at(dataDir));
    first.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: initialize });
    while (!existsSync(locate(dataDir).startMarker)) await Bun.sleep(5);
    await first.kill();
    const second = startShim(at(dataDir));
    expect(textOf(await second.tool("memory_save", save("x")))).toStartWith("created");
    await serverOf(dataDir);
    expect(existsSync(locate(dataDir).startMarker)).toBe(false);
  });
});

describe("the server is killed", () => {
  test("between two calls: the next one starts it again, and nothing that was answered is lost", async () => {
    const dataDir = directory();
    const shim = startShim(at(dataDir));
    await shim.ask("initialize", initialize);
    expect(textOf(await shim.tool("memory_save", save("kept")))).toStartWith("created");
    for (let round = 0; round < 2; round++) {
      const pid = await serverOf(dataDir);
      process.kill(pid, "SIGKILL");
      await untilEnded(pid);
      expect(textOf(await shim.tool("memory_search", { query: "kept" }))).toContain("kept");
      expect(await serverOf(dataDir)).not.toBe(pid);
    }
    expect((await shim.end()).exitCode).toBe(0);
  });

  test("during calls: each is answered, and what was answered with success is there", async () => {
    const dataDir = directory();
    const shim = startShim(at(dataDir));
    await shim.ask("initialize", initialize);
    await shim.ask("tools/list");
    const pid = await serverOf(dataDir);
    const saving = Array.from({ length: 40 }, (_, n) => shim.tool("memory_save", save(`during ${n}`)));
    await Promise.race(saving);
    process.kill(pid, "SIGKILL");
    const texts = (await Promise.all(saving)).map(textOf);
    // It is repeated, because saving twice saves once.
    expect(texts.filter((text) => !/^(created|already known)/.test(text))).toEqual([]);
    // All may have been answered before the server was killed; this call then starts the next one.
    await shim.tool("memory_search", { query: "during" });
    await serverOf(dataDir);
    const { json } = await runJson(["project", "list", "--data-dir", dataDir]);
    expect(json).toMatchObject([{ memories: 40 }]);
    expect((await runJson(["audit", "verify", "--data-dir", dataDir])).exitCode).toBe(10);
  });
});

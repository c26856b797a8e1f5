// The life of a server as a script sees it: what it prints, whom it shuts out, and how it ends.

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, existsSync, lstatSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { locate } from "../../src/server/data-directory/data-directory.ts";
import { flood, manyObjects } from "../attack/heavy-bodies.ts";
import { readyOf } from "../audit/export/limited-server.ts";
import { linux, testWith } from "../needs.ts";
import { main } from "../program.ts";
import { call, cleanUp, createFact, createFolder, run, runJson, serve } from "./command.ts";
import { openTerminal } from "./pseudo-terminal.ts";

afterAll(cleanUp);

describe("serve --json", () => {
  test("prints one ready line, with the key on the very first start only", async () => {
    const dataDir = join(createFolder(), "data");
    const first = await serve(dataDir);
    expect(first.ready).toEqual({
      event: "ready",
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      project_id: expect.stringMatching(/^[0-9a-f]{32}$/),
      api_key: expect.stringMatching(/^ml_[0-9A-Za-z]{43}$/),
      console_link: expect.stringMatching(
        /^http:\/\/127\.0\.0\.1:\d+\/console\/sign-in#mlk_[0-9A-Za-z]{43}$/,
      ),
    });
    const { api_key: key } = first.ready;
    expect((await createFact(first.url, key, "The first start makes one key.")).status).toBe(201);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
    expect(statSync(join(dataDir, "memledger.db")).mode & 0o777).toBe(0o600);
    expect(lstatSync(join(dataDir, "memledger.sock")).mode & 0o777).toBe(0o600);
    expect(await first.end("SIGTERM")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(existsSync(join(dataDir, "memledger.sock"))).toBe(false);

    const second = await serve(dataDir);
    expect(second.ready).toEqual({
      event: "ready",
      url: second.url,
      project_id: first.ready.project_id ?? "",
    });
    expect((await call(second.url, key)).status).toBe(200);
    expect(await second.end("SIGINT")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });

  test("a killed server leaves nothing that keeps the next one from starting", async () => {
    const dataDir = join(createFolder(), "data");
    const killed = await serve(dataDir);
    const { api_key: key } = killed.ready;
    const [stored, ended] = await Promise.all([
      createFact(killed.url, key, "This was answered before the kill."),
      Bun.sleep(0),
    ]);
    expect([stored.status, ended]).toEqual([201, undefined]);
    expect((await killed.end("SIGKILL")).exitCode).not.toBe(0);
    expect(existsSync(join(dataDir, "memledger.sock"))).toBe(true);
    // The stale socket does not mislead a command, either.
    const listed = await runJson(["project", "list", "--data-dir", dataDir]);
    expect(listed.json).toEqual([expect.objectContaining({ name: "default", memories: 1 })]);
    const next = await serve(dataDir);
    expect(await (await call(next.url, key)).text()).toContain("This was answered before the kill.");
    expect((await runJson(["project", "list", "--data-dir", dataDir])).exitCode).toBe(0);
    expect((await next.end("SIGTERM")).exitCode).toBe(0);
  });

  test("a schedule without a folder is refused, because nobody would notice that no backup is made", async () => {
    const dataDir = createFolder();
    for (const [option, value] of [
      ["--backup-every", "6h"],
      ["--backup-keep", "3"],
    ] as const) {
      const { exitCode, stderr } = await run(["serve", "--port", "0", "--data-dir", dataDir, option, value]);
      expect([exitCode, stderr]).toEqual([
        2,
        expect.stringContaining(
          `${option.slice(2)} is set, but backup-dir is not, so no backup would be made.`,
        ),
      ]);
    }
    // A command that reads the same file, without the options of the server.
    writeFileSync(join(dataDir, "memledger.toml"), 'backup-every = "6h"\n');
    expect((await run(["project", "create", "--name", "shop", "--data-dir", dataDir])).exitCode).toBe(0);
  });

  test("a second server is told which directory is in use", async () => {
    const dataDir = createFolder();
    const server = await serve(dataDir);
    const second = await runJson(["serve", "--port", "0", "--data-dir", dataDir]);
    expect(second.exitCode).toBe(3);
    expect(second.object).toEqual({
      error: { message: expect.stringContaining(dataDir), code: null, exit_code: 3 },
    });
    expect(second.stderr).toStartWith("memledger: The data directory ");
    expect(second.stderr.trim().split("\n")).toHaveLength(1);
    // The first one does not notice.
    expect((await fetch(`${server.url}/health/ready`)).status).toBe(200);
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
  });

  test("says which port is in use, and keeps no lock then", async () => {
    const server = await serve(createFolder());
    const dataDir = createFolder();
    const port = new URL(server.url).port;
    const other = await run(["serve", "--port", port, "--data-dir", dataDir]);
    expect(other.exitCode).toBe(1);
    expect(other.stderr).toBe(
      `memledger: Port ${port} of 127.0.0.1 is in use by another process. Stop that process, or choose another port with --port (0 selects a free port).\n`,
    );
    await server.end("SIGTERM");
    // No key was made and lost: the next start prints one.
    const next = await serve(dataDir);
    expect(next.ready.api_key).toBeString();
    await next.end("SIGTERM");
  });

  test("the log says where texts go to have memories extracted, and nothing secret", async () => {
    const startedWith = async (words: readonly string[], variables = {}) => {
      const server = await serve(createFolder(), ["--log-level", "info", ...words], variables);
      const { stderr } = await server.end("SIGTERM");
      expect(stderr).not.toContain("hidden");
      const lines = stderr.split("\n").filter((line) => line.includes("server started"));
      return lines.map((line) => JSON.parse(line));
    };
    expect(await startedWith([])).toEqual([
      expect.objectContaining({ message: "server started", extractor: "built-in" }),
    ]);
    const llm = ["--llm-base-url", "http://127.0.0.1:9/v1?key=hidden", "--llm-model", "small one"];
    expect(await startedWith(llm, { MEMLEDGER_LLM_API_KEY: "hidden" })).toEqual([
      expect.objectContaining({
        message: "server started",
        extractor: "llm",
        llm_base_url: "http://127.0.0.1:9/v1",
        llm_model: "small one",
      }),
    ]);
  });

  test("variables that Kubernetes sets for a service called memledger are ignored with one line", async () => {
    const variables = { MEMLEDGER_PORT: "tcp://10.0.0.1:8420", MEMLEDGER_SERVICE_HOST: "10.0.0.1" };
    const server = await serve(createFolder(), ["--log-level", "info"], variables);
    const { stderr } = await server.end("SIGTERM");
    const lines = stderr.split("\n").filter((line) => line.includes("Kubernetes"));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({ level: "info", names: ["MEMLEDGER_PORT", "MEMLEDGER_SERVICE_HOST"] }),
    ]);
  });

  test("an idle connection does not delay the end", async () => {
    const server = await serve(createFolder());
    const socket = await connect(server.url, "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const before = performance.now();
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
    expect(performance.now() - before).toBeLessThan(3_000);
    socket.end();
  });

  test("calls and commands that stall, and clients that go on, do not prevent the end", async () => {
    const dataDir = createFolder();
    const server = await serve(dataDir);
    const key = server.ready.api_key;
    const head = `POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\n`;
    const stalled = [
      await connect(server.url, `${head}Content-Length: 99\r\n\r\n{`),
      await connect(server.url, "GET /health/live HT"),
      await Bun.connect({ unix: locate(dataDir).socket, socket: { data() {} } }),
    ];
    stalled[2]?.write("POST /key.list HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99\r\n\r\n{");
    const flooding = flood({
      port: Number(new URL(server.url).port),
      path: "/v1/memories",
      key: String(key),
      clients: 32,
      calls: 1_000_000,
      body: manyObjects(),
    });
    await Bun.sleep(500);
    expect((await server.end("SIGTERM")).exitCode).toBe(0);
    expect((await flooding).get(400)).toBeGreaterThan(0);
    for (const socket of stalled) socket.end();
  });

  test("a process whose threads do not end is killed at its deadline", async () => {
    const module = JSON.stringify(join(import.meta.dir, "../../src/platform/threads/process-deadline.ts"));
    const script = `import { endWithin } from ${module}; endWithin({ afterMs: 50, logLevel: "info" }); for (;;);`;
    const child = Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" });
    expect(await child.stderr.text()).toContain("the server did not stop in time and is killed");
    await child.exited;
    expect(child.signalCode).toBe("SIGKILL");
  });

  test("signals that arrive together are one request", async () => {
    const server = await serve(createFolder(), ["--log-level", "info"]);
    server.signal("SIGTERM");
    const { exitCode, stderr } = await server.end("SIGINT");
    expect(exitCode).toBe(0);
    expect(stderr).toContain('"server stopped"');
  });

  testWith(linux)("a terminal that is closed ends it in order, with a last checkpoint", async () => {
    const dataDir = createFolder();
    const log = join(createFolder(), "log");
    const words = [process.execPath, main, "serve", "--port", "0", "--json", "--data-dir", dataDir];
    const { promise: ready, resolve } = Promise.withResolvers<JsonObject>();
    let shown = "";
    const child = Bun.spawn(["bash", "-c", `exec "$@" 2>"$0"`, log, ...words], {
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
      terminal: {
        cols: 500,
        rows: 50,
        data(_, bytes) {
          shown += new TextDecoder().decode(bytes);
          const line = /\{.*"event":"ready".*\}/.exec(shown)?.[0];
          if (line !== undefined) resolve(JSON.parse(line));
        },
      },
    });
    const { url, api_key: key } = await ready;
    await createFact(String(url), key, "Said right before the end.");
    child.terminal?.close();
    expect(await child.exited).toBe(0);
    expect(await Bun.file(log).text()).toMatch(
      /"message":"checkpoint".*\n.*"server stopped","cause":"SIGHUP"/s,
    );
    expect(existsSync(join(dataDir, "memledger.sock"))).toBe(false);
  });

  test("tells the operator that calls of other machines are not protected, unless a proxy is trusted", async () => {
    const started = async (words: readonly string[]) => {
      const server = await serve(createFolder(), words);
      const { stderr } = await server.end("SIGTERM");
      return { warning: server.ready.warning, stderr };
    };
    const open = await started(["--host", "0.0.0.0"]);
    expect(open.warning).toStartWith("The server accepts calls from other machines without TLS");
    expect(open.warning).toContain("--tls-cert and --tls-key");
    expect(JSON.parse(open.stderr)).toMatchObject({
      level: "warn",
      message: "the server accepts calls from other machines without TLS",
      remedy: expect.stringContaining("--trusted-proxies"),
    });
    const quiet = { warning: undefined, stderr: "" };
    expect(await started(["--host", "0.0.0.0", "--trusted-proxies", "10.0.0.0/8"])).toEqual(quiet);
    expect(await started(["--host", "localhost"])).toEqual(quiet);
  });

  testWith(linux)("under nohup it goes on when the terminal is closed", async () => {
    const words = [process.execPath, main, "serve", "--port", "0", "--json", "--data-dir", createFolder()];
    const child = Bun.spawn(["bash", "-c", `trap '' HUP; exec "$@"`, "bash", ...words], {
      env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "" },
      stdout: "pipe",
      stderr: "ignore",
    });
    const { url } = await readyOf(child.stdout);
    child.kill("SIGHUP");
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    await Bun.sleep(300);
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    child.kill("SIGTERM");
    expect(await child.exited).toBe(0);
  });

  test("a call that stalls holds the end for a while; a second signal does not wait", async () => {
    const server = await serve(createFolder());
    const head = `POST /v1/memories HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${server.ready.api_key}`;
    const socket = await connect(
      server.url,
      `${head}\r\nContent-Type: application/json\r\nContent-Length: 99\r\n\r\n{`,
    );
    server.signal("SIGTERM");
    await Bun.sleep(300);
    expect((await server.end("SIGINT")).exitCode).toBe(130);
    socket.end();
  });
});

/** Sends raw bytes and leaves the connection open. */
async function connect(url: string, bytes: string) {
  const { hostname, port } = new URL(url);
  const socket = await Bun.connect({ hostname, port: Number(port), socket: { data() {} } });
  socket.write(bytes);
  await Bun.sleep(100);
  return socket;
}

test("people get the key once, the documentation and a line to try", async () => {
  const dataDir = createFolder();
  const gateway = ["--gateway-base-url", "http://127.0.0.1:9/v1"];
  const server = openTerminal(["serve", "--port", "0", "--data-dir", dataDir, ...gateway], { columns: 400 });
  const text = await server.until("Ctrl+C");
  const [, url = ""] = /Documentation +(http:\S+)\/docs/.exec(text) ?? [];
  expect(text.match(/ml_[0-9A-Za-z]{43}/g)).toHaveLength(2);
  expect(text).toMatch(/Gateway +http:\S+\/v1, to default\n/);
  const [, line = ""] = /^ +(curl .*)$/m.exec(text) ?? [];
  const tried = Bun.spawn(["sh", "-c", `${line} -sS`], { stdout: "pipe" });
  expect(await tried.stdout.text()).toContain('"code":1000');
  expect((await fetch(`${url}/docs`)).status).toBe(200);
  expect(await server.interrupt()).toBe(0);
});

describe("the data directory", () => {
  test("that was in use before keeps its permissions, with a warning", async () => {
    const dataDir = createFolder();
    writeFileSync(join(dataDir, "somebody's.txt"), "");
    chmodSync(dataDir, 0o755);
    const server = await serve(dataDir);
    expect(statSync(dataDir).mode & 0o777).toBe(0o755);
    expect((await server.end("SIGTERM")).stderr).toContain("chmod 700");
  });

  test("that cannot be created is named", async () => {
    const folder = createFolder();
    writeFileSync(join(folder, "file"), "");
    const { exitCode, stderr } = await run(["serve", "--data-dir", join(folder, "file", "data")]);
    expect(exitCode).toBe(1);
    expect(stderr).toStartWith(
      `memledger: The data directory ${join(folder, "file", "data")} cannot be used: a part of the path is a file`,
    );
  });

  test("whose path is too long for a socket gets a short one", async () => {
    const folder = createFolder();
    const dataDir = join(folder, "long".repeat(30), "data");
    mkdirSync(join(folder, "run"), { mode: 0o700 });
    const variables = { XDG_RUNTIME_DIR: join(folder, "run") };
    const server = await serve(dataDir, [], variables);
    expect(lstatSync(join(dataDir, "memledger.sock")).isSymbolicLink()).toBe(true);
    // A command finds it whatever its own runtime directory is.
    expect((await runJson(["project", "list", "--data-dir", dataDir])).exitCode).toBe(0);
    await server.end("SIGKILL");
    const next = await serve(dataDir, [], variables);
    expect((await runJson(["project", "list", "--data-dir", dataDir])).exitCode).toBe(0);
    expect(await next.end("SIGTERM")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
  });
});

// What every command promises: exit codes, one line of JSON, messages without stack traces.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodeMeanings, exitCodes } from "../../src/cli/exit-codes.ts";
import { databaseFormat } from "../../src/engines/engines.ts";
import { version } from "../../src/platform/version.ts";
import { main } from "../program.ts";
import { cleanUp, createFolder, run, runJson, serve } from "./command.ts";

afterAll(cleanUp);

test("--help lists the exit codes and every command", async () => {
  const { exitCode, stdout } = await run(["--help"]);
  expect(exitCode).toBe(exitCodes.done);
  for (const meaning of Object.values(exitCodeMeanings)) expect(stdout).toContain(meaning);
  for (const name of ["serve", "project", "key", "reembed", "doctor", "config", "version"]) {
    expect(stdout).toMatch(new RegExp(`^  ${name} `, "m"));
  }
});

test("with --json help, version and a group without a command are one line of JSON", async () => {
  expect((await runJson(["--version"])).object).toEqual({ version, commit: "source" });
  expect((await runJson(["project", "--help"])).object.help).toContain("Usage: memledger project");
  const group = await runJson(["project"]);
  expect([group.exitCode, group.object]).toMatchObject([
    exitCodes.usage,
    { error: { message: expect.stringContaining("A command is missing"), exit_code: exitCodes.usage } },
  ]);
});

test("version", async () => {
  expect((await run(["version"])).stdout).toStartWith(`memledger ${version} `);
  expect((await run(["--version"])).stdout).toStartWith(`memledger ${version} `);
  expect((await runJson(["version"])).object).toEqual({
    version,
    commit: "source",
    format: databaseFormat,
    bun: Bun.version,
    embedded: null,
  });
});

test.each([
  [["serve", "--prot", "1"], "unknown option '--prot' (Did you mean --port?)"],
  [["serve", "--port", "abc"], '--port must be a whole number from 0 to 65535, not "abc".'],
  [["serve", "--port"], "argument missing"],
  [["serve", "--public-url", "memory.example.com"], "such as https://memory.example.com,"],
  [["serve", "--public-url", "https://example.com/memory"], "without path, credentials, query and fragment"],
  [
    ["serve", "--public-url", "https://memory.example.com/?team=a"],
    "without path, credentials, query and fragment",
  ],
  [["srve"], "unknown command 'srve'"],
  [["project", "show"], "missing required argument 'id|name'"],
  [["version", "superfluous"], "too many arguments"],
])("%j is a usage error", async (words, message) => {
  const { exitCode, object, stderr } = await runJson([...words, "--data-dir", createFolder()]);
  expect(exitCode).toBe(exitCodes.usage);
  expect(object).toEqual({ error: { message: expect.stringContaining(message), code: null, exit_code: 2 } });
  expect(stderr).toStartWith("memledger: ");
});

test.each([
  [["srve"], 'Run "memledger --help" for the list of commands and options.'],
  [["project", "remove"], 'Run "memledger project --help" for the list of commands and options.'],
  [["key", "create"], 'Run "memledger key create --help" for the list of options.'],
  [["serve", "--port", "abc"], 'Run "memledger serve --help" for the list of options.'],
  [["audit", "redact"], 'Run "memledger audit redact --help" for the list of options.'],
])("the error of %j names the help of that command", async (words, advice) => {
  const { stderr } = await run([...words, "--data-dir", createFolder()]);
  expect(stderr.trimEnd().split("\n").at(-1)).toBe(advice);
});

test.each([[[]], [["project"]]])("%j shows the help on stderr", async (words) => {
  const { exitCode, stdout, stderr } = await run(words);
  expect([exitCode, stdout]).toEqual([exitCodes.usage, ""]);
  expect(stderr).toContain("Usage: memledger");
});

test("a wrong configuration is named, and nothing is started", async () => {
  const dataDir = createFolder();
  writeFileSync(join(dataDir, "memledger.toml"), "prot = 8421\n");
  const inFile = await run(["serve", "--data-dir", dataDir]);
  expect([inFile.exitCode, inFile.stdout]).toEqual([exitCodes.usage, ""]);
  expect(inFile.stderr).toStartWith(`memledger: Unknown setting prot in ${join(dataDir, "memledger.toml")}.`);
  const inVariable = await run(["serve"], { MEMLEDGER_PROT: "8421" });
  expect(inVariable.exitCode).toBe(exitCodes.usage);
  expect(inVariable.stderr).toStartWith("memledger: Unknown environment variable MEMLEDGER_PROT.");
});

test("what needs no configuration works beside a wrong one", async () => {
  const folder = createFolder();
  mkdirSync(join(folder, "memledger-data"));
  writeFileSync(join(folder, "memledger-data", "memledger.toml"), "prot = 8421\n");
  const start = (...words: string[]) =>
    Bun.spawnSync([process.execPath, main, ...words], { cwd: folder, env: { MEMLEDGER_PROT: "1" } });
  expect(start("version").exitCode).toBe(0);
  const verified = start("audit", "verify", join(folder, "nothing.db"));
  expect([verified.exitCode, verified.stdout.toString()]).toEqual([
    exitCodes.unusable,
    expect.stringContaining("nothing.db does not exist"),
  ]);
  expect(start("audit", "verify").exitCode).toBe(exitCodes.usage);
});

test("the help says which settings name files", async () => {
  expect((await run(["serve", "--help"])).stdout).toMatch(/--audit-key <file>/);
});

test("config print tells values and sources", async () => {
  const dataDir = createFolder();
  writeFileSync(join(dataDir, "memledger.toml"), "port = 8421\n[plans.free]\nmemory-limit = 10\n");
  const { object } = await runJson(["config", "print", "--host", "::1"], {
    MEMLEDGER_DATA_DIR: dataDir,
    MEMLEDGER_GROUP_COMMIT: "off",
  });
  const file = join(dataDir, "memledger.toml");
  expect(object).toMatchObject({
    "data-dir": { value: dataDir, source: "MEMLEDGER_DATA_DIR" },
    host: { value: "::1", source: "--host" },
    port: { value: 8421, source: file },
    "group-commit": { value: false, source: "MEMLEDGER_GROUP_COMMIT" },
    "plans.free.memory-limit": { value: 10, source: file },
    "plans.pro.memory-limit": { value: 20_000, source: "default" },
  });
  const text = await run(["config", "print", "--data-dir", dataDir]);
  expect(text.stdout).toMatch(/^model +none +default$/m);
});

test("the log level debug adds the stack trace", async () => {
  const folder = createFolder();
  writeFileSync(join(folder, "file"), "");
  const words = ["serve", "--data-dir", join(folder, "file")];
  expect((await run(words)).stderr.trim().split("\n")).toHaveLength(1);
  expect((await run([...words, "--log-level", "debug"])).stderr).toContain("    at ");
});

test("doctor finds what is wrong and what is well", async () => {
  const dataDir = createFolder();
  const missing = await runJson(["doctor", "--data-dir", join(dataDir, "nowhere")]);
  expect([missing.exitCode, missing.object.ok]).toEqual([exitCodes.failed, false]);
  const server = await serve(dataDir);
  const checks = async () => {
    const { object } = await runJson(["doctor", "--data-dir", dataDir]);
    return new Map(
      Array.isArray(object.checks) ? object.checks.map(({ check, ...found }) => [check, found]) : [],
    );
  };
  const whileServing = await checks();
  expect([...whileServing.values()].filter(({ ok }) => !ok)).toEqual([]);
  expect(whileServing.get("server")).toEqual({ ok: true, message: "running" });
  await server.end("SIGTERM");
  expect((await checks()).get("server")).toEqual({ ok: true, message: "not running" });

  writeFileSync(
    join(dataDir, "memledger.db"),
    "this is no database, and long enough to be read as one ".repeat(99),
  );
  const damaged = await runJson(["doctor", "--data-dir", dataDir]);
  expect(damaged.exitCode).toBe(exitCodes.failed);
  mkdirSync(join(dataDir, "empty-model"));
  const noModel = await run([...["doctor", "--data-dir", dataDir, "--model", join(dataDir, "empty-model")]]);
  expect(noModel.stdout).toMatch(/^model +FAILED .*has no config.json/m);
});

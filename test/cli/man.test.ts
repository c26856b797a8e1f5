// The manual page of `memledger man`: it has all commands, and the programs that print manual pages find nothing to correct in it. A
// program that is not installed is skipped.

import { afterAll, beforeAll, expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { exitCodeMeanings } from "../../src/cli/exit-codes.ts";
import { generalSettings, variableOf } from "../../src/server/config/settings.ts";
import { listCommands, type RunCommand } from "../egress/commands.ts";
import { program, testWith } from "../needs.ts";
import { cleanUp, createFolder, type Outcome, run } from "./command.ts";

afterAll(cleanUp);

const file = join(createFolder(), "memledger.1");

beforeAll(async () => writeFileSync(file, (await run(["man"])).stdout));

function read(...command: readonly string[]) {
  const { stdout, stderr, exitCode } = Bun.spawnSync([...command, file], {
    env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8", MANWIDTH: "300" },
  });
  return { exitCode, stdout: stdout.toString(), stderr: stderr.toString() };
}

/** Runs commands in one process, because each help would be a start of the program. */
function createRunner(): RunCommand {
  const waiting: ((outcome: Outcome) => void)[] = [];
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "command-process.ts")], {
    stdio: ["ignore", "inherit", "inherit"],
    ipc: (outcome: Outcome) => waiting.shift()?.(outcome),
  });
  child.unref();
  return (words) => {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    waiting.push(resolve);
    child.send({ words, cwd: import.meta.dir, env: {} });
    return promise;
  };
}

testWith(program("groff"))("groff reads it without a warning", () => {
  expect(read("groff", "-man", "-Tutf8", "-ww", "-z")).toEqual({ exitCode: 0, stdout: "", stderr: "" });
});

testWith(program("mandoc"))("mandoc reads it with no other warning than that it has no date", () => {
  const { stdout } = read("mandoc", "-Tlint");
  expect(stdout.split("\n").filter((line) => !line.includes("missing date"))).toEqual([""]);
});

testWith(program("man"))("man shows every command, variable and exit code", async () => {
  const { exitCode, stdout, stderr } = read("man", "-l");
  expect([exitCode, stderr]).toEqual([0, ""]);
  const commands = await listCommands(createRunner());
  expect(commands.length).toBeGreaterThan(20);
  for (const command of commands) expect(stdout).toMatch(new RegExp(`^ +memledger ${command}( |$)`, "m"));
  for (const setting of generalSettings) expect(stdout).toContain(`       ${variableOf(setting)}\n`);
  for (const meaning of Object.values(exitCodeMeanings)) expect(stdout).toContain(meaning);
});

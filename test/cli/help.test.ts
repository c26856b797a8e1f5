// Proves that the help of every command fits a terminal, has its options in groups, and that an unknown command leads to the right one.

import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Command } from "commander";
import { createProgram } from "../../src/cli/program.ts";
import { createTerminal } from "../../src/cli/terminal.ts";
import { userDataDirectory } from "../../src/server/config/user-data-directory.ts";
import { cleanUp, createFolder, run } from "./command.ts";

afterAll(cleanUp);

const program = await createProgram({ terminal: createTerminal(false), exitCode: 0 }, []);
const everyCommand = (command: Command): readonly Command[] => [
  command,
  ...command.commands.flatMap(everyCommand),
];

test("the help of every command fits in 80 columns", async () => {
  const helps = everyCommand(program).map((command) => command.helpInformation());
  expect(helps.length).toBeGreaterThan(40);
  const lines = [...helps, (await run(["--help"])).stdout].flatMap((help) => help.split("\n"));
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test("the options of serve are in groups", () => {
  const help = program.commands.find((command) => command.name() === "serve")?.helpInformation() ?? "";
  const groups = help.split(/^(?=\S.*:$)/m).slice(1);
  expect(groups.map((group) => group.split("\n")[0])).toEqual(
    expect.arrayContaining(["Network:", "Search:", "Gateway:", "Backup:", "Ledger:", "Language model:"]),
  );
  for (const group of groups) expect(group.match(/^ {2}-/gm)?.length ?? 0).toBeLessThan(25);
});

test.each([
  ["start", "memledger serve"],
  ["srve", "memledger serve"],
  ["strat", "memledger serve"],
  ["status", "memledger health"],
  ["import", "memledger memory import"],
  ["fsck", "memledger doctor"],
  ["tokens", "memledger key"],
  ["verify", "memledger audit verify"],
  ["dump", "memledger backup"],
  ["project add", "memledger project create"],
  ["key rm", "memledger key revoke"],
  ["audit verfy", "memledger audit verify"],
])("%s leads to %s", async (words, suggested) => {
  const { exitCode, stderr } = await run(words.split(" "));
  const [first, second] = stderr.split("\n");
  expect(exitCode).toBe(2);
  expect(first).toBe(`memledger: unknown command '${words.split(" ").at(-1)}'. Did you mean "${suggested}"?`);
  expect(second).toStartWith("Run ");
});

test.each([
  [["help", "serv"], "memledger serve"],
  [["serv", "--help"], "memledger serve"],
  [["project", "help", "crate"], "memledger project create"],
  [["help", "project", "crate"], "memledger project create"],
  [["project", "crate", "-h"], "memledger project create"],
])("%j asks for the help of no command, and leads to %s", async (words, suggested) => {
  const { exitCode, stdout, stderr } = await run(words);
  expect([exitCode, stdout]).toEqual([2, ""]);
  expect(stderr.split("\n")[0]).toEndWith(`Did you mean "${suggested}"?`);
});

test.each([
  [["help", "audit", "verify"], "Usage: memledger audit verify"],
  [["help", "project"], "Usage: memledger project"],
  [["audit", "help", "verify"], "Usage: memledger audit verify"],
  [["help"], "Usage: memledger [options]"],
])("%j shows the help", async (words, usage) => {
  const { exitCode, stdout } = await run(words);
  expect([exitCode, stdout]).toEqual([0, expect.stringContaining(usage)]);
});

test("a word that resembles nothing gets no suggestion", async () => {
  expect((await run(["xyzzy"])).stderr).toStartWith("memledger: unknown command 'xyzzy'\n");
});

test("console leads to the directory of the assistants, if the one here has no database", async () => {
  const [home, here] = [createFolder(), join(createFolder(), "memledger-data")];
  const ofUser = userDataDirectory({ HOME: home });
  const console = () => run(["console", "--data-dir", here], { HOME: home });
  expect((await console()).stderr).toContain(`memledger serve --data-dir ${here}`);
  mkdirSync(ofUser, { recursive: true });
  writeFileSync(join(ofUser, "memledger.db"), "");
  const { stderr } = await console();
  expect(stderr).toContain(`memledger serve --data-dir ${ofUser}`);
  expect(stderr).toContain(`memledger console --data-dir ${ofUser}`);
  mkdirSync(dirname(join(here, "memledger.db")), { recursive: true, mode: 0o700 });
  writeFileSync(join(here, "memledger.db"), "");
  expect((await console()).stderr).toContain(`memledger serve --data-dir ${here}`);
});

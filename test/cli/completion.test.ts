// The scripts of `memledger completion`, in the shells that read them: each test asks a real shell to complete a command line. A shell that
// is not installed is skipped.

import { afterAll, describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { bashScript } from "../../src/cli/help/bash.ts";
import { program, testWith } from "../needs.ts";
import { cleanUp, createFolder, run } from "./command.ts";

afterAll(cleanUp);

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];

/** The line up to the cursor, and what is completed there: all of it, or at least the words of `has` and none of `lacks`. */
interface Case {
  readonly line: string;
  readonly all?: readonly string[];
  readonly has?: readonly string[];
  readonly lacks?: readonly string[];
}

const plans = ["free", "basic", "pro", "business", "custom"];
const cases: readonly Case[] = [
  {
    line: "memledger ",
    has: ["serve", "project", "audit", "completion", "help"],
    lacks: ["create", "file.txt"],
  },
  { line: "memledger se", all: ["serve"] },
  { line: "./memledger se", all: ["serve"] },
  { line: "memledger key ", has: ["create", "list", "revoke"], lacks: ["serve", "file.txt"] },
  { line: "memledger --json key cr", all: ["create"] },
  { line: "memledger --data-dir folder key li", all: ["list"] },
  { line: "memledger --data-dir=folder key li", all: ["list"] },
  { line: "memledger key create --perm", all: ["--permissions"] },
  {
    line: "memledger key create --",
    has: ["--project", "--data-dir", "--json", "--help"],
    lacks: ["--plan"],
  },
  { line: "memledger --log-level ", all: ["debug", "info", "warn", "error", "silent"] },
  { line: "memledger project create --log-level w", all: ["warn"] },
  { line: "memledger project update shop --plan ", all: plans },
  { line: "memledger project create --credits ", all: ["unlimited"] },
  { line: "memledger serve --audit-key f", all: ["file.txt", "folder"] },
  { line: "memledger serve --model f", all: ["folder"] },
  { line: "memledger serve --port ", all: [] },
  { line: "memledger key create --name ", all: [] },
  { line: "memledger audit verify f", all: ["file.txt", "folder"] },
  { line: "memledger audit verify --checkpoint file.txt --checkpoint f", all: ["file.txt", "folder"] },
  { line: "memledger connect co", all: ["codex"] },
  { line: "memledger connect codex co", all: [] },
  { line: "memledger backup ver", all: ["verify"] },
  { line: "memledger backup f", all: ["file.txt", "folder"] },
  { line: "memledger backup verify f", all: ["file.txt", "folder"] },
  { line: "memledger restore file.txt --data-dir f", all: ["folder"] },
  { line: "memledger memory import f", all: ["file.txt", "folder"] },
  { line: "memledger memory import file.txt --type ", all: ["rule", "fact", "context"] },
  { line: "memledger completion ", all: [...shells] },
  { line: "memledger help ke", all: ["key"] },
  { line: "memledger project show ", all: [] },
  { line: "memledger version ", lacks: ["file.txt", "serve"] },
];

/** How a shell that has read the script completes each of the lines, in a folder with a file and a folder. */
const ask: Readonly<Record<Shell, (script: string, lines: readonly string[]) => Promise<string[][]>>> = {
  bash: (script, lines) => {
    const requests = lines.map((line) => {
      // As bash divides a line, with = as a word of its own.
      const words = line.split(" ").flatMap((word) => word.split(/(?<==)|(?==)/));
      return `request ${words.map(quote).join(" ")}`;
    });
    return askOnce(
      "bash",
      ["--norc", "--noprofile", "-c"],
      `. ${script}\n${bashRequest}\n${requests.join("\n")}`,
    );
  },
  zsh: (script, lines) =>
    askOnce(
      "zsh",
      ["-f", "-c"],
      `${zshRequest}\nprepare ${script}\n${lines.map((line) => `request ${quote(line)}`).join("\n")}`,
    ),
  fish: (script, lines) => {
    const requests = lines.map(
      (line) => `complete -C ${quote(line)} | string replace -r '\\t.*' ''; echo ${end}`,
    );
    return askOnce("fish", ["--no-config", "-c"], `source ${script}\n${requests.join("\n")}`);
  },
};

const end = "--- end";
const zshRequest = readFileSync(join(import.meta.dir, "completion.zsh"), "utf8");
const bashRequest = `
command=$(complete -p memledger | sed 's/.*-F \\([^ ]*\\) .*/\\1/')
request() {
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*" COMP_POINT=\${#COMP_LINE} COMPREPLY=()
  "$command" memledger "\${COMP_WORDS[COMP_CWORD]}" "\${COMP_WORDS[COMP_CWORD - 1]}"
  for word in "\${COMPREPLY[@]}"; do echo "$word"; done
  echo "${end}"
}`;

/** One process answers all requests, because starting a shell takes long. */
async function askOnce(shell: Shell, flags: readonly string[], program: string): Promise<string[][]> {
  const child = Bun.spawn([shell, ...flags, program], {
    cwd: folder,
    env: { PATH: `${process.env.PATH}`, HOME: folder, TERM: "dumb", LC_ALL: "C.UTF-8" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ stderr, exitCode: await child.exited }).toEqual({ stderr: "", exitCode: 0 });
  const answers = stdout.split(`${end}\n`).slice(0, -1);
  return answers.map((answer) => answer.split("\n").filter((word) => word !== ""));
}

function quote(text: string): string {
  return `'${text}'`;
}

const folder = createFolder();
mkdirSync(join(folder, "folder"));
writeFileSync(join(folder, "file.txt"), "");
writeFileSync(join(folder, "memledger"), "#!/bin/sh\nexit 1\n");
chmodSync(join(folder, "memledger"), 0o755);

/** Some shells add a slash to the name of a folder, and a space to a word. */
const plain = (words: readonly string[]) => words.map((word) => word.trim().replace(/\/$/, "")).toSorted();

describe.each([...shells])("%s", (shell) => {
  testWith(program(shell))(`${shell} completes commands, options, values and paths`, async () => {
    const { exitCode, stdout } = await run(["completion", shell]);
    expect(exitCode).toBe(0);
    const script = join(folder, `completion.${shell}`);
    writeFileSync(script, stdout);
    const answers = await ask[shell](
      script,
      cases.map(({ line }) => line),
    );
    const found: readonly Case[] = cases.map(({ line, all, has = [], lacks = [] }, at) => {
      const words = plain(answers[at] ?? []);
      return all === undefined
        ? {
            line,
            has: has.filter((word) => words.includes(word)),
            lacks: lacks.filter((word) => words.includes(word)),
          }
        : { line, all: words };
    });
    const expected: readonly Case[] = cases.map(({ line, all, has = [] }) =>
      all === undefined ? { line, has, lacks: [] } : { line, all: plain(all) },
    );
    expect(found).toEqual(expected);
  });
});

test("another shell is refused, and the known ones are named", async () => {
  const { exitCode, stderr } = await run(["completion", "tcsh"]);
  expect(exitCode).toBe(2);
  expect(stderr).toContain("Allowed choices are bash, zsh, fish.");
});

testWith(program("bash"))("the script of bash never runs a part of a word", () => {
  const words = ["$(echo ran)", "`echo ran`", 'a"b', "a\\b"];
  const none = { usage: "", description: "", options: [], operands: [], commands: [] };
  const operand = { name: "word", description: "", isRequired: true, value: { words, path: null } };
  const script = bashScript({
    ...none,
    words: [],
    commands: [{ ...none, words: ["do"], operands: [operand] }],
  });
  const { stdout } = Bun.spawnSync(["bash", "-c", `${script}\n_memledger_command do; echo "$words"`]);
  expect(stdout.toString()).toBe(`${words.join(" ")}\n`);
});

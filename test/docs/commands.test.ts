// Holds the documentation to the program: every block of commands is run (commands.slow.test.ts) or says why not, and every command, option
// and script that a sentence names exists.

import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import manifest from "../../package.json";
import { program, testWith } from "../needs.ts";
import { blocksOf, inlineCodeOf, pages, root, tableOf } from "./pages.ts";
import { createFolder, isRun, removeFolder } from "./walk.ts";

const main = resolve(root, "src/main.ts");

/**
 * Commands that no walk runs, each with the reason. Blocks with the option `build` need the source code and the network, those with `root`
 * change the system.
 */
const notRun: Readonly<Record<string, string>> = {
  "bun install --frozen-lockfile": "downloads packages; every machine that runs this test has done it",
  "bun install --frozen-lockfile --os '*' --cpu '*'": "downloads the packages of all platforms",
  "bun install --cwd release/runtimes --frozen-lockfile --os '*' --cpu '*'":
    "downloads Bun for all platforms",
  "npm pack ./clients/typescript":
    "writes into the source; test/clients/package.slow.test.ts builds the package elsewhere",
  "pip install ./clients/python": "downloads packages",
  "pip install './clients/python[langgraph]' langchain-openai": "downloads packages; bun run interop does it",
  "pip install crewai 'crewai-tools[mcp]'": "downloads a gigabyte of packages",
  "npx -y bun@1.4.5 run up": "builds; test/release/clone.ts runs it in a fresh clone",
  "npx -y bun@1.4.5 run check": "runs all tests, this one included",
  "bun run up": "builds; test/release/clone.ts runs it in a fresh clone",
  "bun run build": "takes long; the smoke test runs what it builds",
  "bun run build --target linux-arm64": "needs the Bun of another platform, which the line above downloads",
  "bun run build --model DIR": "takes long; DIR is for the reader to fill in",
  "bun run release --check": "takes minutes; .ci/run makes a release of Linux",
  "mkdir data": "belongs to the lines below",
  "docker run --detach --name open-webui --network host --env OPENAI_API_BASE_URL=http://127.0.0.1:8420/v1 --env OPENAI_API_KEY=$KEY ghcr.io/open-webui/open-webui:main":
    "needs Docker; test/docs/gateway.test.ts sends the requests of a chat page",
  "docker build --tag memledger .": "needs Docker; bun run packages starts the files of the image",
  "docker volume create memledger": "needs Docker",
  "docker run --rm --volume memledger:/var/lib/memledger memledger project create --name default":
    "needs Docker",
  "docker run --detach --name memledger --read-only --cap-drop ALL --security-opt no-new-privileges --volume memledger:/var/lib/memledger --publish 127.0.0.1:8420:8420 memledger":
    "needs Docker",
  "docker exec memledger /usr/bin/memledger key create --project default --permissions memory.read,memory.write":
    "needs Docker",
  "kubectl --namespace memledger exec memledger-0 -- /usr/bin/memledger key create --project default --permissions memory.read,memory.write":
    "needs Kubernetes",
  "sha256sum --check --ignore-missing SHA256SUMS": "needs a release",
  "apt-get install ./memledger_0.1.0_amd64.deb": "needs root",
  "memledger key create --project default --permissions memory.read,memory.write --data-dir /var/lib/memledger":
    "needs the installed package",
  "install -m 755 memledger /usr/bin/memledger": "needs root",
  "install -m 644 memledger.service /etc/systemd/system/memledger.service": "needs root",
  "sudo -u memledger memledger project create --name default --data-dir /var/lib/memledger":
    "needs the user and the directory",
  "useradd --system --home-dir /var/lib/memledger --shell /usr/sbin/nologin memledger": "needs root",
  "install -d -m 700 -o memledger -g memledger /var/lib/memledger": "needs root",
  "litestream restore -o /var/lib/memledger-restored/memledger.db /var/lib/memledger/memledger.db":
    "needs Litestream; bun run interop does it",
  "systemctl daemon-reload": "needs root and systemd",
  "systemctl enable --now memledger": "needs root and systemd",
  "journalctl -u memledger": "needs systemd",
  "./memledger serve --host 0.0.0.0 --tls-cert /etc/memledger/server.pem --tls-key /etc/memledger/server.key":
    "needs a certificate in /etc; test/cli/tls.slow.test.ts starts such servers",
  "curl -sS -H 'Content-Type: application/timestamp-query' --data-binary @checkpoint.tsq -o checkpoint.tsr https://tsa.example.com":
    "needs an authority; test/cli/time-stamp.slow.test.ts has one",
  "openssl ts -verify -data checkpoint.text -token_in -in checkpoint.token -CAfile roots.pem":
    "needs the answer of the authority; test/cli/time-stamp.slow.test.ts runs it",
  "sudo -u memledger memledger doctor --data-dir /var/lib/memledger": "needs the user and the directory",
};

/** Options of other programs that a sentence names: of the scripts of the training. */
const foreignOptions = ["--share", "--batch", "--steps"];

async function helpOfScript(name: string): Promise<string> {
  const child = Bun.spawn(["bun", "run", name, "--help"], { cwd: root, stdout: "pipe", stderr: "ignore" });
  const text = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return text;
}

describe("commands in blocks", () => {
  test("every block is run, or is on the list of those that are not", () => {
    const blocks = pages.flatMap(blocksOf).filter(({ language }) => language === "sh");
    const left = blocks.filter((block) => !isRun(block) && block.option !== "training");
    expect(left.every(({ option }) => option === "build" || option === "root")).toBe(true);
    const lines = left.flatMap(({ text }) => text.trimEnd().split("\n"));
    expect([...new Set(lines)].toSorted()).toEqual(Object.keys(notRun).toSorted());
  });

  test("no other block has a command", () => {
    const blocks = pages.flatMap(blocksOf).filter(({ language }) => language !== "sh");
    const languages = [...new Set(blocks.map(({ language }) => language))].toSorted();
    expect(languages).toEqual([
      "",
      "caddy",
      "ini",
      "js",
      "json",
      "nginx",
      "python",
      "text",
      "toml",
      "tsx",
      "yaml",
    ]);
    const command = /^[$#]? *(\.\/)?(memledger|bunx?|npm|npx|curl|python3?|sudo|systemctl|docker|ollama) /m;
    expect(blocks.filter(({ language, text }) => language !== "toml" && command.test(text))).toEqual([]);
  });

  test("every configuration file is accepted", async () => {
    const files = pages.flatMap(blocksOf).filter(({ language }) => language === "toml");
    expect(files.length).toBeGreaterThan(0);
    for (const { text } of files) {
      const folder = createFolder("false");
      mkdirSync(join(folder, "data"), { mode: 0o700 });
      writeFileSync(join(folder, "data", "memledger.toml"), text);
      for (const [, path = ""] of text.matchAll(/^api-key-file = "([\w.-]+)"/gm))
        writeFileSync(join(folder, "data", path), "sk-of-a-provider\n");
      const printed = await memledger("config", "print", "--data-dir", join(folder, "data"));
      removeFolder(folder);
      expect(printed).toMatchObject({ exitCode: 0 });
    }
  });

  const systemd = Bun.which("systemd-analyze");
  testWith(program("systemd-analyze"))("systemd accepts the service file", async () => {
    const folder = createFolder("true");
    const file = join(folder, "memledger.service");
    const text = readFileSync(join(root, "deploy/systemd/memledger.service"), "utf8");
    writeFileSync(file, text.replace("/usr/bin/memledger", join(folder, "memledger")));
    // No manual page is installed here.
    const command = [systemd ?? "", "verify", "--man=no", file];
    const verified = Bun.spawn(command, { stdout: "ignore", stderr: "pipe" });
    const complaints = await new Response(verified.stderr).text();
    expect({ exitCode: await verified.exited, complaints }).toEqual({ exitCode: 0, complaints: "" });
    removeFolder(folder);
  });

  test("the scripts of the training exist and have the options", () => {
    const blocks = pages.flatMap(blocksOf).filter(({ option }) => option === "training");
    const commands = blocks.flatMap(({ text }) => text.replaceAll("\\\n", " ").split("\n"));
    const scripts = commands.filter((line) => line.startsWith("python ") && line.includes(".py"));
    expect(scripts.length).toBeGreaterThan(8);
    for (const command of scripts) {
      const [, script = ""] = command.split(" ");
      const source = readFileSync(join(root, "models/training", script), "utf8");
      for (const [option] of command.matchAll(/--[a-z-]+/g)) expect(source).toContain(`"${option}"`);
    }
  });
});

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
}

async function memledger(...words: readonly string[]): Promise<Ran> {
  const child = Bun.spawn(["bun", main, ...words], { stdout: "pipe", stderr: "ignore" });
  const stdout = await new Response(child.stdout).text();
  return { exitCode: await child.exited, stdout };
}

const helps = new Map<string, Promise<Ran>>();

/** What `memledger WORDS --help` prints; each is asked for once. */
function helpOf(words: readonly string[]): Promise<Ran> {
  const command = words.join(" ");
  const asked = helps.get(command) ?? memledger(...words, "--help");
  helps.set(command, asked);
  return asked;
}

/** Names of the commands that do something, such as `key list`, from what the help lists. */
async function commandsBelow(words: readonly string[]): Promise<string[]> {
  const { stdout } = await helpOf(words);
  const [, listed = ""] = /\nCommands:\n((?: .*\n)+)/.exec(stdout) ?? [];
  const names = [...listed.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = ""]) => name);
  if (names.length === 0) return [words.join(" ")];
  const found = names.filter((name) => name !== "help").map((name) => commandsBelow([...words, name]));
  return (await Promise.all(found)).flat();
}

describe("commands in sentences", () => {
  const codes = pages.flatMap((page) => inlineCodeOf(page).map((code) => ({ page, code })));
  const unit = readFileSync(join(root, "deploy/systemd/memledger.service"), "utf8");
  const inServices = [...unit.matchAll(/^ExecStart=\S*\/(memledger .*)$/gm)].map(([, code = ""]) => ({
    page: "the service file",
    code,
  }));

  test("every command of memledger exists with its options", async () => {
    const commands = [...codes, ...inServices].filter(({ code }) =>
      /^(\.\/)?memledger( [a-z]|$| --help)/.test(code),
    );
    expect(commands.length).toBeGreaterThan(10);
    const commandsOfProgram = await commandsBelow([]);
    for (const { page, code } of commands) {
      const words = code.split(" ").slice(1);
      const names = words.slice(
        0,
        words.findIndex((word) => !/^[a-z-]+$/.test(word) || word.startsWith("--")),
      );
      const named = words.every((word) => /^[a-z]/.test(word)) ? words : names;
      // A command without commands below it may have an operand, which its help lists.
      const path = commandsOfProgram.includes(named[0] ?? "") ? named.slice(0, 1) : named.slice(0, 2);
      const help = await helpOf(path);
      expect({ page, code, exists: help.exitCode === 0 }).toEqual({ page, code, exists: true });
      expect(help.stdout).toContain(`Usage: memledger ${path.join(" ")}`.trimEnd());
      for (const operand of named.slice(path.length, 2)) expect(help.stdout).toContain(operand);
      for (const option of words.filter((word) => word.startsWith("--")))
        expect(help.stdout).toContain(option);
    }
  });

  test("every command of the program is run somewhere", async () => {
    const blocks = pages.flatMap(blocksOf).filter(isRun);
    const commands = await commandsBelow([]);
    expect(commands.length).toBeGreaterThan(15);
    const isShown = (command: string) =>
      blocks.some(({ text }) => new RegExp(`\\./memledger ${command}\\b`).test(text));
    expect(commands.filter((command) => !isShown(command))).toEqual([]);
  });

  test("every option exists", async () => {
    const commands = await commandsBelow([]);
    const texts = await Promise.all(commands.map((command) => helpOf(command.split(" "))));
    const scripts = await Promise.all(["bench", "proof"].map(helpOfScript));
    const known = [...texts.map(({ stdout }) => stdout), ...scripts].join("\n");
    const options = codes.filter(({ code }) => /^--[a-z-]+( |$)/.test(code));
    expect(options.length).toBeGreaterThan(40);
    const unknown = options.filter(({ code }) => {
      const [option = ""] = code.split(" ");
      return !new RegExp(`${option}\\b`).test(known) && !foreignOptions.includes(option);
    });
    expect(unknown).toEqual([]);
  });

  test("every script of the package exists", () => {
    const texts = [...codes.map(({ code }) => code), ...pages.flatMap(blocksOf).map(({ text }) => text)];
    const names = texts.flatMap((text) => [...text.matchAll(/\bbun run ([\w-]+)/g)].map(([, name]) => name));
    expect(names.length).toBeGreaterThan(5);
    const isThere = (name = "") => name in manifest.scripts || existsSync(join(root, `${name}.ts`));
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  test("the benchmarks are those of the program", async () => {
    const [, names = ""] = /\[([a-z|]+) \.\.\.\]/.exec(await helpOfScript("bench")) ?? [];
    const shown = tableOf("bench/README.md", "name").map(([name]) => name);
    expect(shown).toEqual(names.split("|"));
  });

  test("every file of the source exists", () => {
    const path = /^[\w-]+(\/[\w.-]+)*\/?$/;
    const isFile = (code: string) => /\.(ts|sql|py|toml)$/.test(code) && /^[^<>]*\//.test(code);
    const isFolder = (code: string) => /^(src|test|bench|models|docs)\/.*/.test(code);
    const files = codes.filter(({ code }) => path.test(code) && (isFile(code) || isFolder(code)));
    expect(files.length).toBeGreaterThan(30);
    const places = ["", "src", "src/console", "models/training"];
    const isThere = (code: string) => places.some((place) => existsSync(join(root, place, code)));
    expect(files.filter(({ code }) => !isThere(code))).toEqual([]);
  });
});

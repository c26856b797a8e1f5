// Runs the commands of a page as they are printed, against a server that was started in an empty folder. The tests of the
// documentation do it from source, the smoke test with the executable.

import { chmodSync, copyFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Environment, installClient, shimsOf } from "./client-packages.ts";
import { type Block, blocksOf, pages } from "./pages.ts";
import { withinStepLimit } from "./step-limit.ts";

interface WalkedCall {
  readonly status: number;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
}

export interface Walk {
  readonly exitCode: number;
  /** What the commands printed on stdout, then on stderr. */
  readonly output: string;
  readonly calls: readonly WalkedCall[];
  /** What each `json` block shows, and the last line of what the block of commands before it printed. */
  readonly answers: readonly Answer[];
}

export interface Answer {
  readonly shown: Block;
  readonly printed: string;
}

export interface Started {
  readonly url: string;
  readonly apiKey: string | null;
  readonly pid: number;
  stop(): Promise<number>;
}

/** Pages with commands that can be run: those with a block in `sh` without an option, or for a server that is stopped or started. */
export const walkedPages: readonly string[] = pages.filter((page) => blocksOf(page).some(isRun));

/** Whether the walk runs the commands of a block. `build` and `root` tell a reader what a test cannot do in its folder. */
export function isRun({ language, option }: Block): boolean {
  return language === "sh" && ["", "stopped", "serve"].includes(option);
}

/** An empty folder in which `./memledger` is `command`; removed by the caller. */
export function createFolder(command: string): string {
  const folder = mkdtempSync(join(tmpdir(), "memledger-walk-"));
  writeFileSync(join(folder, "memledger"), `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(join(folder, "memledger"), 0o755);
  return folder;
}

/** A folder with nothing in it but this executable, as `./memledger`. */
export function createFolderWith(executable: string, runner: string | null = null): string {
  if (runner !== null) return createFolder(`${runner} ${executable}`);
  const created = createFolder("false");
  copyFileSync(executable, join(created, "copy"));
  renameSync(join(created, "copy"), join(created, "memledger"));
  return created;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts `./memledger serve` in the folder on any free port and waits for its ready line. */
export async function startServer(folder: string, ...flags: readonly string[]): Promise<Started> {
  const command = ["./memledger", "serve", "--port", "0", "--json", "--log-level", "warn", ...flags];
  const child = Bun.spawn(command, { cwd: folder, stdout: "pipe", stderr: "inherit" });
  const kill = () => child.kill("SIGKILL");
  const line = await withinStepLimit(`the ready line of ${command.join(" ")}`, firstLine(child.stdout), kill);
  const ready = JSON.parse(line);
  return {
    url: ready.url,
    apiKey: ready.api_key ?? null,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      return withinStepLimit("the server to end after SIGTERM", child.exited, kill);
    },
  };
}

/** Of an upstream: a machine with other work needs longer than the default to find memories, and requests would be sent without them. */
const patience = "memory-deadline-ms = 20000";

interface WalkOptions {
  /** Base URL of a language model's server, in place of the Ollama of the pages. */
  readonly llmUrl: string;
}

/**
 * Walks one page from top to bottom: starts a server in the folder, writes the files that the page shows, and runs its `sh` blocks. It
 * stops at the first command that fails. No server runs while a block with the option `stopped` does; one with the option `serve`
 * starts one.
 */
export async function walk(page: string, folder: string, { llmUrl }: WalkOptions): Promise<Walk> {
  const server = createServer(folder);
  const run = createShell(folder, await installClient(page, folder));
  const ran: Ran[] = [];
  const answers: Answer[] = [];
  const localise = (text: string) =>
    text
      .replaceAll("http://127.0.0.1:8420", server.url())
      .replaceAll(/^base-url = .*$/gm, `$&\n${patience}`)
      .replaceAll("http://127.0.0.1:11434/v1", llmUrl)
      .replaceAll("ml_your_key", server.apiKey())
      .replaceAll("--metrics-port 9420", "--metrics-port 0");
  const take = async (block: Block): Promise<void> => {
    if (block.option === "serve") return server.restart(serveFlags(localise(block.text)));
    await server.ensure();
    if (block.language === "json")
      answers.push({ shown: block, printed: ran.at(-1)?.stdout.trimEnd().split("\n").at(-1) ?? "" });
    else if (isFile(block)) writeFileSync(join(folder, block.option), localise(block.text));
    else {
      // The data of a page's first start is there when its commands need a stopped server.
      if (block.option === "stopped") await server.stop();
      ran.push(await run(localise(block.text)));
    }
  };
  try {
    for (const block of blocksOf(page).filter(isTaken)) {
      await take(block);
      if (ran.at(-1)?.exitCode) break;
    }
  } finally {
    await server.stop();
  }
  const notes = ran.map(({ stderr }) => stderr).join("");
  const output = `${ran.map(({ stdout }) => stdout).join("")}\n${notes}`;
  return { exitCode: ran.at(-1)?.exitCode ?? 0, output, calls: callsIn(notes), answers };
}

function isTaken(block: Block): boolean {
  return isRun(block) || block.language === "json" || isFile(block);
}

/** A block that is saved under the name beside its language. */
function isFile({ language }: Block): boolean {
  return language === "python" || language === "js";
}

/** The one server of a folder, on the same port after each start. */
function createServer(folder: string) {
  let running: Started | null = null;
  let [apiKey, url] = ["", ""];
  const restart = async (flags: readonly string[]): Promise<void> => {
    await stop();
    running = await startServer(folder, ...(url === "" ? [] : ["--port", new URL(url).port]), ...flags);
    url = running.url;
    apiKey = running.apiKey ?? apiKey;
  };
  const stop = async (): Promise<void> => {
    const exitCode = await running?.stop();
    running = null;
    if (exitCode) throw new Error(`the server ended with ${exitCode}`);
  };
  return {
    restart,
    stop,
    ensure: async () => (running === null ? restart([]) : undefined),
    url: () => url,
    apiKey: () => apiKey,
  };
}

interface Ran {
  readonly exitCode: number;
  readonly stdout: string;
  /** Ends with the commands when they failed. */
  readonly stderr: string;
}

/**
 * Runs commands in bash, with additional variables of the environment. Variables and functions that they set are there in the next run, as in
 * the terminal of a reader.
 */
function createShell(folder: string, environment: Environment): (commands: string) => Promise<Ran> {
  const shims = createShims(folder);
  const variables = new Set<string>();
  const functions = new Set<string>();
  const file = join(folder, "variables.sh");
  writeFileSync(file, "");
  const home = join(folder, "home");
  mkdirSync(home);
  return async (commands) => {
    for (const [, name = ""] of commands.matchAll(/^(?:export )?([A-Z_]+)=/gm)) variables.add(name);
    for (const [, name = ""] of commands.matchAll(/^(\w+)\(\) \{/gm)) functions.add(name);
    const kept = [
      ...[...variables].map((name) => `declare -p ${name}`),
      ...[...functions].map((name) => `declare -f ${name}`),
    ];
    const keep = kept.length === 0 ? "" : `{ ${kept.join("; ")}; } > ${file}`;
    const child = Bun.spawn(["bash", "-c", `set -euo pipefail\n. ${file}\n${commands}\n${keep}`], {
      cwd: folder,
      env: { ...withoutHome(process.env), ...environment, HOME: home, PATH: `${shims}:${process.env.PATH}` },
      // An empty line, which ends the chat of the README.
      stdin: new Blob(["\n"]),
      stdout: "pipe",
      stderr: "pipe",
      // A process group of its own, so that the programs that bash started can be ended with it.
      detached: true,
    });
    const ended = Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    const killAll = () => process.kill(-child.pid, "SIGKILL");
    const [stdout, stderr, exitCode] = await withinStepLimit(`these commands: ${commands}`, ended, killAll);
    return { exitCode, stdout, stderr: exitCode === 0 ? stderr : `${stderr}\nfailed: ${commands}` };
  };
}

/** Without the variables that lead to configuration files of the user who runs the test. */
function withoutHome(variables: Readonly<Record<string, string | undefined>>) {
  const names = [
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "APPDATA",
    "CLAUDE_CONFIG_DIR",
    "CODEX_HOME",
    "GEMINI_CLI_HOME",
  ];
  return Object.fromEntries(Object.entries(variables).filter(([name]) => !names.includes(name)));
}

/** Arguments of the one command in a block that starts a server. */
function serveFlags(text: string): string[] {
  const [, flags] = /^\.\/memledger serve(.*)\n$/.exec(text) ?? [];
  if (flags === undefined) throw new Error(`a block that starts a server has one command: ${text}`);
  return flags.split(" ").filter((flag) => flag !== "");
}

/** Everything curl does is noted on stderr, so that the commands themselves stay as they are printed. */
function createShims(folder: string): string {
  const shims = shimsOf(folder);
  const format = "%{stderr}call %{http_code} %{method} %{url}\\n";
  const curl = `#!/bin/sh\nexec ${Bun.which("curl")} --fail-with-body -w '${format}' "$@"\n`;
  writeFileSync(join(shims, "curl"), curl);
  chmodSync(join(shims, "curl"), 0o755);
  return shims;
}

function callsIn(notes: string): WalkedCall[] {
  return [...notes.matchAll(/^call (\d+) (\w+) (\S+)$/gm)].map(([, status, method, address]) => ({
    status: Number(status),
    method: method ?? "",
    path: new URL(address ?? "").pathname,
  }));
}

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes("\n")) return text.slice(0, text.indexOf("\n"));
  }
  throw new Error(`the server ended before it was ready: ${text}`);
}

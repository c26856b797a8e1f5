// Runs every command of the executable, as an administrator would, and knows which ones exist. Must never know how they are traced.

import { join } from "node:path";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one command with an input; `--data-dir` is added where it is not `bare`. */
export type RunCommand = (words: readonly string[], bare?: boolean, input?: string) => Promise<Outcome>;

export interface Administration {
  readonly run: RunCommand;
  /** For files that the user names. */
  readonly named: string;
  readonly publicKey: string;
  /** Makes names differ. */
  readonly lap: string;
  readonly memoryId: string;
  readonly auditId: string;
  /** The records that hold the memory were erased before, so erasing them again is refused. */
  readonly isErased: boolean;
}

/** @returns what did not end as it should */
export async function administer(administration: Administration): Promise<string[]> {
  const { run, named, publicKey, lap, memoryId, auditId, isErased } = administration;
  const faults: string[] = [];
  const expect = async (
    words: readonly string[],
    codes: readonly number[] = [0],
    use: RunCommand = run,
  ): Promise<Outcome> => {
    const outcome = await use(words);
    const { exitCode, stdout, stderr } = outcome;
    if (!codes.includes(exitCode))
      faults.push(`${words.join(" ")} ended with ${exitCode}: ${(stderr || stdout).slice(0, 2_000)}`);
    return outcome;
  };
  const file = (name: string) => join(named, `${lap}-${name}`);

  await expect(["project", "create", "--name", lap, "--plan", "pro"]);
  await expect(["project", "list"]);
  await expect(["project", "show", lap]);
  await expect(["project", "update", lap, "--memory-limit", "5000"]);
  const key = await expect(["key", "create", "--project", lap, "--permissions", "memory.read", "--json"]);
  await expect(["key", "list", "--project", lap]);
  await expect(["key", "update", String(dataOf(key.stdout).id), "--gateway-memory", "off"]);
  await expect(["key", "revoke", String(dataOf(key.stdout).id)]);
  await expect(["project", "delete", lap, "--yes"]);
  const admin = await expect(["admin-key", "create", "--name", lap, "--json"]);
  await expect(["admin-key", "list"]);
  await expect(["admin-key", "revoke", String(dataOf(admin.stdout).id)]);
  await expect(["console", "--no-open"], [0, 1]);
  await expect(["console", "sessions"]);
  await expect(["console", "revoke", "--all"]);

  await expect(["audit", "list"]);
  await expect(["audit", "show", "00000000000000000000000000000000"], [1]);
  await expect(["audit", "list", "--project", "default", "--page-size", "2"]);
  await Bun.write(file("list.md"), `- The cellar of ${lap} is dry.\n`);
  const starting: RunCommand = (...parameters) => runStarting(run, ...parameters);
  const project = ["--project", "default"];
  await expect(["memory", "import", file("list.md"), ...project], [0], starting);
  const exported = ["--out", file("memories.jsonl"), "--with-vectors"];
  await expect(["memory", "export", ...project, ...exported], [0], starting);
  await expect(["memory", "reactivate", ...project], [0], starting);
  await expect(["conversation", "list", ...project], [0], starting);
  await expect(["conversation", "show", lap, ...project], [0, 1], starting);
  await expect(["conversation", "erase", lap, "--yes", ...project], [0, 1], starting);
  await expect(["suggestion", "list", ...project], [0], starting);
  await expect(["suggestion", "accept", "none", ...project], [0, 1, 2], starting);
  await expect(["suggestion", "refuse", "none", ...project], [0, 1, 2], starting);

  const note = await expect(["audit", "checkpoint"]);
  await Bun.write(file("kept.note"), note.stdout);
  await expect(["audit", "verify", "--checkpoint", file("kept.note")], [0, 10]);
  await expect(["audit", "timestamp-request", "--out", file("stamp.tsq")]);
  // No answer of an authority, which is told.
  await expect(["audit", "timestamp-add", file("stamp.tsq")], [1]);
  const span = ["--from", "2020-01-01", "--to", "2099-01-01"];
  await expect([
    "audit",
    "export",
    "--project",
    "default",
    ...span,
    "--format",
    "json",
    "--out",
    file("a.json"),
  ]);
  const kept = ["--checkpoint", file("kept.note"), "--public-key", publicKey];
  await expect(["audit", "verify", file("a.json"), ...kept], [0, 10]);
  await expect(["audit", "verifier", "--out", file("verifier.html")]);
  // No receipt, which is told.
  await expect(["audit", "verify-receipt", file("a.json"), "--public-key", publicKey], [20]);
  await expect(["audit", "receipt", auditId, "--out", file("record.tlog-proof")]);
  const report = file("report.html");
  await expect(["audit", "report", ...span, "--out", report]);
  await expect(["audit", "verify-report", report, "--public-key", publicKey], [0, 10]);
  await expect(["audit", "trace", "--memory", memoryId]);
  await expect(["audit", "accept", "--yes"]);
  await expect(["audit", "redact", "--memory", memoryId, "--yes"], isErased ? [0, 1] : [0]);
  await expect(["audit", "redact", "--record", auditId, "--yes"]);
  await expect(["audit", "prune"]);
  const backup = file("backup.tar.zst");
  await expect(["backup", backup]);
  await expect(["backup", "verify", backup]);
  const restored = await run(["restore", backup, "--data-dir", file("restored")], true);
  if (restored.exitCode !== 0) faults.push(`restore ended with ${restored.exitCode}: ${restored.stderr}`);
  // It tells that the time stamp authority of this proof answers with 503.
  await expect(["doctor"], [0, 1]);
  await expect(["health"], [0, 1]);
  await expect(["config", "print"]);
  await expect(["connect", "--list"]);
  await expect(["connect", "codex", "--write", "--hooks"]);
  await expect(["connect", "codex", "--remove"]);
  await expect(["version"]);
  for (const shell of ["bash", "zsh", "fish"]) await expect(["completion", shell]);
  await expect(["man"]);
  await expect(["docs"]);
  await expect(["docs", "quickstart"]);
  await expect(["stop"]);
  await expect(["project", "show", "nobody"], [1]);
  await expect(["--wrong"], [2]);
  return faults;
}

/** What an assistant's client does while a server runs. @returns what did not end as it should */
export async function answerHooks(run: RunCommand, named: string, session: string): Promise<string[]> {
  const transcript = join(named, `${session}.jsonl`);
  const line = { type: "user", message: { role: "user", content: "We decided to release on Tuesdays." } };
  await Bun.write(transcript, `${JSON.stringify(line)}\n`);
  const event = {
    session_id: session,
    cwd: named,
    transcript_path: transcript,
    prompt: "When do we release?",
  };
  const faults: string[] = [];
  for (const name of ["session-start", "user-prompt", "session-end"]) {
    const words = ["hook", name, "--client", "claude-code"];
    const { exitCode, stderr } = await run(words, false, JSON.stringify(event));
    if (exitCode !== 0 || stderr !== "") faults.push(`${words.join(" ")} ended with ${exitCode}: ${stderr}`);
  }
  return faults;
}

/**
 * What an assistant does that starts a program, with a running server or without one. Then the program starts a server in the background,
 * which is stopped here. @returns what did not end as it should
 */
export async function connectAssistant(run: RunCommand): Promise<string[]> {
  const clientInfo = { name: "proof", version: "1" };
  const initialize = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  const messages = [
    { id: 1, method: "initialize", params: initialize },
    { method: "notifications/initialized" },
    { id: 2, method: "tools/list", params: {} },
    { id: 3, method: "tools/call", params: { name: "memory_search", arguments: { query: "tea" } } },
  ];
  const input = messages.map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`).join("");
  const { exitCode, stdout, stderr } = await runStarting(run, ["mcp"], false, input);
  const isAnswered = exitCode === 0 && stderr === "" && stdout.split('"result"').length === 4;
  return isAnswered ? [] : [`mcp ended with ${exitCode}: ${stdout.slice(0, 300)} ${stderr}`];
}

/** Runs a command that starts a server in the background if none runs, and stops this server: the trace ends with the last process. */
async function runStarting(run: RunCommand, ...parameters: Parameters<RunCommand>): Promise<Outcome> {
  let isRunning = true;
  const ended = run(...parameters).finally(() => {
    isRunning = false;
  });
  while (isRunning) {
    await Promise.race([ended, Bun.sleep(2_000)]);
    if (isRunning) await run(["stop"]);
  }
  return ended;
}

/** What needs a stopped server. @returns what did not end as it should */
export async function maintain(run: RunCommand): Promise<string[]> {
  const faults: string[] = [];
  for (const words of [["reembed"], ["audit", "rotate-key", "--yes"]]) {
    const { exitCode, stderr } = await run(words);
    if (exitCode !== 0) faults.push(`${words.join(" ")} ended with ${exitCode}: ${stderr.slice(0, 300)}`);
  }
  return faults;
}

/** Every command that the help names, such as `audit verify`; asks for the help of each. */
export async function listCommands(run: RunCommand, group: readonly string[] = []): Promise<string[]> {
  const { stdout } = await run([...group, "--help"], true);
  const [, list = ""] = /^Commands:\n((?: +.*\n)+)/m.exec(stdout) ?? [];
  const names = [...list.matchAll(/^ {2}(\w[\w-]*)/gm)].map(([, name = ""]) => name);
  const commands = names.filter((name) => name !== "help");
  if (commands.length === 0) return [group.join(" ")];
  const below: string[] = [];
  for (const name of commands) below.push(...(await listCommands(run, [...group, name])));
  return below;
}

export function dataOf(text: string): JsonObject {
  const json: Json = JSON.parse(text);
  return isObject(json) ? json : {};
}

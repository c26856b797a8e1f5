// Starts a server in a sandbox of bubblewrap: another root, a user without privileges, no capabilities, and a filter of system calls. The
// network is that of the machine, so that calls reach the server.

import { closeSync, openSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

export interface Sandbox {
  /** Arguments of bwrap. */
  readonly mounts: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly uid: number;
  /** The data directory, outside of the sandbox. */
  readonly data: string;
  /** The folder of scheduled backups, outside of the sandbox; null: there are none. */
  readonly backups: string | null;
  /** What the installation of the package runs before the first start; null: nothing. */
  readonly prepare: readonly string[] | null;
  /** Path of a compiled seccomp program. */
  readonly filter: string | null;
  readonly program: string;
  /** Arguments of the program. */
  readonly serve: readonly string[];
  readonly health: readonly string[];
}

/**
 * Creates and finds a memory, and asks for the health, while a server runs whose output is a log.
 * @returns null, or what did not work
 */
export async function useServer(sandbox: Sandbox): Promise<string | null> {
  const prepared = sandbox.prepare === null ? null : start(sandbox, sandbox.prepare);
  if (prepared !== null && (await prepared.exited) !== 0) return await prepared.stdout.text();
  const server = start(sandbox, [...sandbox.serve, "--host", "127.0.0.1", "--port", "0"]);
  const log = new Log(server.stdout);
  try {
    const [, url] = await log.until(/^API +(\S+)\/v1$/m);
    const key = await (sandbox.prepare === null ? firstKey(sandbox, log) : createKey(sandbox));
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const post = (path: string, body: object) =>
      fetch(`${url}/v1/memories${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const created = await post("", { content: "The office is in Lisbon.", memory_type: "fact" });
    if (created.status !== 201) return `a memory was not created: ${await created.text()}`;
    const found = await (await post("/search", { query: "Where do we work?" })).text();
    if (!found.includes("Lisbon")) return `the memory was not found: ${found}`;
    const extracted = await (await post("/extract", { text: "My name is Dana. I live in Porto." })).text();
    if (!extracted.includes("Porto")) return `nothing was extracted: ${extracted}`;
    if (sandbox.backups !== null && !(await hasBackup(sandbox.backups)))
      return "no scheduled backup was made";
    const health = start(sandbox, sandbox.health);
    if ((await health.exited) !== 0) return `the health check failed: ${await health.stdout.text()}`;
  } finally {
    process.kill(programOf(server.pid), "SIGTERM");
  }
  const exitCode = await server.exited;
  if (exitCode !== 0) return `the server ended with ${exitCode}`;
  if (/mlk?_[0-9A-Za-z]{20,}/.test(await log.all())) return "a secret is in the log";
  const stopped = start(sandbox, sandbox.health);
  return (await stopped.exited) === 1 ? null : "the health check passes without a server";
}

/** The first one is made at the start. */
async function hasBackup(folder: string): Promise<boolean> {
  const untilMs = performance.now() + 30_000;
  while (!readdirSync(folder).some((name) => name.endsWith(".tar.zst"))) {
    if (performance.now() > untilMs) return false;
    await Bun.sleep(50);
  }
  return true;
}

function start({ mounts, variables, uid, filter, program }: Sandbox, words: readonly string[]) {
  const descriptor = filter === null ? null : openSync(filter, "r");
  const command = [
    // The log is on stderr, and the address on stdout: both are kept by what runs a service.
    ...["sh", "-c", 'exec "$@" 2>&1', "sh"],
    "bwrap",
    ...mounts,
    ...["--dev", "/dev", "--proc", "/proc", "--unshare-user", "--unshare-ipc", "--unshare-uts"],
    ...[
      "--uid",
      String(uid),
      "--gid",
      String(uid),
      "--cap-drop",
      "ALL",
      "--die-with-parent",
      "--new-session",
    ],
    ...["--clearenv", ...Object.entries(variables).flatMap(([name, value]) => ["--setenv", name, value])],
    ...(descriptor === null ? [] : ["--seccomp", "3"]),
    ...["--chdir", "/", program, ...words],
  ];
  try {
    return Bun.spawn(command, { stdio: ["ignore", "pipe", "inherit", descriptor ?? "ignore"] });
  } finally {
    if (descriptor !== null) closeSync(descriptor);
  }
}

/** The innermost child of bwrap, which passes no signals on. */
function programOf(pid: number): number {
  const [child] = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean);
  return child === undefined ? pid : programOf(Number(child));
}

/** The key of a first start is in a file that only the owner can read; the log has its path. */
async function firstKey({ data }: Sandbox, log: Log): Promise<string> {
  const [, name = ""] = await log.until(/Only the owner of this file can read it: \S+\/(\S+)$/m);
  const path = join(data, name);
  const mode = statSync(path).mode & 0o777;
  if (mode !== 0o600) throw new Error(`${path} has the mode ${mode.toString(8)}`);
  return readFileSync(path, "utf8").trim();
}

async function createKey(sandbox: Sandbox): Promise<string> {
  const words = ["key", "create", "--project", "default", "--permissions", "memory.read,memory.write"];
  return JSON.parse(await start(sandbox, [...words, "--json"]).stdout.text()).key;
}

/** What a program writes, as systemd and container engines keep it. */
class Log {
  #text = "";
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #decoder = new TextDecoder();

  constructor(stream: ReadableStream<Uint8Array>) {
    this.#chunks = stream[Symbol.asyncIterator]();
  }

  async until(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = pattern.exec(this.#text);
      if (found !== null) return found;
      if (!(await this.#read())) throw new Error(`the server ended before it was ready: ${this.#text}`);
    }
  }

  async all(): Promise<string> {
    while (await this.#read());
    return this.#text;
  }

  async #read(): Promise<boolean> {
    const { value, done } = await this.#chunks.next();
    if (value !== undefined) this.#text += this.#decoder.decode(value, { stream: true });
    return done !== true;
  }
}

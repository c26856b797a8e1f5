// Starts a server in a sandbox of bubblewrap: another root, a user without privileges, no capabilities, and a filter of system calls. The
// network is that of the machine, so that calls reach the server.

import { closeSync, openSync, readFileSync } from "node:fs";

export interface Sandbox {
  /** Arguments of bwrap. */
  readonly mounts: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  readonly uid: number;
  /** Path of a compiled seccomp program. */
  readonly filter: string | null;
  readonly program: string;
  /** Arguments of the program. */
  readonly serve: readonly string[];
  readonly health: readonly string[];
}

/** Creates and finds a memory, and asks for the health, while a server runs. @returns null, or what did not work */
export async function useServer(sandbox: Sandbox): Promise<string | null> {
  const server = start(sandbox, [...sandbox.serve, "--host", "127.0.0.1", "--port", "0", "--json"]);
  try {
    const { url, api_key } = JSON.parse(await firstLine(server.stdout));
    const headers = { authorization: `Bearer ${api_key}`, "content-type": "application/json" };
    const post = (path: string, body: object) =>
      fetch(`${url}/v1/memories${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    const created = await post("", { content: "The office is in Lisbon.", memory_type: "fact" });
    if (created.status !== 201) return `a memory was not created: ${await created.text()}`;
    const found = await (await post("/search", { query: "Where do we work?" })).text();
    if (!found.includes("Lisbon")) return `the memory was not found: ${found}`;
    const extracted = await (await post("/extract", { text: "My name is Dana. I live in Porto." })).text();
    if (!extracted.includes("Porto")) return `nothing was extracted: ${extracted}`;
    const health = start(sandbox, sandbox.health);
    if ((await health.exited) !== 0) return `the health check failed: ${await health.stdout.text()}`;
  } finally {
    process.kill(programOf(server.pid), "SIGTERM");
  }
  const exitCode = await server.exited;
  if (exitCode !== 0) return `the server ended with ${exitCode}`;
  const stopped = start(sandbox, sandbox.health);
  return (await stopped.exited) === 1 ? null : "the health check passes without a server";
}

function start({ mounts, variables, uid, filter, program }: Sandbox, words: readonly string[]) {
  const descriptor = filter === null ? null : openSync(filter, "r");
  const command = [
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

async function firstLine(stream: ReadableStream<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    const end = text.indexOf("\n");
    if (end >= 0) return text.slice(0, end);
  }
  throw new Error(`the server ended before it was ready: ${text}`);
}

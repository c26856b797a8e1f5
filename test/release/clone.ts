// Runs the first command of the README as a newcomer does: in a fresh clone of the commit, on a machine that has Node.js and npm, but no
// bun: `bun test/release/clone.ts`. The second time nothing is built.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../release/source.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-clone-"));
const clone = join(folder, "clone");

/** All programs of this machine, without bun. */
function pathWithoutBun(): string {
  const path = join(folder, "bin");
  mkdirSync(path);
  const folders = (process.env.PATH ?? "").split(":").filter((each) => !each.includes("node_modules"));
  const found = new Map(
    folders.toReversed().flatMap((each) => namesIn(each).map((name) => [name, join(each, name)] as const)),
  );
  for (const [name, target] of found) if (!/^bunx?$/.test(name)) symlinkSync(target, join(path, name));
  return path;
}

function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

/** @returns what `run up` printed, when its server has answered and ended */
async function up(variables: NodeJS.ProcessEnv): Promise<string> {
  const [command = ""] =
    /^npx -y bun@\S+ run up$/m.exec(readFileSync(join(clone, "README.md"), "utf8")) ?? [];
  const child = Bun.spawn(["bash", "-c", `exec ${command} --port 0 2>&1`], {
    cwd: clone,
    env: variables,
    stdout: "pipe",
    detached: true,
  });
  const decoder = new TextDecoder();
  let text = "";
  let isStopped = false;
  for await (const chunk of child.stdout) {
    text += decoder.decode(chunk, { stream: true });
    const url = /^API +(\S+)\/v1$/m.exec(text)?.[1];
    if (url === undefined || isStopped || !text.includes("server started")) continue;
    const { status } = await fetch(`${url}/health/ready`);
    if (status !== 200) throw new Error(`${url} answered ${status}`);
    isStopped = true;
    // Ctrl+C reaches all programs of the terminal.
    process.kill(-child.pid, "SIGINT");
  }
  const exitCode = await child.exited;
  if (!text.includes("server stopped")) throw new Error(`${command} ended with ${exitCode}: ${text}`);
  return text;
}

try {
  const cloned = Bun.spawnSync(["git", "clone", "--quiet", root, clone]);
  if (!cloned.success) throw new Error(String(cloned.stderr));
  const home = join(folder, "home");
  mkdirSync(home);
  // An empty prefix hides a bun that npm has installed for all users.
  const hidden = { PATH: pathWithoutBun(), HOME: home, npm_config_prefix: join(folder, "prefix") };
  const variables = { ...process.env, ...hidden };
  const first = await up(variables);
  if (!/first-api-key$/m.test(first)) throw new Error(`no key was created: ${first}`);
  if (/Blocked/.test(first)) throw new Error(`Bun speaks of blocked scripts: ${first}`);
  const second = await up(variables);
  if (/Building|Installing/.test(second)) throw new Error(`the second start built again: ${second}`);
  process.stdout.write(
    "ok: a fresh clone starts with one command, without a bun on the PATH, and builds once\n",
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

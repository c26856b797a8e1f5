// Runs the commands of the README as they stand there, against a server started from an empty folder.
// The readme test does it from source, the smoke test with the executable.

import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

export const readme = readFileSync(resolve(import.meta.dir, "../README.md"), "utf8");

export interface WalkedCall {
  readonly status: number;
  readonly method: string;
  /** Path without the query. */
  readonly path: string;
}

export interface Walk {
  readonly exitCode: number;
  readonly output: string;
  readonly calls: readonly WalkedCall[];
}

export interface Started {
  readonly url: string;
  readonly apiKey: string | null;
  readonly pid: number;
  stop(): Promise<number>;
}

/** An empty folder in which `./memledger` is `command`; removed by the caller. */
export function createFolder(command: string): string {
  const folder = mkdtempSync(join(tmpdir(), "memledger-walk-"));
  writeFileSync(join(folder, "memledger"), `#!/bin/sh\nexec ${command} "$@"\n`);
  chmodSync(join(folder, "memledger"), 0o755);
  return folder;
}

export function removeFolder(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
}

/** Starts `./memledger serve` in the folder on any free port and waits for its ready line. */
export async function startServer(folder: string, ...flags: readonly string[]): Promise<Started> {
  const command = ["./memledger", "serve", "--port", "0", "--json", "--log-level", "warn", ...flags];
  const child = Bun.spawn(command, {
    cwd: folder,
    stdout: "pipe",
    stderr: "inherit",
  });
  const ready = JSON.parse(await firstLine(child.stdout));
  return {
    url: ready.url,
    apiKey: ready.api_key ?? null,
    pid: child.pid,
    async stop() {
      child.kill("SIGTERM");
      return child.exited;
    },
  };
}

/** Runs every `sh` block of the README in one shell that stops at the first failure. */
export async function walk(folder: string, { url, apiKey }: Pick<Started, "url" | "apiKey">): Promise<Walk> {
  const blocks = [...readme.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block);
  const script = `set -euo pipefail\n${blocks.join("\n")}`
    .replace("URL=http://127.0.0.1:8420", `URL=${url}`)
    .replace("KEY=ml_your_key", `KEY=${apiKey}`);
  const shims = join(folder, "shims");
  mkdirSync(shims);
  // Everything curl does is noted on stderr, so that the commands themselves stay as they are printed.
  const real = Bun.which("curl");
  writeFileSync(
    join(shims, "curl"),
    `#!/bin/sh\nexec ${real} --fail-with-body -w '%{stderr}call %{http_code} %{method} %{url}\\n' "$@"\n`,
  );
  chmodSync(join(shims, "curl"), 0o755);
  const child = Bun.spawn(["bash", "-c", script], {
    cwd: folder,
    env: { ...process.env, PATH: `${shims}:${process.env.PATH}` },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [output, notes] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  const calls = [...notes.matchAll(/^call (\d+) (\w+) (\S+)$/gm)].map(([, status, method, address]) => ({
    status: Number(status),
    method: method ?? "",
    path: new URL(address ?? "").pathname,
  }));
  return { exitCode: await child.exited, output: `${output}\n${notes}`, calls };
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

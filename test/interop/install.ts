// Installs the programs that drive the server, into this folder, with the ordinary clients of their registries. The product's own
// installation has none of them. Must never call a broken installation an unreachable registry.

import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Outcome, runProgram } from "./programs.ts";

export const folder = import.meta.dir;
const environment = join(folder, ".venv");
export const python = join(environment, "bin/python");

/** What bun and pip say when they reach no registry. */
const unreachable =
  /ConnectionRefused|ConnectionClosed|DNSResolveFailed|FailedToOpenSocket|\bTimeout\b|NewConnectionError|NameResolutionError|ConnectTimeoutError|ReadTimeoutError|ProxyError/;
const timeoutMs = 120_000;
/** The frameworks and what they need are 400 MB. */
const pipTimeoutMs = 900_000;

/**
 * The packages of package.json.
 *
 * @returns null, or why they cannot be had here
 * @throws Error when the registry answers and the installation fails all the same
 */
export async function installPackages(): Promise<string | null> {
  const words = [process.execPath, "install", "--frozen-lockfile"];
  return reasonOf("bun install", await runProgram(words, { folder, timeoutMs }));
}

/** The packages of requirements.txt, in a virtual environment of their own; as `installPackages`. */
export async function installPythonPackages(): Promise<string | null> {
  const asked = await runProgram(
    ["python3", "-c", "import sys, venv, ensurepip; print(sys.version_info >= (3, 11))"],
    { folder },
  ).catch(() => null);
  if (asked === null) return "there is no python3";
  if (asked.exitCode !== 0) return "python3 has no venv or no pip; on Debian install python3-venv";
  if (asked.stdout.trim() !== "True") return "the Python packages need Python 3.11 or later here";
  if (!existsSync(python)) {
    const made = await runProgram(["python3", "-m", "venv", environment], { folder, timeoutMs });
    if (made.exitCode !== 0) throw new Error(`python3 -m venv failed:\n${made.output}`);
  }
  const words = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "1"];
  const requirements = ["--require-hashes", "--requirement", join(folder, "requirements.txt")];
  const outcome = await runProgram([...words, ...requirements], { folder, timeoutMs: pipTimeoutMs });
  return reasonOf("pip install", outcome);
}

const goFolder = join(folder, ".go");
/** Litestream of this version is tested; it has no releases in a package registry. */
const litestreamModule = "github.com/benbjohnson/litestream/cmd/litestream@v0.5.18";

/**
 * Litestream: the program that MEMLEDGER_LITESTREAM names, or that is on the PATH, or that Go builds from its module (minutes, once).
 *
 * @returns its path, or why it cannot be had here
 * @throws Error when the module can be had and does not build
 */
export async function findLitestream(): Promise<{ path: string } | { reason: string }> {
  const built = join(goFolder, "litestream");
  const found = process.env.MEMLEDGER_LITESTREAM ?? Bun.which("litestream");
  if (found !== null) return { path: found };
  if (existsSync(built)) return { path: built };
  const go = Bun.which("go");
  if (go === null)
    return { reason: "there is no litestream on the PATH, in MEMLEDGER_LITESTREAM, and no go to build it" };
  const variables = { GOBIN: goFolder, GOPATH: join(goFolder, "path"), GOFLAGS: "-modcacherw" };
  const outcome = await runProgram([go, "install", litestreamModule], {
    folder,
    variables,
    timeoutMs: 900_000,
  });
  const isUnreachable = /dial tcp|no such host|i\/o timeout|TLS handshake|connection refused/.test(
    outcome.output,
  );
  if (outcome.exitCode !== 0 && isUnreachable)
    return { reason: "the Go module proxy cannot be reached from here" };
  if (outcome.exitCode !== 0)
    throw new Error(`go install failed with ${outcome.exitCode}:\n${outcome.output}`);
  return { path: built };
}

function reasonOf(name: string, { exitCode, output }: Outcome): string | null {
  if (exitCode === 0) return null;
  if (unreachable.test(output)) return "its registry cannot be reached from here";
  throw new Error(`${name} failed with ${exitCode}:\n${output}`);
}

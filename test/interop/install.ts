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
/** A program that Go builds from its module (minutes, once): none has releases in a package registry. */
interface GoProgram {
  readonly name: string;
  /** With the version that is tested. */
  readonly module: string;
}

const litestream = { name: "litestream", module: "github.com/benbjohnson/litestream/cmd/litestream@v0.5.18" };
export const litewitness = { name: "litewitness", module: "filippo.io/torchwood/cmd/litewitness@v0.8.0" };
/** The time stamp authority of sigstore. */
export const timestampServer = {
  name: "timestamp-server",
  module: "github.com/sigstore/timestamp-authority/v2/cmd/timestamp-server@v2.0.3",
};
/** A server of buckets over a folder. */
export const versitygw = { name: "versitygw", module: "github.com/versity/versitygw/cmd/versitygw@v1.8.0" };
/** A log of one command, with a client of witnesses. */
export const tesseraLog = {
  name: "posix-oneshot",
  module: "github.com/transparency-dev/tessera/cmd/examples/posix-oneshot@v1.0.4",
};

/** Litestream: the program that MEMLEDGER_LITESTREAM names, or that is on the PATH, or that Go builds. As `findGoProgram`. */
export async function findLitestream(): Promise<FoundProgram> {
  const found = process.env.MEMLEDGER_LITESTREAM ?? Bun.which("litestream");
  return found === null ? findGoProgram(litestream) : { path: found };
}

/** The path of a program, or why it cannot be had here. */
export type FoundProgram = { path: string } | { reason: string };

export async function findGoProgram({ name, module }: GoProgram): Promise<FoundProgram> {
  const built = join(goFolder, name);
  if (existsSync(built)) return { path: built };
  const go = Bun.which("go");
  if (go === null) return { reason: `there is no ${name}, and no go to build it` };
  const variables = { GOBIN: goFolder, GOPATH: join(goFolder, "path"), GOFLAGS: "-modcacherw" };
  const outcome = await runProgram([go, "install", module], {
    folder,
    variables,
    timeoutMs: 900_000,
  });
  if (outcome.exitCode === 0) return { path: built };
  // Such as a module that a registry does not serve.
  const last = outcome.output.trim().split("\n").at(-1) ?? "";
  return { reason: `go install ${module} ended with ${outcome.exitCode}: ${last}` };
}

function reasonOf(name: string, { exitCode, output }: Outcome): string | null {
  if (exitCode === 0) return null;
  if (unreachable.test(output)) return "its registry cannot be reached from here";
  throw new Error(`${name} failed with ${exitCode}:\n${output}`);
}

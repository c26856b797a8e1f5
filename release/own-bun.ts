// Owns how the commands for a fresh clone run other commands of Bun: with the Bun that runs this program, which may be on no PATH, as under
// npx. Must import nothing that is installed.

import { existsSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";

const folder = mkdtempSync(join(tmpdir(), "memledger-bun-"));
symlinkSync(process.execPath, join(folder, "bun"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));

const root = join(import.meta.dir, "..");

/** Variables for programs that start `bun` by its name. */
export const withBun = {
  ...process.env,
  PATH: [folder, join(root, "node_modules/.bin"), process.env.PATH].join(delimiter),
};

/** @param output `shown`, or `kept` until the command fails @returns its exit code */
export async function runBun(words: readonly string[], output: "shown" | "kept" = "shown"): Promise<number> {
  const [stdout, stderr] =
    output === "shown" ? (["inherit", "inherit"] as const) : (["pipe", "pipe"] as const);
  const child = Bun.spawn([process.execPath, ...words], { cwd: root, env: withBun, stdout, stderr });
  const texts = await Promise.all([child.stdout, child.stderr].map((stream) => stream?.text() ?? ""));
  const exitCode = await child.exited;
  if (exitCode !== 0) process.stderr.write(texts.join(""));
  return exitCode;
}

/** Takes no time if everything is there. */
export async function installDependencies(): Promise<number> {
  const isFirst = !existsSync(join(root, "node_modules"));
  if (isFirst) process.stderr.write("Installing the dependencies ...\n");
  return runBun(["install", "--frozen-lockfile"], "kept");
}

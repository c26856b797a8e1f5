// Makes a release a second time, in another folder, later, with another umask, locale and time zone, and compares the files.

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "./source.ts";
import type { Target } from "./targets.ts";

/** @param out folder of the first release. @throws Error that names the files that differ */
export function checkReproducible(out: string, targets: readonly Target[]): void {
  const folder = mkdtempSync(join(tmpdir(), "memledger-release-"));
  try {
    const copy = join(folder, "a copy of the repository");
    const again = join(folder, "out");
    const words = targets.flatMap(({ name }) => ["--target", name]);
    run(["git", "clone", "--quiet", "--no-hardlinks", root, copy], folder);
    const platforms = ["--frozen-lockfile", "--os", "*", "--cpu", "*"];
    run([process.execPath, "install", ...platforms], copy);
    run([process.execPath, "install", "--cwd", "release/runtimes", ...platforms], copy);
    const umask = ["sh", "-c", 'umask 027; exec "$@"', "sh"];
    run([...umask, process.execPath, "release/main.ts", "--out", again, ...words], copy);
    compare(out, again);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(command: readonly string[], cwd: string): void {
  const environment = { ...process.env, TZ: "Pacific/Auckland", LC_ALL: "C", SOURCE_DATE_EPOCH: "1" };
  const ran = Bun.spawnSync([...command], { cwd, env: environment });
  if (!ran.success) throw new Error(`${command.join(" ")} failed: ${ran.stdout}${ran.stderr}`);
}

function compare(first: string, second: string): void {
  const sums = (folder: string) => readFileSync(join(folder, "SHA256SUMS"), "utf8").trimEnd().split("\n");
  const [before, after] = [sums(first), sums(second)];
  const differing = before.filter((line) => !after.includes(line)).map((line) => line.slice(66));
  if (differing.length > 0 || before.length !== after.length)
    throw new Error(`The release is not reproducible. These files differ: ${differing.join(", ")}`);
  process.stdout.write(`${before.length} files are the same in a second build, in another folder\n`);
}

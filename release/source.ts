// Owns where the source is, and which commit of it is built.

import { join } from "node:path";

export const root = join(import.meta.dir, "..");

/** What `git` prints, without the line break at the end; null if it fails, as it does outside of a repository. */
function git(...words: readonly string[]): string | null {
  const ran = Bun.spawnSync(["git", ...words], { cwd: root, stderr: "ignore" });
  return ran.success ? ran.stdout.toString().trimEnd() : null;
}

/** The commit that is built, "-dirty" when files differ from it, "unknown" without a repository. */
export function commitName(): string {
  const head = git("rev-parse", "--short=12", "HEAD");
  if (head === null) return "unknown";
  const isDirty = git("status", "--porcelain", "--untracked-files=no") !== "";
  return head + (isDirty ? "-dirty" : "");
}

/** Time of the commit, in seconds since 1970: the date of everything in a release, so that two builds are equal. */
export function commitSeconds(): number {
  const seconds = git("log", "-1", "--format=%ct");
  if (seconds === null) throw new Error("A release is made from a git repository. Clone it, then try again.");
  return Number(seconds);
}

/** Files that differ from the commit or are unknown to it. */
export function uncommittedFiles(): string[] {
  return (git("status", "--porcelain") ?? "").split("\n").filter((line) => line !== "");
}

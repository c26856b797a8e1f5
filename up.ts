// Starts memledger from a clone: `bun run up`. Installs the dependencies, builds the executable if it is older than its source, and starts
// the server with the options that follow. No script of package.json, because that would need a bun on the PATH.

import { join } from "node:path";
import { isOutOfDate } from "./release/out-of-date.ts";
import { installDependencies, runBun } from "./release/own-bun.ts";

const executable = join(import.meta.dir, "dist/memledger");
const sources = ["src", "models", "release", "build.ts", "package.json", "bun.lock", "LICENSE"].map((name) =>
  join(import.meta.dir, name),
);

process.exitCode = (await installDependencies()) || (await build()) || (await serve());

async function build(): Promise<number> {
  if (!isOutOfDate(executable, sources)) return 0;
  process.stderr.write("Building dist/memledger. This takes about a minute ...\n");
  return runBun(["build.ts"], "kept");
}

/** The data directory is that of the working directory, as it is of the executable. */
async function serve(): Promise<number> {
  const words = [executable, "serve", ...process.argv.slice(2)];
  const server = Bun.spawn(words, { stdio: ["inherit", "inherit", "inherit"] });
  // Ctrl+C reaches the server itself, too, which ends at its own pace.
  process.on("SIGINT", () => {});
  process.on("SIGTERM", () => server.kill("SIGTERM"));
  return server.exited;
}

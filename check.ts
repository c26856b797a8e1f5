// Checks a change: `bun run check`. Installs the dependencies, then types, lint, format and all tests. No script of package.json, because
// that would need a bun on the PATH.

import { installDependencies, runBun } from "./release/own-bun.ts";

const steps: readonly (readonly string[])[] = [
  ["x", "tsc", "--noEmit"],
  ["x", "tsc", "--noEmit", "--project", "src/console"],
  ["x", "tsc", "--noEmit", "--project", "clients/typescript"],
  ["x", "biome", "check", "."],
  ["run", "test"],
];

process.exitCode = await installDependencies();
for (const step of steps) {
  if (process.exitCode === 0) process.exitCode = await runBun(step);
}

// Runs the tests of the console with the executable: `bun run console-check [FILE]`.

import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

const executable = resolve(process.argv[2] ?? join(import.meta.dir, "../../dist/memledger"));
if (!existsSync(executable)) throw new Error(`${executable} does not exist; run "bun run build" first.`);
const child = Bun.spawn([process.execPath, "test", "--timeout", "120000", import.meta.dir], {
  stdio: ["ignore", "inherit", "inherit"],
  env: { ...process.env, MEMLEDGER_TEST_EXECUTABLE: executable },
});
process.exitCode = await child.exited;

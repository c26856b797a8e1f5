// Repeats the property tests with new seeds: `bun run fuzz --rounds 10`. Ends at the first failure; fast-check prints its seed.

import { parseArgs } from "node:util";
import { Glob } from "bun";

const { values } = parseArgs({ options: { rounds: { type: "string", default: "10" } } });
const files: string[] = [];
for (const path of [...new Glob("test/**/*.test.ts").scanSync()].toSorted()) {
  if (path.includes("/node_modules/")) continue;
  const text = await Bun.file(path).text();
  if (/from "(fast-check|.*\/conformance[^"]*)"/.test(text)) files.push(`./${path}`);
}
for (let round = 1; round <= Number(values.rounds); round++) {
  const seed = String(Date.now() % 2 ** 31);
  process.stdout.write(
    `round ${round} of ${values.rounds}, MEMLEDGER_TEST_SEED=${seed}, ${files.length} files\n`,
  );
  const env = { ...process.env, MEMLEDGER_TEST_SEED: seed };
  const { exitCode } = Bun.spawnSync(["bun", "test", "--timeout", "600000", "--only-failures", ...files], {
    env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (exitCode !== 0) process.exit(exitCode);
}

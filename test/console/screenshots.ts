// Makes the pictures of docs/CONSOLE.md from the executable: `bun run screenshots`.

import { join, resolve } from "node:path";

const root = resolve(import.meta.dir, "../..");
const child = Bun.spawn(
  [process.execPath, "test", "--timeout", "120000", join(import.meta.dir, "story.slow.test.ts")],
  {
    stdio: ["ignore", "inherit", "inherit"],
    env: {
      ...process.env,
      MEMLEDGER_TEST_EXECUTABLE: join(root, "dist/memledger"),
      MEMLEDGER_SCREENSHOTS: join(root, "docs/console"),
    },
  },
);
process.exitCode = await child.exited;

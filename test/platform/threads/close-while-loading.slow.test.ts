// Proves that threads may be closed while they load an addon: Bun would end the process.

import { expect, test } from "bun:test";
import { join } from "node:path";

test("closing threads while they load an addon does not end the process", async () => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "close-while-loading.ts"), "100"], {
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  expect({ exitCode: await child.exited, stdout, stderr }).toEqual({
    exitCode: 0,
    stdout: "closed\n",
    stderr: "",
  });
});

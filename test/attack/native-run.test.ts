// Ends threads in the middle of a native run. ONNX Runtime aborts the whole process when its thread is terminated there.

import { expect, test } from "bun:test";
import { join } from "node:path";

test.each(["close", "replace"])("to %s a thread that runs ONNX does not end the process", async (how) => {
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "native-run-ends.ts"), how], {
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

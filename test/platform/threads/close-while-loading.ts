// A process that closes threads while they load an addon, as often as the first word says.

import { Worker } from "node:worker_threads";
import { createLogger } from "../../../src/platform/log/logger.ts";
import { createSupervisor } from "../../../src/platform/threads/supervisor.ts";
import { openSeam, runtime } from "../../calls/storage/seam.ts";
import type { LoadingInit } from "./loading-worker.ts";

/** About as long as loading takes. */
const loadingMs = 2;

const seam = await openSeam();
const supervisor = createSupervisor({
  logger: createLogger("silent"),
  spawn: (_, init) => new Worker(new URL("loading-worker.ts", import.meta.url), { workerData: init }),
});
for (let closes = 0; closes < Number(process.argv[2]); closes++) {
  const init: LoadingInit = { file: { path: seam.path, runtime }, begins: new SharedArrayBuffer(4) };
  const thread = supervisor.start("reader", init);
  await Atomics.waitAsync(new Int32Array(init.begins), 0, 0).value;
  const endsAt = performance.now() + loadingMs * Math.random();
  while (performance.now() < endsAt);
  await thread.close();
}
await seam.close();
process.stdout.write("closed\n");

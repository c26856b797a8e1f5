// A process that closes a thread in the middle of its work, or replaces it because it is silent, as the first word says.

import { Worker } from "node:worker_threads";
import { createLogger } from "../../src/platform/log/logger.ts";
import { silenceCheckEveryMs, threadPolicies } from "../../src/platform/threads/policies.ts";
import { createSupervisor } from "../../src/platform/threads/supervisor.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { createClockShift, passTime } from "../../src/platform/time/clock-shift.ts";

const shift = createClockShift();
const clock = createClock(shift);
const supervisor = createSupervisor({
  clock,
  logger: createLogger("silent"),
  spawn: () => new Worker(new URL("native-run.ts", import.meta.url)),
});
const thread = supervisor.start("searcher", {});
await thread.ready;
await thread.request(1);
// Some seconds of work, of which all but microseconds are inside ONNX.
const working = thread.request(2_000).catch(() => null);
await clock.sleep(100);
if (process.argv[2] === "replace") {
  const checks = threadPolicies.searcher.silenceMaxMs / silenceCheckEveryMs + 1;
  for (let check = 0; check < checks; check++) {
    passTime(shift, silenceCheckEveryMs);
    clock.catchUp();
  }
  while (!thread.isUp) await clock.sleep(1);
  await thread.request(1);
}
const closed = thread.close();
passTime(shift, threadPolicies.searcher.closeMaxMs);
await Promise.all([closed, working]);
process.stdout.write("closed\n");

// Takes the disk away from a running server in the default suite; `bun run proof` does it in more ways.

import { afterEach, expect } from "bun:test";
import { program, testWith } from "../needs.ts";
import { type FaultOptions, runFault } from "./disk-fault.ts";
import { failing, noFileMayGrow } from "./disk-faults.ts";
import { whyNoTrace } from "./record.ts";
import { killAll } from "./server.ts";

afterEach(killAll);

async function expectNoFaults(options: FaultOptions): Promise<void> {
  const { faults, refusedMeanwhile } = await runFault(options);
  expect(faults).toEqual([]);
  expect(refusedMeanwhile).toBeGreaterThan(80);
}

testWith(program("prlimit"))(
  "while no file may grow every operation answers 1503, and everything works again by itself",
  () => expectNoFaults({ fault: noFileMayGrow, seed: 1 }),
  60_000,
);

testWith(whyNoTrace())(
  "while the database cannot be read every operation answers 1503, and everything works again by itself",
  () => expectNoFaults({ fault: failing("pread64", "EIO"), seed: 3 }),
  60_000,
);

testWith(whyNoTrace())(
  "what was answered with 1503 because it could not be synced does not come back after a kill",
  () => expectNoFaults({ fault: failing("fsync", "EIO"), seed: 2, killMeanwhile: true }),
  60_000,
);

testWith(whyNoTrace())("while reads fail now and then no answer says otherwise than its record", async () => {
  const fault = failing("pread64", "EIO", ":when=10+10");
  const { faults, refusedMeanwhile } = await runFault({ fault, seed: 1, isIntermittent: true });
  expect(faults).toEqual([]);
  expect(refusedMeanwhile).toBeGreaterThan(5);
});

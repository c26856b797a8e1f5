// Makes a year of calls in a new data directory, before any server uses it.

import {
  addProject,
  commitOrThrow,
  type FillingProject,
  withFillingStore,
} from "../../bench/filling-store.ts";
import { madeBodies, toCall } from "../../bench/ledger-fill.ts";
import { dayMs } from "../../src/platform/time/clock.ts";
import { createClockShift, passTime, setClock } from "../../src/platform/time/clock-shift.ts";

const days = 365;
const callsEachDay = 5;

/** @returns the project whose calls they are */
export function makeYear(dataDir: string): Promise<FillingProject> {
  const clockShift = createClockShift();
  setClock(clockShift, -days * dayMs);
  return withFillingStore(
    dataDir,
    async (store) => {
      const project = await addProject(store, "support");
      const bodies = madeBodies();
      for (let day = 0; day < days; day++) {
        for (let call = 0; call < callsEachDay; call++)
          await commitOrThrow(store, toCall(project.keyId, day * callsEachDay + call, bodies));
        passTime(clockShift, dayMs);
      }
      return project;
    },
    { clockShift },
  );
}

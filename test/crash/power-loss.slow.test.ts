// A short exploration of power losses; `bun run proof` runs the long one.

import { afterEach, expect, test } from "bun:test";
import { dirname, join } from "node:path";
import { describeWith } from "../needs.ts";
import { explorePowerLoss, type Loss, type PowerLossOptions } from "./power-loss.ts";
import { whyNoTrace } from "./record.ts";
import { fromSource, killAll, weakened } from "./server.ts";

afterEach(killAll);

const small: PowerLossOptions = { command: fromSource, calls: 50, seed: 1, states: 45, restarts: 1 };
const reason = whyNoTrace();

describeWith(reason)("a power loss", () => {
  test("takes nothing that was answered and brings back nothing that was erased, whatever the disk forgets", async () => {
    const report = await explorePowerLoss({ ...small, erases: true });
    const { losses, states, phases, answered, restartsWithCache } = report;
    expect(losses.map(describeLoss)).toEqual([]);
    expect(answered).toBeGreaterThanOrEqual(50);
    expect(states).toBeGreaterThanOrEqual(45);
    expect(Object.values(phases).every((count) => count > 0)).toBe(true);
    expect(restartsWithCache).toBe(3 * small.restarts);
  });

  test("would take answered calls with synchronous = NORMAL: the explorer sees what there is to lose", async () => {
    const { losses } = await explorePowerLoss({ ...small, command: weakened, restarts: 0 });
    expect(losses.map(describeLoss).join("\n")).toMatch(
      /call \d+ \(memory\.create, answered 201\) has no record/,
    );
  });

  test.each([
    ["of format 1", "format-1.db", []],
    ["of version 0.1.0", "version-0.1.0/memledger.db", ["audit.key", "audit.pub"]],
  ])("while a database %s is migrated leaves the old or the new one", async (_, name, files) => {
    const folder = join(import.meta.dir, "../engines/sqlite");
    const database = join(folder, name);
    const beside = files.map((file) => join(dirname(database), file));
    const { losses, states } = await explorePowerLoss({ ...small, database, beside, calls: 0, states: 25 });
    expect(losses.map(describeLoss)).toEqual([]);
    expect(states).toBeGreaterThanOrEqual(25);
  });
});

function describeLoss({ phase, outcome, moment, faults }: Loss): string {
  return `${phase}, event ${moment}, ${outcome}: ${faults.join("; ")}`;
}

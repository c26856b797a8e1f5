// Shows that the proof can fail: traces a program that does everything wrong (leaky.ts) and looks for each of its faults.

import { resolve } from "node:path";
import { createSandbox } from "./sandbox.ts";

const expected: readonly RegExp[] = [
  /reads \/etc\/hosts/,
  /connect to port 9 /,
  /SOCK_DGRAM/,
  /to port 53 /,
  /changes .*mat-debug/,
  /looks for .*\.leakyrc/,
  /starts the program /,
  /the folder tmp is not empty: mat-debug\.log/,
];

/** @returns what was not found, and in which faults it was looked for; [] when all was found */
export async function missedLeaks(): Promise<string[]> {
  using sandbox = createSandbox([process.execPath]);
  await sandbox.run([resolve(import.meta.dir, "leaky.ts")]);
  const { faults } = await sandbox.judgeAll([]);
  const missed = expected.filter((fault) => !faults.some((found) => fault.test(found)));
  return missed.length === 0 ? [] : [...missed.map((fault) => `not found: ${fault}`), ...faults];
}

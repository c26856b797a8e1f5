// Decides whether the engine can perform calls now: no thread is restarting, and the writer can write. Must never take longer than
// readinessWaitMs, and must never name a project or a file.

import { readinessWaitMs, writerHangsAfterMs } from "../../../platform/limits.ts";
import type { Supervisor } from "../../../platform/threads/supervisor.ts";
import type { Clock } from "../../../platform/time/clock.ts";
import { damageReason } from "../damaged-file.ts";
import type { DamageCheck } from "./damage-check.ts";
import type { Writer } from "./writer.ts";

export interface EngineReadiness {
  /** The disk or the file has failed: not ready until a test write of the writer succeeds. */
  suspect(isDamage: boolean): void;
  /** Reasons why calls cannot be performed now, as text for operators; empty: ready. */
  reasons(): Promise<readonly string[]>;
}

const unreadableFile = "the database file is damaged, or the disk cannot read it";
const untested = "a transaction failed, and the writer has not tested the disk since";

export function createEngineReadiness(
  writer: Pick<Writer, "check" | "silentMs">,
  damage: DamageCheck,
  supervisor: Pick<Supervisor, "restarting">,
  clock: Clock,
): EngineReadiness {
  let isSuspect = false;
  /** One check at a time, so that they do not accumulate while the writer hangs. */
  let asked: Promise<string | null> | null = null;

  const ask = (): Promise<string | null> => {
    const wasSuspect = isSuspect;
    return writer
      .check(wasSuspect)
      .then(({ cause, sawDamage }) => {
        if (sawDamage) damage.suspect();
        if (wasSuspect && cause === null) isSuspect = false;
        return cause;
      })
      .catch(() => "the writer is restarting")
      .finally(() => {
        asked = null;
      });
  };
  const causeOfWriter = async (): Promise<string | null> => {
    const { silentMs } = writer;
    if (silentMs >= writerHangsAfterMs) return `the writer has not answered for ${silentMs / 1_000} seconds`;
    asked ??= ask();
    const answer = await clock.within(readinessWaitMs, asked);
    if (answer !== undefined) return answer;
    // A writer that is only busy is ready.
    return isSuspect ? untested : null;
  };

  return {
    suspect(isDamage) {
      isSuspect = true;
      if (isDamage) damage.suspect();
    },
    async reasons() {
      const down = supervisor.restarting().map((name) => `the ${name} is restarting`);
      const cause = await causeOfWriter();
      const damaged = damage.isSuspected() ? [unreadableFile] : [];
      const reasons = new Set([...down, ...damaged, ...(cause === null ? [] : [cause])]);
      if (damage.isConfirmed() && reasons.delete(unreadableFile)) reasons.add(damageReason);
      return [...reasons];
    },
  };
}

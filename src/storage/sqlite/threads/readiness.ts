// Owns the answer to the question whether the engine can perform calls now: its threads are up, and the writer can write. Must never
// hold the caller for long, nor say which project or file is concerned.

import { readinessWaitMs, writerSilenceMaxMs } from "../../../limits.ts";
import type { WorkerClient } from "../../../native/worker-client.ts";
import type { DamageCheck } from "./damage-check.ts";
import type { Writer } from "./writer.ts";

export interface EngineReadiness {
  /** Somebody has seen the disk or the file fail: the writer must prove that it is over. */
  suspect(isDamage: boolean): void;
  /** Why calls cannot be performed now, for people; empty when they can. */
  reasons(): Promise<readonly string[]>;
}

/** `threads` are those without which calls fail; the list may grow. */
export function createEngineReadiness(
  writer: Pick<Writer, "check">,
  damage: DamageCheck,
  threads: readonly WorkerClient[],
): EngineReadiness {
  let isSuspect = false;
  /** One question at a time: a writer that hangs must not gather more of them. */
  let asked: { readonly answer: Promise<string | null>; readonly atMs: number } | null = null;

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
  const causeOfWriter = (): Promise<string | null> => {
    const nowMs = performance.now();
    asked ??= { answer: ask(), atMs: nowMs };
    const seconds = Math.floor((nowMs - asked.atMs) / 1000);
    const silent =
      seconds * 1000 < writerSilenceMaxMs ? null : `the writer has not answered for ${seconds} seconds`;
    return Promise.race([asked.answer, Bun.sleep(readinessWaitMs).then(() => silent)]);
  };

  return {
    suspect(isDamage) {
      isSuspect = true;
      if (isDamage) damage.suspect();
    },
    async reasons() {
      const down = threads.filter(({ isUp }) => !isUp).map(({ name }) => `the ${name} is restarting`);
      const cause = await causeOfWriter();
      const damaged = damage.isSuspected()
        ? ["the database file is damaged, or the disk cannot read it"]
        : [];
      return [...new Set([...down, ...damaged, ...(cause === null ? [] : [cause])])];
    },
  };
}

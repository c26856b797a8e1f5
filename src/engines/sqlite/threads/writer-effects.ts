// Owns the effects of committed calls that the writer's thread performs; store.ts performs those of the main thread. Must never undo
// what is committed.

import type { AfterCommit, SettledCall } from "../../../calls/storage/after-commit.ts";
import type { WriterState } from "./writer-state.ts";

export interface WriterEffects {
  /** @returns the calls with the effects that are left for the main thread */
  perform(settled: readonly SettledCall[]): SettledCall[];
}

export function createWriterEffects(state: WriterState): WriterEffects {
  /** @returns whether the effect is the main thread's. */
  const isLeft = (after: AfterCommit): boolean => {
    switch (after.effect) {
      case "touch_key":
        state.touchedKeys.set(after.keyId, after.at);
        return false;
      case "touch_session":
        state.touchedSessions.set(after.session, after.at);
        return false;
      case "touch_memories":
        for (const id of after.memories)
          state.touchedMemories.set(id, { project: after.project, at: after.at });
        return false;
      case "purge_memories":
        state.purgeIsDue = true;
        return false;
      case "remove_unused_vectors":
        state.vectorRemovalIsDue = true;
        return true;
      case "remove_erased_text":
      case "start_export":
      case "remember_answer":
      case "continue_model_change":
      case "remove_expired_exports":
      case "remove_cached_vectors":
        return true;
    }
  };

  return {
    perform: (settled) => settled.map((call) => ({ ...call, after: call.after.filter(isLeft) })),
  };
}

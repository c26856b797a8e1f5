// Owns which cache files are read after a start before anybody searches: those of the projects that were used last, one after the other, until
// the memory for indexes is full. Must never replace an index that somebody uses.

import type { PreloadOutcome } from "./copy-steps.ts";

export interface Preloading {
  /** Call it in the order in which the projects are to be read. @param bytes of the files of the project */
  add(project: string, bytes: number): void;
}

/** Reads the files of a project (an id) into memory. `bytes`: of the files. Throws Refusal 1503 when a thread ended, or the server is closed. */
export type Preload = (project: string, bytes: number) => Promise<PreloadOutcome>;

export function createPreloading(preload: Preload): Preloading {
  const waiting: { readonly project: string; readonly bytes: number }[] = [];
  let isWorking = false;
  let isOver = false;

  const work = async (): Promise<void> => {
    isWorking = true;
    for (let next = waiting.shift(); next !== undefined && !isOver; next = waiting.shift()) {
      try {
        isOver = (await preload(next.project, next.bytes)) === "full";
      } catch {
        // A thread has ended, or the server is closed. Searches read what they need.
        isOver = true;
      }
    }
    isWorking = false;
  };
  return {
    add(project, bytes) {
      if (isOver) return;
      waiting.push({ project, bytes });
      if (!isWorking) void work();
    },
  };
}

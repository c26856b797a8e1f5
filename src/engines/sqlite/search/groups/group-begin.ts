// Owns when the next group of a project begins: at once, or when all of its announced searches have come, because one pass over the index
// for all of them takes less processor time than one for each half. Must never make a search wait long compared with the groups of its
// project.

import { LRUCache } from "lru-cache";
import type { Clock } from "../../../../platform/time/clock.ts";
import { groupVectorsMax } from "../limits.ts";

export interface GroupBegin {
  /** A search of the project follows when its query is embedded. Dispose of the result when it has followed, or will not. */
  expect(project: string): Disposable;
  /** Whether the group begins now. If not, `begin` is called later. @param searches that wait, the first one since `askedAt` */
  isDue(project: string, searches: number, askedAt: number): boolean;
  /** A group of the project took so long. */
  took(project: string, groupMs: number): void;
  /** Calls `begin` after all searches were asked whose queries were embedded at once. */
  soon(): void;
}

/** Groups of small projects take about as long as a timer, and their searches do not wait. */
const waitMinMs = 2;
/** Projects whose groups take long enough to wait. */
const slowProjectsMax = 1_000;

/** @param begin begins the groups that are due */
export function createGroupBegin(clock: Pick<Clock, "elapsed" | "after">, begin: () => void): GroupBegin {
  /** By project, above 0. */
  const expected = new Map<string, number>();
  /** The longest wait for more searches: that of a search which comes when a group has just begun. */
  const waitMsOf = new LRUCache<string, number>({ max: slowProjectsMax });
  /** Projects for which `begin` is called when the wait is over. */
  const waiting = new Set<string>();
  let isSoon = false;

  const soon = (): void => {
    if (isSoon) return;
    isSoon = true;
    // Answers of the embedder that came in one message are passed on in the same turn of the event loop.
    setImmediate(() => {
      isSoon = false;
      begin();
    });
  };
  const beginAfter = (project: string, waitMs: number): void => {
    if (waiting.has(project)) return;
    waiting.add(project);
    clock.after(waitMs, () => {
      waiting.delete(project);
      begin();
    });
  };
  return {
    expect(project) {
      expected.set(project, (expected.get(project) ?? 0) + 1);
      return {
        [Symbol.dispose]() {
          const others = (expected.get(project) ?? 1) - 1;
          if (others === 0) expected.delete(project);
          else expected.set(project, others);
          soon();
        },
      };
    },
    isDue(project, searches, askedAt) {
      const waitMs = (waitMsOf.get(project) ?? 0) - (clock.elapsed() - askedAt);
      if (!expected.has(project) || searches >= groupVectorsMax || waitMs <= 0) return true;
      beginAfter(project, waitMs);
      return false;
    },
    took(project, groupMs) {
      if (groupMs >= waitMinMs) waitMsOf.set(project, groupMs);
      else waitMsOf.delete(project);
    },
    soon,
  };
}

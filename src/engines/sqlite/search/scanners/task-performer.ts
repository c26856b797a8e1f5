// Owns what a scanner knows besides its current task: the buffers of the searcher, and the values that tasks have in common. Must never
// know a kind of task.

import type { SharedBuffer, ToScanner } from "../steps/group-steps.ts";
import { createGarbageCollection } from "./garbage.ts";

/** @throws RangeError: the searcher has not shared a buffer with this number, or has released it */
export type FindBuffer = (number: number) => SharedArrayBuffer;

/** How many bytes of garbage the task makes, as far as they are many. */
export type CountGarbage = (bytes: number) => void;

/** By the kinds of tasks. */
export type TaskHandlers = Readonly<Record<string, (common: never, task: never) => unknown>>;

/** @returns what answers the messages to a scanner */
export function createTaskPerformer(
  createHandlers: (findBuffer: FindBuffer, countGarbage: CountGarbage) => TaskHandlers,
) {
  const buffers = new Map<number, SharedArrayBuffer>();
  const commons = new Map<number, unknown>();
  const collectGarbage = createGarbageCollection();
  let garbageBytes = 0;
  const handlers = createHandlers(
    (number) => {
      const buffer = buffers.get(number);
      if (buffer === undefined) throw new RangeError(`No buffer has the number ${number}.`);
      return buffer;
    },
    (bytes) => {
      garbageBytes += bytes;
    },
  );

  const change = (shared: readonly SharedBuffer[], forgotten: readonly number[]): void => {
    for (const { number, buffer } of shared) buffers.set(number, buffer);
    for (const number of forgotten) buffers.delete(number);
    // A thread that is idle would keep the memory until it has allocated much itself.
    if (forgotten.length > 0) Bun.gc(true);
  };
  return (message: ToScanner): unknown => {
    if ("buffers" in message) {
      change(message.buffers.shared, message.buffers.forgotten);
      return null;
    }
    const { kind, common, task } = message;
    for (const number of common.forgotten) commons.delete(number);
    if ("value" in common) commons.set(common.number, common.value);
    // The searcher names kinds of TaskKinds only, with values of their types.
    const perform = handlers[kind] as (common: unknown, task: unknown) => unknown;
    const result = perform(commons.get(common.number), task);
    collectGarbage(garbageBytes);
    garbageBytes = 0;
    return result;
  };
}

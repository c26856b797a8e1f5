// Owns how far tests have moved the clocks of all threads: shared memory that every clock of a process reads. Without it a clock shows
// the time of the system.

/** Passed to each thread when it starts. */
export type ClockShift = SharedArrayBuffer;

/** Two 64-bit numbers, then the count of moves. */
const shiftBytes = 24;
const movesIndex = 4;

export function createClockShift(): ClockShift {
  return new SharedArrayBuffer(shiftBytes);
}

/** Lets time pass: both times of every clock go forward, and timers that have become due run in all threads. */
export function passTime(shift: ClockShift, ms: number): void {
  move(shift, 0, ms);
}

/** Sets the clock forward or back, as an operator does: now() changes, no time passes. */
export function setClock(shift: ClockShift, ms: number): void {
  move(shift, 1, ms);
}

/** Milliseconds by which the shift has moved elapsed() and now(), and now() besides. */
export function readShift(shift: ClockShift): () => { readonly passedMs: number; readonly setMs: number } {
  const view = new Float64Array(shift, 0, 2);
  return () => ({ passedMs: view[0] ?? 0, setMs: view[1] ?? 0 });
}

/**
 * Calls `react` in this thread soon after each move; a message that is sent after the move may arrive first. Does not keep the process alive.
 */
export function onMove(shift: ClockShift, react: () => void): void {
  const view = new Int32Array(shift);
  const listen = (): void => {
    const moves = Atomics.load(view, movesIndex);
    const waiting = Atomics.waitAsync(view, movesIndex, moves);
    if (waiting.async) void waiting.value.then(again);
    else again();
  };
  const again = (): void => {
    listen();
    react();
  };
  listen();
}

function move(shift: ClockShift, index: 0 | 1, ms: number): void {
  const view = new Float64Array(shift, 0, 2);
  view[index] = (view[index] ?? 0) + ms;
  const moves = new Int32Array(shift);
  Atomics.add(moves, movesIndex, 1);
  Atomics.notify(moves, movesIndex);
}

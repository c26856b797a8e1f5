// Owns that large pieces of work in one thread let everything else in between. Knows nothing of the work.

/** Each call resolves in a turn of the event loop of its own, in the order of the calls. */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}

// Owns turns of the event loop for long synchronous work, so that other work of the thread runs in between.

/** Each call resolves in a separate turn of the event loop, in the order of the calls. */
export function createTurns(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}

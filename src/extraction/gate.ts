// Owns how many may be at work at once. First come, first served; who gives up while waiting leaves the line.

export type Gate = <Result>(signal: AbortSignal, work: () => Promise<Result>) => Promise<Result>;

/** Runs work when one of `places` is free. Throws the reason of `signal` when it is aborted while waiting. */
export function createGate(places: number): Gate {
  let free = places;
  const line = new Set<() => void>();

  const enter = async (signal: AbortSignal) => {
    signal.throwIfAborted();
    if (free > 0) {
      free -= 1;
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const leave = () => {
      line.delete(resolve);
      reject(signal.reason);
    };
    line.add(resolve);
    signal.addEventListener("abort", leave);
    await promise.finally(() => signal.removeEventListener("abort", leave));
  };

  const exit = () => {
    const [next] = line;
    if (next === undefined) {
      free += 1;
      return;
    }
    line.delete(next);
    next();
  };

  return async (signal, work) => {
    await enter(signal);
    try {
      return await work();
    } finally {
      exit();
    }
  };
}

// Limits how long the smoke test and the walks wait for one step, so that a process that hangs is a failure that says what it was waited
// for. The limit is far above what a step needs, also under an emulator on a busy machine: it must never judge speed.

export const stepLimitMs = 180_000;

/**
 * What the work results in.
 * @param waitedFor part of the error, such as "the server to end"
 * @param abandon ends what hangs
 * @throws Error after the limit, which names what was waited for
 */
export async function withinStepLimit<T>(
  waitedFor: string,
  work: Promise<T>,
  abandon: () => void = () => {},
  limitMs = stepLimitMs,
): Promise<T> {
  const limit = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    limit.reject(new Error(`waited ${limitMs / 1_000} seconds in vain for ${waitedFor}`));
    abandon();
  }, limitMs);
  try {
    return await Promise.race([work, limit.promise]);
  } finally {
    clearTimeout(timer);
  }
}

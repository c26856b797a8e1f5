// Owns one running verification of a page: starts the worker, follows it, and ends it. The page stays free meanwhile.

import type { FromWorker, ToWorker, VerificationRequest } from "./messages.ts";
import type { Outcome } from "./outcome.ts";
import type { Progress } from "./verify-export.ts";

export interface Verification {
  /** Null: cancelled. Rejects when the file or the download cannot be read to its end. */
  readonly outcome: Promise<Outcome | null>;
  cancel(): void;
}

/** @param start starts a worker that runs worker.ts */
export function startVerification(
  request: VerificationRequest,
  start: () => Worker,
  onProgress: (progress: Progress) => void,
): Verification {
  const worker = start();
  const { promise, resolve, reject } = Promise.withResolvers<Outcome | null>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "progress") onProgress(data.progress);
    else if (data.kind === "outcome") resolve(data.outcome);
    else if (data.kind === "failed") reject(new Error(data.message));
  };
  worker.onerror = ({ message }) =>
    reject(
      new Error(`The verification ended: ${message || "its worker did not start"}. Load the page again.`),
    );
  const message: ToWorker = { kind: "verify", request };
  worker.postMessage(message);
  const end = () => worker.terminate();
  promise.then(end, end);
  return { outcome: promise, cancel: () => resolve(null) };
}

// Owns one running verification of a page: starts the workers, follows them, and ends them. The page stays free meanwhile.

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
  const [worker, hasher] = [start(), start()];
  const { promise, resolve, reject } = Promise.withResolvers<Outcome | null>();
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "progress") onProgress(data.progress);
    else if (data.kind === "outcome") resolve(data.outcome);
    else reject(new Error(data.message));
  };
  for (const each of [worker, hasher]) {
    each.onerror = ({ message }) => {
      const reason = message || "a worker did not start";
      reject(new Error(`The verification ended: ${reason}. Load the page again.`));
    };
  }
  const { port1, port2 } = new MessageChannel();
  const send = (to: Worker, message: ToWorker, port: MessagePort) => to.postMessage(message, [port]);
  send(hasher, { kind: "hash for", verifier: port1 }, port1);
  send(worker, { kind: "verify", request, hasher: port2 }, port2);
  const end = () => {
    worker.terminate();
    hasher.terminate();
  };
  promise.then(end, end);
  return { outcome: promise, cancel: () => resolve(null) };
}

// Owns the hash of a whole file in a worker of its own, so that it takes no time from the checks.

import type { FileHash } from "../../audit/verify/export-verification.ts";
import { unhashedMaxBytes } from "./limits.ts";
import type { FromWorker, ToWorker } from "./messages.ts";

export interface RunningHash extends FileHash {
  close(): void;
}

/** @param start starts a worker that runs worker.ts */
export function hashElsewhere(start: () => Worker): RunningHash {
  const worker = start();
  const { promise: sha256, resolve, reject } = Promise.withResolvers<string>();
  // Whoever asks for the digest receives the error.
  sha256.catch(() => undefined);
  let waitingBytes = 0;
  let proceed: (() => void) | null = null;
  worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
    if (data.kind === "digest") resolve(data.sha256);
    if (data.kind !== "hashed") return;
    waitingBytes -= data.bytes;
    if (waitingBytes < unhashedMaxBytes) proceed?.();
  };
  worker.onerror = ({ message }) => {
    reject(new Error(`The hash of the file cannot be computed: ${message}`));
    proceed?.();
  };
  const send = (message: ToWorker) => worker.postMessage(message);
  return {
    async update(bytes) {
      send({ kind: "hash", bytes });
      waitingBytes += bytes.length;
      if (waitingBytes < unhashedMaxBytes) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      proceed = resolve;
      await promise;
      proceed = null;
    },
    digest() {
      send({ kind: "digest" });
      return sha256;
    },
    close: () => worker.terminate(),
  };
}

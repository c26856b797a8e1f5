// Owns the hash of a whole file in a worker of its own, so that it takes no time from the checks.

import type { FileHash } from "../../audit/verify/export/verification.ts";
import { browserCryptography } from "./browser-cryptography.ts";
import { unhashedMaxBytes } from "./limits.ts";
import type { FromHasher, ToHasher } from "./messages.ts";

/** @param hasher leads to a worker that runs `hashFor` */
export function hashElsewhere(hasher: MessagePort): FileHash {
  const { promise: sha256, resolve } = Promise.withResolvers<string>();
  let waitingBytes = 0;
  let proceed = () => {};
  hasher.onmessage = ({ data }: MessageEvent<FromHasher>) => {
    if (data.kind === "digest") return resolve(data.sha256);
    waitingBytes -= data.bytes;
    if (waitingBytes < unhashedMaxBytes) proceed();
  };
  const send = (message: ToHasher) => hasher.postMessage(message);
  return {
    async update(bytes) {
      send({ kind: "bytes", bytes });
      waitingBytes += bytes.length;
      if (waitingBytes < unhashedMaxBytes) return;
      const { promise, resolve: continueSending } = Promise.withResolvers<void>();
      proceed = continueSending;
      await promise;
    },
    digest() {
      send({ kind: "digest" });
      return sha256;
    },
  };
}

/** The other side: hashes what arrives. */
export function hashFor(verifier: MessagePort): void {
  const hash = browserCryptography.createSha256();
  const answer = (message: FromHasher) => verifier.postMessage(message);
  verifier.onmessage = ({ data }: MessageEvent<ToHasher>) => {
    if (data.kind === "digest") return answer({ kind: "digest", sha256: hash.digest() });
    hash.update(data.bytes);
    answer({ kind: "hashed", bytes: data.bytes.length });
  };
}

// The worker of a verification: answers the messages of a page. One worker verifies; it starts a second one with the same script, which
// hashes the file.

import { browserCryptography } from "./browser-cryptography.ts";
import { bytesOf } from "./byte-stream.ts";
import { hashElsewhere } from "./file-hash.ts";
import { progressEveryMs } from "./limits.ts";
import type { ExportSource, FromWorker, ToWorker, VerificationRequest } from "./messages.ts";
import { verifyInput } from "./verify-export.ts";

/** Of the global scope of a worker; the types of the program are those of a page. */
interface WorkerScope {
  readonly location: { readonly href: string };
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

export function answerMessages(scope: WorkerScope): void {
  const fileHash = browserCryptography.createSha256();
  scope.onmessage = ({ data }) => {
    if (data.kind === "hash") {
      fileHash.update(data.bytes);
      scope.postMessage({ kind: "hashed", bytes: data.bytes.length });
    } else if (data.kind === "digest") scope.postMessage({ kind: "digest", sha256: fileHash.digest() });
    else void verify(scope, data.request);
  };
}

async function verify(scope: WorkerScope, request: VerificationRequest): Promise<void> {
  const fileHash = hashElsewhere(() => new Worker(scope.location.href));
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  try {
    const file = bytesOf(await open(request.source));
    const outcome = await verifyInput({ ...request, file, fileHash }, (progress) => {
      const nowMs = performance.now();
      if (nowMs - reportedAtMs < progressEveryMs) return;
      reportedAtMs = nowMs;
      scope.postMessage({ kind: "progress", progress });
    });
    scope.postMessage({ kind: "outcome", outcome });
  } catch (error) {
    scope.postMessage({ kind: "failed", message: error instanceof Error ? error.message : String(error) });
  } finally {
    fileHash.close();
  }
}

async function open(source: ExportSource): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (source.kind === "file") return source.file.stream();
  const response = await fetch(source.path, { headers: source.headers });
  if (response.body === null || !response.ok)
    throw new Error(`The server answered the download with status ${response.status}. Try again.`);
  return response.body;
}

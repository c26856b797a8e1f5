// The worker of a verification: answers the messages of a page. One worker verifies; a second one with the same script hashes the file.

import { bytesOf } from "./byte-stream.ts";
import { hashElsewhere, hashFor } from "./file-hash.ts";
import { progressEveryMs } from "./limits.ts";
import type { ExportSource, FromWorker, ToWorker, VerificationRequest } from "./messages.ts";
import { verifyInput } from "./verify-export.ts";
import { verifyReceiptFile } from "./verify-receipt.ts";

/** Of the global scope of a worker; the types of the program are those of a page. */
interface WorkerScope {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null;
  postMessage(message: FromWorker): void;
}

export function answerMessages(scope: WorkerScope): void {
  scope.onmessage = ({ data }) => {
    if (data.kind === "hash for") hashFor(data.verifier);
    else void verify(scope, data.request, data.hasher);
  };
}

async function verify(scope: WorkerScope, request: VerificationRequest, hasher: MessagePort): Promise<void> {
  const fileHash = hashElsewhere(hasher);
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  try {
    if (request.source.kind === "receipt") {
      const file = new Uint8Array(await request.source.file.arrayBuffer());
      scope.postMessage({ kind: "outcome", outcome: verifyReceiptFile(file, request) });
      return;
    }
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
  }
}

async function open(
  source: Exclude<ExportSource, { kind: "receipt" }>,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (source.kind === "file") return source.file.stream();
  const response = await fetch(source.path, { headers: source.headers });
  if (response.body === null || !response.ok)
    throw new Error(`The server answered the download with status ${response.status}. Try again.`);
  return response.body;
}

// A worker that is ready at once and, on its first batch, does what its init says: throws, exits, or stays silent. Told to close, it ends.

import { parentPort, workerData } from "node:worker_threads";
import type { EmbedderReady } from "../../../src/models/embedding/embedder-protocol.ts";

const model = { id: "scripted", sha256: "", dimensions: 256, maxTokens: 16 };
const ready: EmbedderReady = { model, batching: false };
parentPort?.on("message", (message: object) => {
  if ("close" in message) process.exit();
  if (workerData === "throw") throw new Error("scripted failure");
  if (workerData === "exit") process.exit(3);
});
parentPort?.postMessage({ ready });

// Owns one thread of a verification: holds one read snapshot and checks stretches of rows. Never writes.

import { parentPort, workerData } from "node:worker_threads";
import { type ChainKey, type Stretch, verifyStretch } from "./verify-rows.ts";
import { openEvidence } from "./verify-source.ts";

export interface VerifierInit {
  readonly path: string;
}

export interface VerifierTask {
  readonly chains: readonly ChainKey[];
  readonly stretch: Stretch;
  readonly only: number | null;
}

const { path }: VerifierInit = workerData;
const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread only");
const source = openEvidence(path);
source.all("BEGIN");
// The snapshot begins with the first read; the newest row in it tells how far this thread can see.
const [newest] = source.all("SELECT COALESCE(MAX(number), 0) AS number FROM audit_entry") as {
  number: number;
}[];

port.on("message", ({ chains, stretch, only }: VerifierTask) => {
  port.postMessage(verifyStretch(source, chains, stretch, only));
});
port.postMessage(newest?.number ?? 0);

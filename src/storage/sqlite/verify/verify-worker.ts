// Owns one thread of a verification: holds one read snapshot and checks stretches of rows. Never writes.

import { parentPort, workerData } from "node:worker_threads";
import { checkSchema, checkTables } from "./frame.ts";
import { type ChainKey, type Stretch, verifyStretch } from "./rows.ts";
import { openEvidence } from "./source.ts";

export interface VerifierInit {
  readonly path: string;
}

export type VerifierTask =
  | { readonly chains: readonly ChainKey[]; readonly stretch: Stretch; readonly only: number | null }
  | "tables";

const { path }: VerifierInit = workerData;
const port = parentPort;
if (port === null) throw new Error("this file runs as a worker thread only");
const source = openEvidence(path);
source.all("BEGIN");
if (checkSchema(source) !== null)
  throw new Error("The schema was changed while it was read. Verify it again.");
// The snapshot begins with the first read; the newest row in it tells how far this thread can see.
const [newest] = source.all("SELECT COALESCE(MAX(number), 0) AS number FROM audit_entry NOT INDEXED") as {
  number: number;
}[];

port.on("message", (task: VerifierTask) => {
  if (task === "tables") return port.postMessage(checkTables(source));
  const { chains, stretch, only } = task;
  port.postMessage(verifyStretch(source, chains, stretch, only));
});
port.postMessage(newest?.number ?? 0);

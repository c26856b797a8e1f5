// Owns one thread of a verification: holds one read snapshot and checks ranges of rows. Never writes.

import { workerData } from "node:worker_threads";
import { answerRequests } from "../../../platform/threads/answer-requests.ts";
import { checkSchema, checkTables } from "./database-checks.ts";
import { type ChainKey, type RowRange, verifyRange } from "./rows.ts";
import { openEvidence } from "./source.ts";

export interface VerifierInit {
  readonly path: string;
}

export type VerifierTask =
  | { readonly chains: readonly ChainKey[]; readonly range: RowRange; readonly only: number | null }
  | "tables";

/** Number of the newest row that the thread sees. */
export type VerifierReady = number;

const { path }: VerifierInit = workerData;
const source = openEvidence(path);
source.all("BEGIN");
if (checkSchema(source) !== null)
  throw new Error("The schema was changed while it was read. Verify it again.");
// The snapshot begins with the first read; the newest row in it tells how far this thread can see.
const [newest] = source.all("SELECT COALESCE(MAX(number), 0) AS number FROM audit_entry NOT INDEXED") as {
  number: number;
}[];

answerRequests(
  (request) => {
    // Only verify-workers.ts sends requests here.
    const task = request as VerifierTask;
    if (task === "tables") return checkTables(source);
    const { chains, range, only } = task;
    return verifyRange(source, chains, range, only);
  },
  { ready: (newest?.number ?? 0) satisfies VerifierReady },
);

// A worker thread that says when it begins to load the addon of SQLite.

import { workerData } from "node:worker_threads";
import { type DatabaseFile, openReading } from "../../../src/engines/sqlite/database-file/connection.ts";
import { answerRequests } from "../../../src/platform/threads/answer-requests.ts";

export interface LoadingInit {
  readonly file: DatabaseFile;
  /** Becomes 1. */
  readonly begins: SharedArrayBuffer;
}

const { file, begins }: LoadingInit = workerData;
const flag = new Int32Array(begins);
Atomics.store(flag, 0, 1);
Atomics.notify(flag, 0);
const database = openReading(file);
answerRequests(() => null, { close: () => void database.close() });

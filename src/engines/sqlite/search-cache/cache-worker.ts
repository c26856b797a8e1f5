// The thread that changes the cache files of search indexes, with a reading connection of its own. Works in short requests: a delete waits
// for one of them at most.

import { workerData } from "node:worker_threads";
import { yieldToOthers } from "../../../platform/threads/priority.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import { answerNamedRequests } from "../threads/answer-requests.ts";
import { createCacheWriter } from "./cache-writer.ts";

export interface CacheWriterInit {
  readonly file: DatabaseFile;
  /** The folder of the cache files of all projects. */
  readonly folder: string;
  /** Of all cache files together. */
  readonly maxBytes: number;
}

const { file, folder, maxBytes }: CacheWriterInit = workerData;
yieldToOthers();
answerNamedRequests({ ...createCacheWriter({ database: openReading(file), folder, maxBytes }) });

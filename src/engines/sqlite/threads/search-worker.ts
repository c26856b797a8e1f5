// Owns the indexes for searches and the connections of their groups: answers groups in short steps, and has scanners perform what takes
// long. Never writes, and answers nothing else: lists must not wait behind a search.

import { workerData } from "node:worker_threads";
import { unavailable } from "../../../errors.ts";
import { loadOnnx } from "../../../native/onnx.ts";
import { yieldToOthers } from "../../../threads/priority.ts";
import { type DatabaseFile, openReading } from "../database-file/connection.ts";
import type { SearcherAnswer, Step, ToSearcher } from "../search/group-steps.ts";
import { createOpenGroups } from "../search/open-groups.ts";
import { createSearch } from "../search/search.ts";
import { createSearchRequests } from "../search/search-requests.ts";
import { createSharedBuffers } from "../search/shared-buffers.ts";
import { answerStoreRequests } from "./answer-requests.ts";

export interface SearcherInit {
  readonly file: DatabaseFile;
  readonly searchCacheBytes: number;
}

const { file, searchCacheBytes }: SearcherInit = workerData;
yieldToOthers();
const database = openReading(file);
const search = createSearch(database, { onnx: loadOnnx(file.runtime), cacheBytes: searchCacheBytes });
const buffers = createSharedBuffers();
// A group is answered in one step, so that one connection is sufficient.
const groups = createOpenGroups(() => ({ database, answer: createSearchRequests(database, search) }));

answerStoreRequests((request) => {
  // Only searches.ts sends requests here.
  const message = request as ToSearcher;
  if ("statistics" in message) return search.statistics();
  if ("end" in message) return groups.end(message.end);
  const step =
    "begin" in message
      ? groups.begin(message.begin, message.project, message.requests)
      : (groups.continue(message.continue, message.results) ?? refuseUnknown());
  return { step, buffers: buffers.takeChanges() } satisfies SearcherAnswer;
});

function refuseUnknown(): Step {
  throw unavailable("The thread that searches was restarted. Send the call again.");
}

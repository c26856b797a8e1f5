// Checks the whole database file for damage, in a thread of its own: it may take minutes. Never writes.

import { workerData } from "node:worker_threads";
import { answerRequests } from "../../../platform/threads/answer-requests.ts";
import type { DatabaseFile } from "../database-file/connection.ts";
import { findDamage } from "../database-file/inspect.ts";

const file: DatabaseFile = workerData;

/** Answers with a list of the damage that was found, empty when there is none. */
answerRequests(() => findDamage(file));

// Looks for damage in the whole database file, once, in a thread of its own: it may take minutes. Never writes.

import { parentPort, workerData } from "node:worker_threads";
import type { DatabaseFile } from "../database-file/connection.ts";
import { findDamage } from "../database-file/inspect.ts";

const file: DatabaseFile = workerData;

/** A list of what is wrong, empty when nothing is; a thread that fails instead ends with an error. */
parentPort?.postMessage(findDamage(file));

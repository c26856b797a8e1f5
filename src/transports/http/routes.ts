// Owns the HTTP API on one screen: which method and path performs which operation. Adds no rule of its own.

import { appendRecord } from "../../audit/append.ts";
import { readCheckpoint } from "../../audit/checkpoint-operations.ts";
import { verifyRecords } from "../../audit/incremental-verification.ts";
import { listRecords } from "../../audit/list.ts";
import { readRecord } from "../../audit/read.ts";
import type { ProjectOperation } from "../../calls/operation.ts";
import { createExport } from "../../export/create.ts";
import { downloadExport, downloadManifest } from "../../export/download.ts";
import { listExports } from "../../export/list.ts";
import { readExport } from "../../export/read.ts";
import { createMemory } from "../../memory/create.ts";
import { deleteAllMemories, deleteMemory } from "../../memory/delete.ts";
import { extractMemories } from "../../memory/extract.ts";
import { injectMemories } from "../../memory/inject.ts";
import { listMemories } from "../../memory/list.ts";
import { readMemory } from "../../memory/read.ts";
import { searchMemories } from "../../memory/search.ts";
import { updateMemory } from "../../memory/update.ts";

export type Method = "GET" | "POST" | "PUT" | "DELETE";

export interface Route {
  readonly method: Method;
  /** Parameters are segments such as `:memory_id`. */
  readonly path: string;
  readonly operation: ProjectOperation;
}

const table: readonly (readonly [Method, string, ProjectOperation])[] = [
  ["POST", "/v1/memories", createMemory],
  ["GET", "/v1/memories", listMemories],
  ["DELETE", "/v1/memories", deleteAllMemories],
  ["POST", "/v1/memories/search", searchMemories],
  ["POST", "/v1/memories/inject", injectMemories],
  ["POST", "/v1/memories/extract", extractMemories],
  ["GET", "/v1/memories/:memory_id", readMemory],
  ["PUT", "/v1/memories/:memory_id", updateMemory],
  ["DELETE", "/v1/memories/:memory_id", deleteMemory],
  ["GET", "/v1/audit/logs", listRecords],
  ["POST", "/v1/audit/logs", appendRecord],
  ["GET", "/v1/audit/logs/:audit_id", readRecord],
  ["POST", "/v1/audit/logs/export", createExport],
  ["GET", "/v1/audit/logs/export", listExports],
  ["GET", "/v1/audit/logs/export/:export_id", readExport],
  ["GET", "/v1/audit/logs/export/:export_id/download", downloadExport],
  ["GET", "/v1/audit/logs/export/:export_id/manifest", downloadManifest],
  ["GET", "/v1/audit/checkpoint", readCheckpoint],
  ["GET", "/v1/audit/verify", verifyRecords],
];

export const routes: readonly Route[] = table.map(([method, path, operation]) => ({
  method,
  path,
  operation,
}));

/** Names of the path's parameters, in their order. */
export function pathParameters({ path }: Pick<Route, "path">): string[] {
  return path
    .split("/")
    .filter((segment) => segment.startsWith(":"))
    .map((segment) => segment.slice(1));
}

/** Whether the operation's input comes from the body; otherwise it comes from the query. */
export function takesBody({ method, operation, path }: Route): boolean {
  return method !== "GET" && Object.keys(operation.input.properties).length > pathParameters({ path }).length;
}

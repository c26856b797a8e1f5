// Owns the calls of the console: the generated client of the API for a project, and the console's own routes. All failures are the errors
// of the client.

import { type CallOptions, type Calls, createCalls } from "../../../clients/typescript/src/calls.ts";
import type { Memledger } from "../../../clients/typescript/src/client.ts";
import { AuditLedger } from "../../../clients/typescript/src/exports.ts";
import {
  Checks,
  Conversations,
  Memories,
  Subjects,
  Suggestions,
} from "../../../clients/typescript/src/generated/operations.ts";
import { settingsWith } from "./client-settings.ts";
import { sessionFetch } from "./session-fetch.ts";

/** What an API key of a project can call. */
export type ProjectClient = Pick<
  Memledger,
  "memories" | "checks" | "audit" | "subjects" | "conversations" | "suggestions"
>;

const clients = new Map<string, ProjectClient>();

/**
 * The client of the API for a project, by its id. It is the same object each time.
 * @param subject for whom the calls are; null: for the project itself
 */
export function clientOf(project: string, subject: string | null = null): ProjectClient {
  const owner = JSON.stringify([project, subject]);
  const known = clients.get(owner);
  if (known !== undefined) return known;
  const settings = settingsWith(sessionFetch(project), subject);
  const calls = createCalls(settings);
  const client = {
    memories: new Memories(calls),
    checks: new Checks(calls),
    suggestions: new Suggestions(calls),
    audit: new AuditLedger(calls, settings.sleep),
    subjects: new Subjects(calls),
    conversations: new Conversations(calls),
  };
  clients.set(owner, client);
  return client;
}

/** Calls for the whole installation. */
const installation: Calls = createCalls(settingsWith(sessionFetch(null)));

/**
 * Performs an operation of the installation, such as `key.create`. Its record names the session.
 * @param operation name as in records
 * @param isIdempotent whether repeating it changes nothing more, so that a broken connection can be tried again
 * @returns its `data`, which is not checked
 * @throws MemledgerError
 */
export function administer<Data>(
  operation: string,
  input: object,
  isIdempotent = false,
  options: CallOptions = {},
): Promise<Data> {
  const path = `/console/api/administration/${operation}`;
  return installation.data<Data>(
    { operationId: operation, method: "POST", path, isIdempotent, mayRunLong: false },
    { body: input },
    options,
  );
}

/** The answer of one of the console's own routes that show no memory, such as `connections`. @throws MemledgerError */
export function readOfConsole<Data>(
  name: "connections" | "costs" | "key-changes" | "settings",
  options: CallOptions = {},
  query: Readonly<Record<string, string>> = {},
): Promise<Data> {
  const path = `/console/api/${name}`;
  return installation.data<Data>(
    { operationId: name, method: "GET", path, isIdempotent: true, mayRunLong: false },
    { query },
    options,
  );
}

// Owns `memledger connect --list`: the configuration files of all assistants, and whether memledger is in them. Must never change a file.

import { existsSync } from "node:fs";
import { requireAccepted } from "../../assistants/connect/accepted-file.ts";
import { type Assistant, type AssistantFile, filesOf, scopes } from "../../assistants/connect/assistant.ts";
import { assistants } from "../../assistants/connect/assistants.ts";
import { readConfiguration } from "../../assistants/connect/configuration-file.ts";
import { readServer } from "../../assistants/connect/connection.ts";
import { findHooks } from "../../assistants/connect/hook-entry.ts";
import type { Places } from "../../assistants/connect/places.ts";
import { destinationOf, isOwn, projectOf, wordsOf } from "../../assistants/connect/server-entry.ts";
import { UnusableConfiguration } from "../../assistants/connect/text-edit.ts";
import { hookNames } from "../../assistants/hooks/client.ts";
import { defaultProject } from "../../assistants/local-access/project-name.ts";
import { explainSystemError } from "../../platform/files/system-error.ts";
import { type Report, table } from "../terminal.ts";

/** One row: an assistant in a scope. */
interface Row {
  readonly client: string;
  readonly scope: string;
  readonly file: string;
  /** `no file`, `not connected`, `connected`, or why that is not known. */
  readonly state: string;
  /** The data directory, or the URL of the server; null: not connected. */
  readonly memories: string | null;
  /** Null: not connected, or that of the API key of a server elsewhere. */
  readonly project: string | null;
  /** `3 of 3`; null: the assistant has no hooks. */
  readonly hooks: string | null;
}

export function listConnections(places: Places): Report {
  const rows = assistants.flatMap((assistant) =>
    scopes.flatMap((scope): Row[] => {
      const [first, ...others] = filesOf(assistant, scope, places);
      // In the home directory, the file of the project may be that of the user.
      const isListed = scope === "project" && first?.path === filesOf(assistant, "user", places)[0]?.path;
      if (first === undefined || isListed) return [];
      const withHooks = [first, ...others].find(({ hooks }) => hooks !== null);
      const hooks = withHooks === undefined ? null : attempt(() => countHooks(withHooks));
      const found = stateOf(first, assistant);
      return [{ client: assistant.name, scope, file: first.path, ...found, hooks }];
    }),
  );
  const columns = ["client", "scope", "file", "state", "memories", "project", "hooks"] as const;
  return {
    data: rows,
    text: table(
      columns,
      rows.map((row) => columns.map((column) => row[column])),
    ),
  };
}

function stateOf(file: AssistantFile, assistant: Assistant): Pick<Row, "state" | "memories" | "project"> {
  let memories: string | null = null;
  let project: string | null = null;
  const state = attempt(() => {
    const { text } = readConfiguration(file.path);
    if (text === null) return "no file";
    const entry = readServer(text, assistant);
    if (entry === undefined) return "not connected";
    if (!isOwn(entry)) return "entry of another program";
    memories = destinationOf(entry);
    project = projectOf(entry) ?? (isUrl(memories) ? null : defaultProject);
    requireAccepted(text, file);
    const [command] = wordsOf(entry);
    const isMissing = typeof command === "string" && !existsSync(command);
    return isMissing ? `connected, but ${command} does not exist` : "connected";
  });
  return { state, memories, project };
}

function isUrl(memories: string | null): boolean {
  return memories !== null && /^https?:/.test(memories);
}

function countHooks({ path, hooks }: AssistantFile): string {
  const { text } = readConfiguration(path);
  const found = text === null || hooks === null ? 0 : findHooks(text, hooks.client).length;
  return found === 0 ? "none" : `${found} of ${hookNames.length}`;
}

/** A file that cannot be read must not hide the others. */
function attempt(work: () => string): string {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnusableConfiguration) return error.message;
    const found = explainSystemError(error);
    if (found === null) throw error;
    return found.cause;
  }
}

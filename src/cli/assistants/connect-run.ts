// Owns the work of `memledger connect`: it prints, writes and removes the entries in the configuration files of an assistant, and reports
// what it did. Must never print an API key, nor change a file when another one of the same assistant cannot be changed.

import { requireMarkAccepted } from "../../assistants/connect/accepted-file.ts";
import {
  type Assistant,
  type AssistantFile,
  filesOf,
  type Scope,
} from "../../assistants/connect/assistant.ts";
import {
  type ConfigurationFile,
  isOpenToOthers,
  readBackups,
  readConfiguration,
  replaceConfiguration,
  requireInside,
  requireReplaceable,
} from "../../assistants/connect/configuration-file.ts";
import { connectText, disconnectText, strangeFields } from "../../assistants/connect/connection.ts";
import { busyAttemptsMax, busyPauseMs } from "../../assistants/connect/limits.ts";
import { BusyConfiguration } from "../../assistants/connect/new-file.ts";
import type { Places } from "../../assistants/connect/places.ts";
import type { Target } from "../../assistants/connect/server-entry.ts";
import { UnusableConfiguration } from "../../assistants/connect/text-edit.ts";
import { apiKeyVariable } from "../../server/config/client-variables.ts";
import type { Report } from "../terminal.ts";
import { notesOn } from "./connect-notes.ts";

export interface Connection {
  readonly assistant: Assistant;
  readonly scope: Scope;
  readonly places: Places;
  readonly target: Target;
  readonly withHooks: boolean;
}

/** What would be in each file, if it were empty. */
export function printEntries(connection: Connection): Report {
  const { assistant, scope } = connection;
  requireKey(connection);
  const files = filesIn(connection).flatMap((file) => {
    const content = connectText("", file, { ...connection, ...connection.places });
    return content === "" ? [] : [{ path: file.path, content: hideKey(content, connection.target) }];
  });
  const notes = notesOn(connection);
  const parts = files.map(({ path, content }) => `Add this to ${path}:\n\n${content}`);
  return {
    data: { client: assistant.name, scope, files, notes },
    text: [...parts, ...notes, "To let memledger change the file, add --write."].join("\n"),
  };
}

type Change = "created" | "changed" | "removed" | "unchanged";

interface ChangedFile {
  readonly path: string;
  readonly change: Change;
  /** What the file contained before; null: there was no file, or nothing was changed. */
  readonly backup: string | null;
}

/** @throws Error that names the file; nothing was changed then */
export async function writeEntries(connection: Connection): Promise<Report> {
  const { assistant, scope } = connection;
  requireKey(connection);
  const strange = new Set<string>();
  const edit = (file: AssistantFile, { text, hasMark }: ConfigurationFile) => {
    if (hasMark) requireMarkAccepted(file);
    for (const name of strangeFields(text ?? "", file)) strange.add(name);
    const changed = connectText(text ?? "", file, { ...connection, ...connection.places });
    return text === null && changed === "" ? null : changed;
  };
  const changes = await changeAll(connection, edit, true);
  const isNew = changes.some(({ change }) => change !== "unchanged");
  const removed = `Removed from the entry, because connect does not write it: ${[...strange].join(", ")}.`;
  const notes = [
    ...(strange.size > 0 ? [removed] : []),
    ...notesOn(connection),
    ...(isNew ? [assistant.next] : []),
  ];
  const head = isNew ? `${assistant.title} is connected.` : `${assistant.title} is already connected.`;
  return {
    data: { client: assistant.name, scope, files: changes, notes },
    text: [head, ...describe(changes), ...notes].join("\n"),
  };
}

/** @throws Error that names the file; nothing was changed then */
export async function removeEntries(connection: Connection): Promise<Report> {
  const { assistant, scope } = connection;
  const edit = (file: AssistantFile, { text, path }: ConfigurationFile) =>
    text === null ? null : disconnectText(text, file, readBackups(path));
  const changes = await changeAll(connection, edit, false);
  const isChanged = changes.some(({ change }) => change !== "unchanged");
  const head = isChanged
    ? `${assistant.title} is no longer connected.`
    : `${assistant.title} was not connected.`;
  return {
    data: { client: assistant.name, scope, files: changes, notes: isChanged ? [assistant.next] : [] },
    text: [head, ...describe(changes), ...(isChanged ? [assistant.next] : [])].join("\n"),
  };
}

function filesIn({ assistant, scope, places }: Connection): AssistantFile[] {
  return filesOf(assistant, scope, places);
}

function describe(changes: readonly ChangedFile[]): string[] {
  return changes.flatMap(({ path, change, backup }) => {
    if (change === "unchanged") return [];
    return [`${path}: ${change}${backup === null ? "" : `; the file from before is ${backup}`}`];
  });
}

/** The text that a file gets; null: no file. */
type EditFile = (file: AssistantFile, read: ConfigurationFile) => string | null;

async function changeAll(
  connection: Connection,
  edit: EditFile,
  keepsBackup: boolean,
): Promise<ChangedFile[]> {
  const { scope, places, target } = connection;
  const files = filesIn(connection);
  // All texts are made before the first file is changed, so that a fault in one of them changes none.
  for (const file of files) {
    withPath(file, () => {
      if (scope === "project") requireInside(file.path, places.project);
      const read = readConfiguration(file.path);
      if (edit(file, read) !== read.text) requireReplaceable(file.path);
    });
  }
  const changes: ChangedFile[] = [];
  for (const file of files) {
    const isPrivate = keepsBackup && file.hasServers && target.kind === "remote" && target.key !== null;
    const work = () => changeFile(file, edit, { keepsBackup, isPrivate });
    changes.push(await retried(() => withPath(file, work)));
  }
  return changes;
}

interface Keeping {
  readonly keepsBackup: boolean;
  /** The file gets an API key. */
  readonly isPrivate: boolean;
}

function changeFile(file: AssistantFile, edit: EditFile, { keepsBackup, isPrivate }: Keeping): ChangedFile {
  const { path } = file;
  const read = readConfiguration(path);
  const text = edit(file, read);
  if (text === read.text && !(isPrivate && isOpenToOthers(path)))
    return { path, change: "unchanged", backup: null };
  const backup = replaceConfiguration(read, text, {
    keepsBackup: keepsBackup && !isKept(file, read),
    isPrivate,
  });
  const change = text === null ? "removed" : read.text === null ? "created" : "changed";
  return { path, change, backup };
}

/** Whether removing memledger gives a file that is in a backup, or none: another copy would only keep an old entry, or an API key. */
function isKept(file: AssistantFile, { text, path }: ConfigurationFile): boolean {
  if (text !== null && strangeFields(text, file).length > 0) return false;
  const backups = readBackups(path);
  const before = text === null ? null : disconnectText(text, file, backups);
  return before === null || (before !== text && backups.includes(before));
}

/** Other programs hold a file for milliseconds. */
async function retried<Result>(work: () => Result): Promise<Result> {
  for (let attempt = 1; ; attempt++) {
    try {
      return work();
    } catch (error) {
      if (
        !(error instanceof Error && error.cause instanceof BusyConfiguration) ||
        attempt === busyAttemptsMax
      )
        throw error;
      await Bun.sleep(busyPauseMs);
    }
  }
}

/** Names the file in the message. */
function withPath<Result>({ path }: AssistantFile, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof BusyConfiguration) throw new Error(`${path}: ${error.message}`, { cause: error });
    if (!(error instanceof UnusableConfiguration)) throw error;
    throw new Error(`${path}: ${error.message}. ${error.remedy} Nothing was changed.`, { cause: error });
  }
}

/** @throws Error when the assistant cannot read the key from a variable */
function requireKey({ assistant, target }: Connection): void {
  if (target.kind === "local" || target.key !== null || assistant.readsKeyVariable) return;
  throw new Error(
    `${assistant.title} cannot read the API key from an environment variable. To write the key into its file, set ${apiKeyVariable} and add --key-in-file.`,
  );
}

function hideKey(text: string, target: Target): string {
  return target.kind === "remote" && target.key !== null ? text.replaceAll(target.key, "YOUR_API_KEY") : text;
}

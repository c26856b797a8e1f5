// Owns what an assistant refuses in its file: what only others read in JSON, and entries that are not valid. A file that it refuses connects
// nothing. Must never know an assistant by name.

import { isObject, type Json } from "../../platform/json/json.ts";
import type { AssistantFile } from "./assistant.ts";
import { type Path, readTree, readValue } from "./jsonc-tree.ts";
import { UnusableConfiguration } from "./text-edit.ts";
import { readTable } from "./toml-edit.ts";

/**
 * Whether the assistant can parse the file. An empty text becomes a new file.
 * @throws UnusableConfiguration
 */
export function requireParsed(text: string, file: AssistantFile): void {
  const isJson = file.assistant.format === "json" || !file.hasServers;
  if (isJson && text.trim() !== "") requireJson(text, file);
}

/** The same, and whether it accepts what is in the file. @throws UnusableConfiguration */
export function requireAccepted(text: string, file: AssistantFile): void {
  requireParsed(text, file);
  if (file.hasServers) requireEntries(text, file);
  // Refuses what is no object, also where no hook is wanted.
  if (file.hooks !== null) readValue(text, ["hooks", "event"]);
}

/** @throws UnusableConfiguration */
export function requireMarkAccepted({ assistant }: AssistantFile): void {
  if (assistant.json.byteOrderMark || assistant.format === "toml") return;
  throw new UnusableConfiguration(
    `begins with a byte order mark, which ${assistant.title} does not read`,
    "Save the file as UTF-8 without a byte order mark and try again.",
  );
}

function requireJson(text: string, { assistant }: AssistantFile): void {
  // A fault for every reader has a message of its own.
  readTree(text);
  try {
    readTree(text, assistant.json);
  } catch (error) {
    if (!(error instanceof UnusableConfiguration)) throw error;
    throw new UnusableConfiguration(
      `${error.message}; ${assistant.title} reads no ${assistant.json.comments ? "" : "comments and no "}trailing commas`,
    );
  }
}

function requireEntries(text: string, { assistant }: AssistantFile): void {
  const { isEntry, servers, title } = assistant;
  const list = readList(text, assistant.format, servers);
  if (isEntry === null || !isObject(list)) return;
  for (const [name, entry] of Object.entries(list)) {
    if (isObject(entry) && isEntry(entry, name)) continue;
    throw new UnusableConfiguration(
      `"${[...servers, name].join(".")}" is not a valid server entry, so ${title} refuses the whole file`,
    );
  }
}

function readList(text: string, format: "json" | "toml", path: Path & readonly string[]): Json | undefined {
  return format === "toml" ? readTable(text, path) : readValue(text, path);
}

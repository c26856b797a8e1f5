// Owns what hooks remember about a conversation between their processes: which memories it already has, and how far its transcript has
// been read. Losing these files costs nothing but repetition. Must never hold the text of a memory or of a transcript.

import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, writeWhole } from "../../platform/files/durable.ts";
import { readRegularText } from "../../platform/files/regular-file.ts";
import { isObject, type Json } from "../../platform/json/json.ts";
import type { HookClientName } from "./client.ts";
import { printedMax, sessionFileMaxBytes, sessionLifeMs } from "./limits.ts";

export interface SessionFiles {
  /** Locked while the transcript of this conversation is read. */
  readonly lock: string;
  isPrinted(line: string): boolean;
  /** Adds lines of a prompt section to those that were printed. */
  addPrinted(lines: readonly string[]): void;
  forgetPrinted(): void;
  /** How far a transcript has been read, in bytes; 0 for another file than the last one. */
  readPosition(transcript: string): number;
  savePosition(transcript: string, position: number): void;
}

/** `folder` is that of the hooks in the data directory; it is created. The identifier of the conversation may be any text. */
export function openSessionFiles(folder: string, client: HookClientName, sessionId: string): SessionFiles {
  makeFolder(folder);
  const base = join(folder, digest(`${client}\0${sessionId}`));
  const printedFile = `${base}.printed`;
  const positionFile = `${base}.position`;
  let printed: readonly string[] | null = null;
  const readPrinted = () => {
    printed ??= textsOf(readJson(printedFile));
    return printed;
  };
  return {
    lock: `${base}.lock`,
    isPrinted: (line) => readPrinted().includes(digest(line)),
    addPrinted(lines) {
      if (lines.length === 0) return;
      printed = [...readPrinted(), ...lines.map(digest)].slice(-printedMax);
      writeWhole(printedFile, JSON.stringify(printed));
    },
    forgetPrinted() {
      printed = [];
      rmSync(printedFile, { force: true });
    },
    readPosition(transcript) {
      const value = readJson(positionFile);
      if (!isObject(value) || value.transcript !== digest(transcript)) return 0;
      const { position } = value;
      return typeof position === "number" && Number.isSafeInteger(position) && position > 0 ? position : 0;
    },
    savePosition: (transcript, position) =>
      writeWhole(positionFile, JSON.stringify({ transcript: digest(transcript), position })),
  };
}

/** Removes the files of conversations that nobody has used for a long time. */
export function removeOldSessions(folder: string, now: number): void {
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder).filter((each) => /^[0-9a-f]{32}\./.test(each))) {
    const path = join(folder, name);
    const changedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now;
    if (now - changedAt > sessionLifeMs) rmSync(path, { force: true });
  }
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}

function textsOf(value: Json): readonly string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
}

/** Null when the file does not exist or was damaged. */
function readJson(path: string): Json {
  try {
    return JSON.parse(readRegularText(path, sessionFileMaxBytes));
  } catch {
    return null;
  }
}

// Owns the file that a background server logs to, and its size: when it is too long, it begins again, and one previous log is kept.

import {
  copyFileSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
} from "node:fs";
import { backgroundLogMaxBytes } from "../limits.ts";

export interface LogFile {
  readonly path: string;
  readonly previous: string;
}

/** @returns a descriptor for the standard error of the server. Every write appends. */
export function openLogFile({ path, previous }: LogFile): number {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info !== undefined && info.size > backgroundLogMaxBytes) renameSync(path, previous);
  return openSync(path, "a", 0o600);
}

/** Empties a log that is too long, if it is the standard error of this process. All threads of the process write to this descriptor. */
export function shortenOwnLog({ path, previous }: LogFile, maxBytes = backgroundLogMaxBytes): void {
  const standardError = 2;
  try {
    const [own, file] = [fstatSync(standardError), statSync(path)];
    if (own.ino !== file.ino || own.dev !== file.dev || own.size <= maxBytes) return;
    copyFileSync(path, previous);
    // Not a rename: the descriptor would follow the file.
    ftruncateSync(standardError, 0);
  } catch {
    // Systems that cannot empty an open file shorten it at the next start.
  }
}

/** Of a log that a program of the command line wrote: its last error message, without the name of the program. Null: none. */
export function lastErrorMessage({ path }: Pick<LogFile, "path">, fromByte: number): string | null {
  const text = readFileSync(path).subarray(fromByte).toString("utf8");
  const lines = text.split("\n").filter((line) => line.startsWith(prefix));
  return lines.at(-1)?.slice(prefix.length) ?? null;
}

const prefix = "memledger: ";

// Owns the reading of a transcript: a part of a file of JSON Lines. Must never block on a pipe or a device, nor read more than one window.

import { readSync } from "node:fs";
import { withRegularFile } from "../../../platform/files/regular-file.ts";
import { isObject, type JsonObject, readJson } from "../../../platform/json/json.ts";
import { transcriptWindowBytes } from "../limits.ts";
import type { TranscriptRecord } from "./transcript.ts";

export interface RecordBatch {
  readonly records: readonly TranscriptRecord[];
  /** Offset behind what was read; the next batch begins here. Equal to `from` when there is nothing more. */
  readonly end: number;
}

const lineFeed = 10;

/**
 * Reads the complete lines behind the offset `from`, up to one window. Lines that are no JSON object are skipped, and so is a line that is
 * longer than the window. A file that is shorter than `from` was replaced, and is read from its beginning.
 * @throws as withRegularFile
 */
export function readRecords(path: string, from: number, windowBytes = transcriptWindowBytes): RecordBatch {
  return withRegularFile(path, (file, bytes) => {
    const start = from > bytes ? 0 : from;
    const content = Buffer.alloc(Math.min(windowBytes, bytes - start));
    let read = 0;
    for (let more = 1; more > 0 && read < content.length; read += more) {
      more = readSync(file, content, read, content.length - read, start + read);
    }
    const isAtEnd = start + read >= bytes;
    const records: TranscriptRecord[] = [];
    let lineStart = 0;
    for (
      let at = content.indexOf(lineFeed);
      at !== -1 && at < read;
      at = content.indexOf(lineFeed, lineStart)
    ) {
      const value = parseLine(content, lineStart, at);
      lineStart = at + 1;
      if (value !== null) records.push({ value, end: start + lineStart });
    }
    if (lineStart === read) return { records, end: start + read };
    // The last line has no end yet. It may be complete, if the client writes the line feed before the next line.
    const value = isAtEnd ? parseLine(content, lineStart, read) : null;
    if (value !== null) records.push({ value, end: start + read });
    // The rest of a line that is longer than the window is no JSON object either, so it is skipped window by window.
    const isTooLong = lineStart === 0 && !isAtEnd;
    return { records, end: start + (value !== null || isTooLong ? read : lineStart) };
  });
}

function parseLine(content: Buffer, start: number, end: number): JsonObject | null {
  const value = readJson(content.toString("utf8", start, end));
  return isObject(value) ? value : null;
}

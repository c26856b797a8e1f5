// Owns the types of transcripts: records of a file in, spoken messages out.

import type { JsonObject } from "../../json/json.ts";

/** One line of a transcript. */
export interface TranscriptRecord {
  readonly value: JsonObject;
  /** Offset in the file behind the line, in bytes. */
  readonly end: number;
}

/** What the user or the assistant has said. */
export interface SpokenMessage {
  readonly role: "user" | "assistant";
  /** Without what programs have added; never empty. */
  readonly content: string;
  /** Offset in the file behind the record, in bytes. */
  readonly end: number;
}

/** Takes consecutive records. Ignores every record that it does not know. */
export type TranscriptFormat = (records: readonly TranscriptRecord[]) => SpokenMessage[];

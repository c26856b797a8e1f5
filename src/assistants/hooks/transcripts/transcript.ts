// Owns the types of transcripts: records of a file in, spoken messages out.

import type { JsonObject } from "../../../platform/json/json.ts";

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
  /** Of the message, as the client names it; absent: it has none. */
  readonly id?: string;
  /** When it was said, as the client writes it; absent: it does not say it. */
  readonly said_at?: string;
  /** Offset in the file behind the record, in bytes. */
  readonly end: number;
}

/** What a record, or a message in it, says about itself in these members. */
export function placeOf({ id, uuid = id, timestamp }: JsonObject): Pick<SpokenMessage, "id" | "said_at"> {
  return {
    ...(typeof uuid === "string" && { id: uuid }),
    ...(typeof timestamp === "string" && { said_at: timestamp }),
  };
}

/** Takes consecutive records. Ignores every record that it does not know. */
export type TranscriptFormat = (records: readonly TranscriptRecord[]) => SpokenMessage[];

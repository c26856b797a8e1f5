// Owns the type of a format that can be imported.

import type { JsonObject } from "../../../platform/json/json.ts";
import type { Entry } from "../entry.ts";
import type { Source } from "../source.ts";

/** The beginning of a source. */
export interface Head {
  readonly text: string;
  /** Its first JSON object; null: it is not JSON. */
  readonly record: JsonObject | null;
}

export interface ImportFormat {
  /** What it is, for the help. */
  readonly description: string;
  /** Why a source is in this format, which completes "it ..."; null: it is not. */
  detect(head: Head): string | null;
  read(source: Source): AsyncIterable<Entry>;
}

// Reads conversations with questions in the LoCoMo format.

import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

export interface Conversation {
  readonly id: string;
  readonly turns: readonly {
    readonly id: string;
    readonly session: number;
    readonly date: string;
    /** Who says it, in conversations with an assistant: user or assistant. */
    readonly speaker?: string;
    readonly text: string;
  }[];
  readonly questions: readonly {
    readonly question: string;
    readonly answer: string | number;
    readonly category: string | number;
    readonly evidence: readonly string[];
  }[];
}

/** `file` may be compressed (.gz). */
export function readConversations(file: string): readonly Conversation[] {
  const bytes = readFileSync(file);
  const text = (file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8");
  return JSON.parse(text) as Conversation[];
}

/** How a turn is stored as a memory. */
export function toContent({ date, text }: Conversation["turns"][number]): string {
  return `[${date}] ${text}`;
}

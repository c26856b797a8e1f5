// Owns the transcripts of Gemini CLI: JSON Lines, see packages/core/src/services/chatRecordingService.ts in
// github.com/google-gemini/gemini-cli. Must never take the calls of tools, thoughts, or messages that the user has taken back.

import { isObject, type Json, type JsonObject, objectsIn } from "../../../platform/json/json.ts";
import { textsOf, toSpokenText } from "../../../platform/text/spoken-text.ts";
import { placeOf, type SpokenMessage, type TranscriptFormat, type TranscriptRecord } from "./transcript.ts";

/** By the id of the message; null: nothing was said. In the order in which the messages began. */
type Messages = Map<string, SpokenMessage | null>;

/** A message is written again when it changes. `$rewindTo` removes a message and all after it, `$set` can repeat all of them. */
export const geminiCliTranscript: TranscriptFormat = (records) => {
  const messages: Messages = new Map();
  const since = firstTime(records);
  for (const { value, end } of records) {
    if (typeof value.$rewindTo === "string") rewind(messages, value.$rewindTo);
    else if (isObject(value.$set)) addRepeated(messages, value.$set.messages, { since, end });
    else if (typeof value.id === "string") messages.set(value.id, readMessage(value, end));
  }
  return [...messages.values()].filter((message) => message !== null).toSorted((a, b) => a.end - b.end);
};

function rewind(messages: Messages, id: string): void {
  const ids = [...messages.keys()];
  // A message that is not among these records was before them, so all of them are taken back.
  for (const removed of ids.slice(Math.max(0, ids.indexOf(id)))) messages.delete(removed);
}

/** Adds those that are in no record of their own, and are not from before these records. */
function addRepeated(
  messages: Messages,
  repeated: Json | undefined,
  { since, end }: { readonly since: string; readonly end: number },
): void {
  for (const message of objectsIn(repeated)) {
    const { id, timestamp } = message;
    if (typeof id !== "string" || messages.has(id)) continue;
    if (typeof timestamp === "string" && timestamp >= since) messages.set(id, readMessage(message, end));
  }
}

/** RFC 3339 in UTC, so it can be compared as text. */
function firstTime(records: readonly TranscriptRecord[]): string {
  const times = records.flatMap(({ value }) => [
    value.timestamp,
    value.startTime,
    isObject(value.$set) ? value.$set.lastUpdated : undefined,
  ]);
  return times.find((time) => typeof time === "string") ?? "";
}

function readMessage(message: JsonObject, end: number): SpokenMessage | null {
  const { type, content, displayContent } = message;
  const role = type === "user" ? "user" : type === "gemini" ? "assistant" : null;
  if (role === null) return null;
  // displayContent is what the user typed; content has the files that it names, too.
  const spoken = toSpokenText(textsOf(withoutThoughts(displayContent ?? content), []));
  return spoken === "" ? null : { role, content: spoken, ...placeOf(message), end };
}

function withoutThoughts(content: Json | undefined): Json | undefined {
  return Array.isArray(content)
    ? content.filter((part) => !isObject(part) || part.thought !== true)
    : content;
}

// Owns the transcripts of Cursor: JSON Lines with a role and a message. The format is not documented; this follows the files that Cursor 3
// writes to agent-transcripts. Must never take the calls of tools and their results.

import { isObject } from "../../../platform/json/json.ts";
import { textsOf, toSpokenText } from "../../../platform/text/spoken-text.ts";
import { placeOf, type TranscriptFormat } from "./transcript.ts";

/** Cursor marks the words of the user inside what it adds. */
const userQuery = /<user_query>([\s\S]*?)<\/user_query>/;

export const cursorTranscript: TranscriptFormat = (records) =>
  records.flatMap(({ value, end }) => {
    const { role, message } = value;
    if (role !== "user" && role !== "assistant") return [];
    const text = textsOf(isObject(message) ? message.content : value.content, ["text"]);
    const content = toSpokenText(role === "user" ? (userQuery.exec(text)?.[1] ?? text) : text);
    return content === "" ? [] : [{ role, content, ...placeOf(value), end }];
  });

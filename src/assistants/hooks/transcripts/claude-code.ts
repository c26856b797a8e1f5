// Owns the transcripts of Claude Code: JSON Lines, one record for each message. The format is not documented; this follows the files that
// version 2.1 writes. Must never take the output of tools, the thinking of the model, or the words of subagents.

import { isObject } from "../../../platform/json/json.ts";
import { textsOf, toSpokenText } from "../../../platform/text/spoken-text.ts";
import { placeOf, type TranscriptFormat } from "./transcript.ts";

/** Records of the client itself, summaries of earlier messages, and messages of subagents. */
const marks = ["isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"];

export const claudeCodeTranscript: TranscriptFormat = (records) =>
  records.flatMap(({ value, end }) => {
    const { type: role, message } = value;
    if ((role !== "user" && role !== "assistant") || !isObject(message)) return [];
    if (marks.some((mark) => value[mark] === true) || "toolUseResult" in value) return [];
    const content = toSpokenText(textsOf(message.content, ["text"]));
    return content === "" ? [] : [{ role, content, ...placeOf(value), end }];
  });

// Owns the transcripts of Codex ("rollouts"): JSON Lines with a type and a payload, see codex-rs/protocol in github.com/openai/codex. Must
// never take the output of tools, reasoning, or the messages of developers, which contain the output of hooks.

import { isObject, type JsonObject } from "../../../platform/json/json.ts";
import { textsOf, toSpokenText } from "../../../platform/text/spoken-text.ts";
import { placeOf, type SpokenMessage, type TranscriptFormat } from "./transcript.ts";

type Spoken = Pick<SpokenMessage, "role" | "content">;

/**
 * Each message is in the file twice: as an event, which has the words only, and as an item for the model, which may contain what the
 * client has added. Items are used when there are no events.
 */
export const codexTranscript: TranscriptFormat = (records) => {
  const take = (read: (payload: JsonObject) => Spoken | null, wanted: string) =>
    records.flatMap(({ value, end }) => {
      const { type, payload } = value;
      const spoken = type === wanted && isObject(payload) ? read(payload) : null;
      return spoken === null || spoken.content === "" ? [] : [{ ...spoken, ...placeOf(value), end }];
    });
  const events = take(readEventMessage, "event_msg");
  return events.length > 0 ? events : take(readItem, "response_item");
};

function readEventMessage({ type, kind = "plain", message }: JsonObject): Spoken | null {
  if (typeof message !== "string") return null;
  if (type === "agent_message") return { role: "assistant", content: toSpokenText(message) };
  return type === "user_message" && kind === "plain"
    ? { role: "user", content: toSpokenText(message) }
    : null;
}

function readItem({ type, role, content }: JsonObject): Spoken | null {
  if (type !== "message" || (role !== "user" && role !== "assistant")) return null;
  return { role, content: toSpokenText(textsOf(content, ["input_text", "output_text"])) };
}

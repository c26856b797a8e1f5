// Owns how the query of an injection follows from the messages of a conversation. Pure; docs/user/API.md describes the rule.

import {
  messageQueryContextMaxCharacters,
  messageQueryMaxCharacters,
  messageQueryShortCharacters,
} from "../../platform/limits.ts";
import { endOfText } from "../../platform/text/characters.ts";
import type { Utterance } from "../extraction/messages.ts";

/**
 * The last message of the user; null without one. Of a long message the beginning and the end remain, because a question is before or
 * after what was pasted. A short message ("And on Fridays?") often means something only after an earlier one, so the end of what
 * the user said before is put in front of it.
 */
export function queryOf(utterances: readonly Utterance[]): string | null {
  const at = utterances.findLastIndex(({ speaker }) => speaker === "user");
  const last = utterances[at]?.text;
  if (last === undefined) return null;
  const characters = [...last];
  if (characters.length > messageQueryMaxCharacters) {
    const half = messageQueryMaxCharacters / 2;
    return `${characters.slice(0, half).join("")}\n${characters.slice(-half).join("")}`;
  }
  // A letter of Chinese, Japanese or Korean says as much as two of others, and is twice as wide (Unicode, UAX #11). Of 32 Japanese questions that
  // begin another topic (bench/conversations), the injection answers 27 in this way; if each letter counts once, 24.
  if (Bun.stringWidth(last) >= messageQueryShortCharacters) return last;
  const before = utterances.slice(0, at).filter(({ speaker }) => speaker === "user");
  const said = before.map(({ text }) => text).join("\n");
  const context = endOfText(said, messageQueryContextMaxCharacters);
  return context === "" ? last : `${context}\n${last}`;
}

// Owns how the query of an injection follows from the messages of a conversation. Pure; docs/user/API.md describes the rule.

import {
  messageQueryContextMaxCharacters,
  messageQueryMaxCharacters,
  messageQueryShortCharacters,
} from "../../platform/limits.ts";
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
  // A letter of Chinese, Japanese or Korean says as much as two of others, and is twice as wide (Unicode, UAX #11).
  if (Bun.stringWidth(last) >= messageQueryShortCharacters) return last;
  const before = utterances.slice(0, at).filter(({ speaker }) => speaker === "user");
  const said = before.map(({ text }) => text).join("\n");
  const context = endOf(said, messageQueryContextMaxCharacters);
  return context === "" ? last : `${context}\n${last}`;
}

/** Also of languages without spaces between words. */
const segmenter = new Intl.Segmenter("en", { granularity: "word" });

/** The end of the text from the beginning of a word; at most so many characters. */
function endOf(text: string, maxCharacters: number): string {
  const characters = [...text];
  if (characters.length <= maxCharacters) return text;
  const end = characters.slice(-maxCharacters).join("");
  const at = text.length - end.length;
  const word = segmenter.segment(text).containing(at);
  return (
    word === undefined || word.index === at ? end : text.slice(word.index + word.segment.length)
  ).trim();
}

// Owns the edits that all dialects share: a section at the end of a content, which is a string or parts, and in front of a conversation.

import type { Node } from "jsonc-parser";
import type { Edit } from "../../text/edits.ts";
import { appendItem, appendText, replaceValue } from "./body-edits.ts";

/** The edit that puts a section at the end of a content; null for a content of another form. `type` is that of a part of text. */
export function appendSection(content: Node | null, section: string, type: string): Edit | null {
  if (content?.type === "string") return appendText(content, section);
  if (content?.type === "array") return appendItem(content, { type, text: section });
  return null;
}

/** The same for a content that may be null: it becomes a string. */
export function setSection(content: Node | null, section: string, type: string): Edit | null {
  return content?.type === "null" ? replaceValue(content, section) : appendSection(content, section, type);
}

// Owns the edits that all dialects share: a section at the end of a content, which is a string or parts, and in front of a conversation.

import type { Node } from "jsonc-parser";
import type { Edit } from "../../text/edits.ts";
import { appendItem, appendText, replaceValue } from "./body-edits.ts";
import type { Changes } from "./dialect.ts";
import type { Turn } from "./turns.ts";

/** The edit that puts a section at the end of a content; null for a content of another form. `type` is that of a part of text. */
export function appendSection(content: Node | null, section: string, type: string): Edit | null {
  if (content?.type === "string") return appendText(content, section);
  if (content?.type === "array") return appendItem(content, { type, text: section });
  return null;
}

export interface ReferenceEdits {
  readonly edits: readonly Edit[];
  readonly hasPutReference: boolean;
  readonly putEarlier: ReadonlySet<number>;
}

/** The edits that put references at the ends of messages with words of the user. */
export function referenceEdits(
  turns: readonly Turn[],
  { prompt, earlier }: Pick<Changes, "prompt" | "earlier">,
  type: string,
): ReferenceEdits {
  const contents = turns.filter(({ speaker }) => speaker === "user").map(({ content }) => content);
  const last =
    prompt.reference === "" ? null : appendSection(contents.at(-1) ?? null, prompt.reference, type);
  const others = [...earlier].flatMap(([at, reference]) => {
    const edit = appendSection(contents[at] ?? null, reference, type);
    return edit === null ? [] : [{ at, edit }];
  });
  return {
    edits: [...others.map(({ edit }) => edit), ...(last === null ? [] : [last])],
    hasPutReference: last !== null,
    putEarlier: new Set(others.map(({ at }) => at)),
  };
}

/** The same for a content that may be null: it becomes a string. */
export function setSection(content: Node | null, section: string, type: string): Edit | null {
  return content?.type === "null" ? replaceValue(content, section) : appendSection(content, section, type);
}

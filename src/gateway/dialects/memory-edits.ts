// Owns the edits that all dialects share: sections at the ends of contents, which are strings or parts, and which of them a request then has.

import type { Node } from "jsonc-parser";
import { applyEdits, type Edit } from "../../platform/text/edits.ts";
import { appendItem, appendText, replaceValue } from "./body-edits.ts";
import type { ChangedRequest, Changes, SectionName } from "./dialect.ts";
import type { Turn } from "./turns.ts";

/** The edit that puts a section at the end of a content; null for a content of another form. `type` is that of a part of text. */
export function appendSection(content: Node | null, section: string, type: string): Edit | null {
  if (content?.type === "string") return appendText(content, section);
  if (content?.type === "array") return appendItem(content, { type, text: section });
  return null;
}

/** The edits that put a section into a request, the one with its text first; none: it has no place there. */
export interface SectionEdits {
  readonly name: SectionName;
  readonly edits: readonly Edit[];
}

/** The edits that put references at the ends of messages with words of the user. */
export function referenceEdits(
  turns: readonly Turn[],
  { prompt, earlier }: Pick<Changes, "prompt" | "earlier">,
  type: string,
): readonly SectionEdits[] {
  const contents = turns.filter(({ speaker }) => speaker === "user").map(({ content }) => content);
  const toEdits = (name: SectionName, content: Node | undefined, section: string): SectionEdits => {
    const edit = section === "" ? null : appendSection(content ?? null, section, type);
    return { name, edits: edit === null ? [] : [edit] };
  };
  return [
    ...[...earlier].map(([at, reference]) => toEdits(at, contents[at] ?? undefined, reference)),
    toEdits("reference", contents.at(-1) ?? undefined, prompt.reference),
  ];
}

/** @param others edits that put no section in */
export function applySections(
  text: string,
  sections: readonly SectionEdits[],
  others: readonly Edit[] = [],
): Pick<ChangedRequest, "text" | "put"> {
  const put = sections.flatMap(({ name, edits: [first] }) =>
    first === undefined ? [] : { name, start: first.start },
  );
  return {
    text: applyEdits(text, [...sections.flatMap(({ edits }) => edits), ...others]),
    put: put.toSorted((one, other) => one.start - other.start).map(({ name }) => name),
  };
}

/** The same for a content that may be null: it becomes a string. */
export function setSection(content: Node | null, section: string, type: string): Edit | null {
  return content?.type === "null" ? replaceValue(content, section) : appendSection(content, section, type);
}

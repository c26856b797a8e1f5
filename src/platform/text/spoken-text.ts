// Owns the separation of what a person or a model has said from what programs have added to it: the output of hooks, of commands and of
// the client. Pure. Must never keep a prompt section of memledger, because its memories would be extracted again.

import { isObject, type Json } from "../json/json.ts";

/**
 * Elements that clients add have a hyphen or an underscore in their names, such as <system-reminder>, <hook_context>,
 * <local-command-stdout> and <environment_context>. `memories` is our own prompt section; Gemini CLI escapes it inside <hook_context>.
 */
const openingTag = /<([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|memories)(?:\s[^<>]*)?>/gi;
const closingTag = /<\/([a-z][a-z0-9]*(?:[-_][a-z0-9]+)+|memories)>/gi;
/** Files that the user has named with @ in Gemini CLI, and the instructions that Codex reads from AGENTS.md. */
const otherParts: readonly (readonly [start: string, end: string])[] = [
  ["--- Content from referenced files ---", "--- End of content ---"],
  ["# AGENTS.md instructions for ", "</INSTRUCTIONS>"],
];
/** Claude Code writes this as the user. */
const interruption = /^\[Request interrupted by user[^\]]*\]$/;

/** The text without elements that a client has added, trimmed, and without characters that no memory can contain. */
export function toSpokenText(text: string): string {
  const valid = text.toWellFormed().replaceAll("\0", "");
  const spoken = otherParts.reduce((rest, [start, end]) => without(rest, start, end), withoutElements(valid));
  return interruption.test(spoken.trim()) ? "" : spoken.trim();
}

/** The texts of a message: a string, or a list of parts of which those with a text of one of these types count. */
export function textsOf(content: Json | undefined, types: readonly string[]): string {
  if (typeof content === "string") return content;
  const parts = Array.isArray(content) ? content : [content];
  const texts = parts.filter(isObject).flatMap(({ type, text }) => {
    const isWanted = types.length === 0 || (typeof type === "string" && types.includes(type));
    return isWanted && typeof text === "string" ? [text] : [];
  });
  return texts.join("\n\n");
}

function withoutElements(text: string): string {
  const endOf = createEndFinder(text);
  const kept: string[] = [];
  let at = 0;
  for (const tag of text.matchAll(openingTag)) {
    if (tag.index < at) continue;
    const end = endOf(tag[1] ?? "", tag.index);
    if (end === null) continue;
    kept.push(text.slice(at, tag.index));
    at = end;
  }
  return kept.join("") + text.slice(at);
}

/**
 * Finds where the element of this name ends that begins at an offset; null: nowhere. Offsets must not decrease. All closing tags are
 * found first, because searching for each one would take quadratic time for a text of many tags.
 */
function createEndFinder(text: string): (name: string, from: number) => number | null {
  const ends = new Map<string, number[]>();
  for (const { 0: tag, 1: name = "", index } of text.matchAll(closingTag)) {
    const found = ends.get(name);
    if (found === undefined) ends.set(name, [index + tag.length]);
    else found.push(index + tag.length);
  }
  const passed = new Map<string, number>();
  return (name, from) => {
    const found = ends.get(name) ?? [];
    let index = passed.get(name) ?? 0;
    while ((found[index] ?? Number.POSITIVE_INFINITY) <= from) index += 1;
    passed.set(name, index);
    return found[index] ?? null;
  };
}

function without(text: string, start: string, end: string): string {
  const from = text.indexOf(start);
  const to = from === -1 ? -1 : text.indexOf(end, from);
  return to === -1 ? text : text.slice(0, from) + text.slice(to + end.length);
}

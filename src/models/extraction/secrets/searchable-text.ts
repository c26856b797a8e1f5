// Owns the form of a text in which secrets are searched: as a reader sees it. Texts from web pages and word processors contain invisible
// characters and no-break spaces, which would hide a secret from the patterns.

import type { FoundSecret } from "./found-secret.ts";

interface SearchableText {
  /** Without invisible characters, and with plain spaces. */
  readonly text: string;
  /** The same secret, at its place in the whole text. */
  toWhole(found: FoundSecret): FoundSecret;
}

const invisible = /\p{Default_Ignorable_Code_Point}/u;
const visibleParts = /\P{Default_Ignorable_Code_Point}+/gu;
/** All of them are one UTF-16 unit long. */
const space = /\p{Space_Separator}/gu;

export function toSearchable(whole: string): SearchableText {
  if (!invisible.test(whole)) return { text: whole.replaceAll(space, " "), toWhole: (found) => found };
  const parts: string[] = [];
  /** For each offset of the searchable text, the offset in the whole text. */
  const offsets: number[] = [];
  for (const { index, 0: part } of whole.matchAll(visibleParts)) {
    parts.push(part);
    for (let at = 0; at < part.length; at++) offsets.push(index + at);
  }
  return {
    text: parts.join("").replaceAll(space, " "),
    toWhole: ({ kind, start, end }) => ({
      kind,
      start: offsets[start] ?? whole.length,
      end: (offsets[end - 1] ?? whole.length - 1) + 1,
    }),
  };
}

// Owns what is extracted of an answer: the new words, divided into extractions. Pure. The same words always give the same parts, because a
// task counts them.

import { toPassages } from "../../platform/text/passages.ts";
import { partMaxCharacters, partsMax } from "./limits.ts";

/** What a request and its answer add to a conversation. */
export interface NewWords {
  /** What the user says in this request for the first time; null: nothing, such as in the middle of a tool loop. */
  readonly user: string | null;
  /** JSON pointer of the message with them in the payload; null: nothing. */
  readonly userAt: string | null;
  /** Null: nothing. */
  readonly assistant: string | null;
}

/** One part: messages as the extraction accepts them. */
export type Part = readonly { readonly role: "user" | "assistant"; readonly content: string }[];

export interface Parts {
  readonly parts: readonly Part[];
  /** Characters of what is left out, because the words are too long. */
  readonly leftOutCharacters: number;
}

/** No part: there is nothing to extract. */
export function toParts({ user, assistant }: Pick<NewWords, "user" | "assistant">): Parts {
  const all: Part[] = [];
  let part: { role: "user" | "assistant"; content: string }[] = [];
  let room = partMaxCharacters;
  const add = (role: "user" | "assistant", text: string): void => {
    for (const content of toPassages(text, partMaxCharacters)) {
      if (content.length > room) {
        all.push(part);
        part = [];
        room = partMaxCharacters;
      }
      part.push({ role, content });
      room -= content.length;
    }
  };
  add("user", user ?? "");
  add("assistant", assistant ?? "");
  if (part.length > 0) all.push(part);
  const leftOut = all.slice(partsMax).flat();
  return {
    parts: all.slice(0, partsMax),
    leftOutCharacters: leftOut.reduce((sum, { content }) => sum + content.length, 0),
  };
}

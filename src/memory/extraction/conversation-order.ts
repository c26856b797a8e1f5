// Owns the order of memories of conversations in a prompt: what was said in one conversation together, in the order in which it was said, and
// the same words once. Pure.

import type { Memory } from "../memory.ts";
import { wordsInRow } from "./content-similarity.ts";

/** Passages of one conversation follow the first of them, oldest first. All others keep their places. Another subject has another conversation. */
export function inConversationOrder<
  Each extends Pick<Memory, "id" | "passage" | "subject" | "origins" | "createdAt">,
>(memories: readonly Each[]): Each[] {
  const conversationOf = ({ id, passage, subject, origins }: Each) =>
    JSON.stringify([(passage ? origins[0]?.conversation : null) ?? id, passage, subject]);
  const saidAt = ({ origins, createdAt }: Each) => origins[0]?.saidAt ?? createdAt;
  return [...Map.groupBy(memories, conversationOf).values()].flatMap((said) =>
    said.toSorted((one, other) => saidAt(one) - saidAt(other) || (one.id < other.id ? -1 : 1)),
  );
}

/** Without those whose words another one has in a row. Of those with the same words, the first one stays. */
export function withoutRepeated<Each>(
  found: readonly Each[],
  contentOf: (each: Each) => string,
): readonly Each[] {
  const words = found.map((each) => wordsInRow(contentOf(each)));
  return found.filter((_, at) => {
    const own = words[at] ?? "";
    return !words.some((other, place) =>
      other.length === own.length ? place < at && other === own : other.includes(own),
    );
  });
}

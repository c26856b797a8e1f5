// Owns which part of a text is shown beside which items: the text in its order, cut after each sentence that says something. Pure.

export interface Passage {
  /** What nothing was extracted from. */
  readonly before: string;
  /** The sentence; "": there is none. */
  readonly evidence: string;
  /** Positions of the items that it says. */
  readonly items: readonly number[];
}

/** @param evidence of each item. Sentences that do not occur in the text are at the end. */
export function toPassages(text: string, evidence: readonly string[]): Passage[] {
  const starts = new Map<number, { readonly evidence: string; readonly items: number[] }>();
  const lost: Passage[] = [];
  for (const [item, sentence] of evidence.entries()) {
    const start = text.indexOf(sentence);
    if (start < 0) lost.push({ before: "", evidence: sentence, items: [item] });
    else {
      const known = starts.get(start) ?? { evidence: sentence, items: [] };
      known.items.push(item);
      starts.set(start, sentence.length > known.evidence.length ? { ...known, evidence: sentence } : known);
    }
  }
  const passages: Passage[] = [];
  let at = 0;
  for (const [start, { evidence: sentence, items }] of [...starts].sort(([left], [right]) => left - right)) {
    const from = Math.max(start, at);
    const end = Math.max(start + sentence.length, from);
    passages.push({ before: text.slice(at, from), evidence: text.slice(from, end), items });
    at = end;
  }
  if (at < text.length) passages.push({ before: text.slice(at), evidence: "", items: [] });
  return [...passages, ...lost];
}

// Owns when texts answer a question: when they have the words of its answer. Must never search or rank.

/** Share of the content words of an answer that the texts must have. */
export const answeredShare = 0.6;

/** Words without content, of answers in English. */
const functionWords = new Set(
  `a an the and or but of to in on at for with by from as is are was were be been do does did has have had he she it they them his her
   its their i you we my your our that this these those not no yes so than then since would likely s`.split(
    /\s+/,
  ),
);

export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Without repetitions. */
export function contentWords(answer: string): string[] {
  return [...new Set(wordsOf(answer).filter((word) => !functionWords.has(word)))];
}

/** @param answer with at least one content word */
export function isAnswered(texts: readonly string[], answer: string): boolean {
  const words = new Set(texts.flatMap(wordsOf));
  const wanted = contentWords(answer);
  return wanted.filter((word) => words.has(word)).length / wanted.length >= answeredShare;
}

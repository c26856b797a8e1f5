// Owns that a complete answer is read elsewhere, while the events of a stream are read at once: the relay must know which one is the last.

import type { AnswerAssembler, AssembledAnswer } from "./assembled.ts";

export interface WholeAnswer extends AnswerAssembler {
  /** When the answer has ended. */
  assembled(): Promise<AssembledAnswer>;
}

/** @param read reads the text of a complete answer; it must not throw */
export function readElsewhere(
  assembler: AnswerAssembler,
  read: (text: string) => Promise<AssembledAnswer>,
): WholeAnswer {
  let whole: string | null = null;
  return {
    take: (event) => assembler.take(event),
    takeWhole(text) {
      whole = text;
    },
    answer: () => assembler.answer(),
    async assembled() {
      return whole === null ? assembler.answer() : read(whole);
    },
  };
}

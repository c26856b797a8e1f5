// Owns that a complete answer is read with the other steps of bodies, while the events of a stream are read at once: the relay must know
// which one is the last.

import type { Bodies } from "../bodies.ts";
import type { AnswerAssembler, AssembledAnswer } from "./assembled.ts";
import { type AssemblerName, createAssembler } from "./assemblers.ts";

export interface WholeAnswer extends AnswerAssembler {
  /** When the answer has ended. */
  assembled(): Promise<AssembledAnswer>;
}

/** @param choices how many answers the request asks for */
export function createWholeAnswer(
  { readAnswer }: Pick<Bodies, "readAnswer">,
  name: AssemblerName,
  choices: number,
): WholeAnswer {
  const assembler = createAssembler(name, choices);
  let whole: string | null = null;
  return {
    take: (event) => assembler.take(event),
    takeWhole(text) {
      whole = text;
    },
    answer: () => assembler.answer(),
    async assembled() {
      return whole === null ? assembler.answer() : readAnswer(name, choices, whole);
    },
  };
}

// Owns the assemblers by name, so that a complete answer can be read in another thread.

import { dialects } from "../dialects/dialects.ts";
import type { AnswerAssembler } from "./assembled.ts";
import { createPlainAssembler } from "./plain-answer.ts";

/** whole: the answer is recorded as it is, such as a count of tokens. embeddings: vectors, of which nobody reads a number in a record. */
export type AssemblerName = "chat" | "responses" | "messages" | "whole" | "embeddings";

/** @param choices how many answers the request asks for */
export function createAssembler(name: AssemblerName, choices: number): AnswerAssembler {
  switch (name) {
    case "whole":
      return createPlainAssembler((answer) => answer);
    case "embeddings":
      return createPlainAssembler(({ data }) => ({ embeddings: Array.isArray(data) ? data.length : 0 }));
    default:
      return dialects[name].assemble({ choices });
  }
}

// Owns prompts that have nothing to do with any project, and their vectors: what memories are compared with to see what an unrelated prompt
// reaches. Must never be recorded or returned.

import { toSharedMatrix } from "../ranking/vector-matrix.ts";
import { serverItself } from "../scheduling/fair-queue.ts";
import type { Embed } from "./embedding.ts";

/** Of many kinds, so that their similarities to the memories of a project have the spread of unrelated prompts. */
const prompts: readonly string[] = [
  "What is the weather like in general in autumn?",
  "Thanks, that was helpful!",
  'Translate "good morning" into French.',
  "Write a poem about the sea.",
  "How do I sort a list?",
  "Explain how photosynthesis works.",
  "Summarise the following text.",
  "Who wrote this famous novel?",
  "What is 17 times 23?",
  "Fix the grammar of this sentence.",
  "Give me three ideas for a party game.",
  "How far is the moon?",
  "Convert 10 miles to kilometres.",
  "What does this error message mean?",
  "Write a regular expression that matches an email address.",
  "Tell me a joke.",
  "Which films won a prize last year?",
  "How do I remove a stain from a shirt?",
  "Create a table with two columns.",
  "What is the difference between a virus and a bacterium?",
  "Continue.",
  "Draw a diagram of a simple network.",
  "How long do eggs have to boil?",
  "Compare trains and planes for long journeys.",
];

export interface UnrelatedVectors {
  /** One behind the other, [prompts x dimensions]. */
  readonly vectors: Float32Array;
  /** SHA-256 of their model. */
  readonly model: string;
}

/** Embeds the prompts once for each model. @param project that waits for them; `model` is the one of the query */
export function createUnrelatedPrompts(embed: Embed) {
  let kept: { readonly model: string; readonly vectors: Promise<UnrelatedVectors> } | null = null;
  return async (model: string, project: string): Promise<UnrelatedVectors> => {
    if (kept?.model !== model) kept = { model, vectors: embedAll(embed, project) };
    const asked = kept;
    try {
      return await asked.vectors;
    } catch (error) {
      if (kept === asked) kept = null;
      throw error;
    }
  };
}

/** Other calls wait for them as well, so the caller that is the first one cannot abort them. */
async function embedAll(embed: Embed, project: string): Promise<UnrelatedVectors> {
  const waiter = { project, signal: serverItself.signal };
  const embedded = await Promise.all(prompts.map((prompt) => embed(prompt, "query", waiter)));
  const vectors = toSharedMatrix(embedded.map(({ vector }) => vector));
  return { vectors, model: embedded.at(-1)?.model ?? "" };
}

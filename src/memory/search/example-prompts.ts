// Owns prompts of two kinds, and their vectors: those that have nothing to do with any project, with which memories are compared to see what an
// unrelated prompt reaches, and those that memories help with. Must never be recorded or returned.

import { serverItself } from "../../platform/scheduling/fair-queue.ts";
import type { Embed } from "../embedding.ts";
import { createNeedMeasure } from "../ranking/relevance-floor.ts";
import { toSharedMatrix } from "../ranking/scan/vector-matrix.ts";

/** Of many kinds, so that their similarities to the memories of a project have the spread of unrelated prompts. */
const unrelatedPrompts: readonly string[] = [
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

/** Of many kinds as well: tasks for a person or a team, and questions about what only they know. */
const helpedPrompts: readonly string[] = [
  "What should I have for breakfast?",
  "Plan our trip for the summer.",
  "Buy a present for my sister.",
  "Draft a reply to this client.",
  "Refactor the module that we worked on.",
  "Run the tests and fix what fails.",
  "Open a pull request for this change.",
  "Which port does our server use?",
  "When is my next appointment?",
  "Where did we put the keys?",
  "What did I say about the budget?",
  "Who is responsible for the backups?",
  "Remind me what we decided last week.",
  "Book a hotel for our stay.",
  "Suggest something to wear for the dinner.",
  "Prepare the agenda for our meeting.",
  "Add a page to our website.",
  "Restart the service on the staging machine.",
  "Order groceries for the weekend.",
  "Choose a gift for a colleague.",
  "How do we release a new version?",
  "What is the password policy of our company?",
  "Invite my friends to a party.",
  "Write the weekly report for my manager.",
  "Find a doctor near me.",
  "Set up my development environment.",
  "What does my daughter like to eat?",
  "How often do I water my plants?",
  "Recommend a book that I would like.",
  "Name the contact at our supplier.",
  "Plan the training for the next month.",
  "Update the customer's contract.",
];

/** What the floor of an injection depends on, beside the memories. */
export interface PromptPlace {
  /** Vectors of prompts that have nothing to do with any project, one behind the other, [prompts x dimensions]. */
  readonly unrelated: Float32Array;
  /** As of `createNeedMeasure`. */
  readonly need: number;
}

interface ExampleVectors {
  readonly unrelated: Float32Array;
  readonly needOf: (prompt: Float32Array) => number;
  /** SHA-256 of their model. */
  readonly model: string;
}

/**
 * Embeds the prompts once for each model.
 * @param vector of a prompt; `model` is that of the vector
 * @param project that waits for them
 * @returns its place, and the SHA-256 of the model of the others
 */
export function createExamplePrompts(embed: Embed) {
  let kept: { readonly model: string; readonly vectors: Promise<ExampleVectors> } | null = null;
  return async (vector: Float32Array, model: string, project: string) => {
    if (kept?.model !== model) kept = { model, vectors: embedAll(embed, project) };
    const asked = kept;
    try {
      const { unrelated, needOf, model: usedModel } = await asked.vectors;
      const place: PromptPlace = { unrelated, need: needOf(vector) };
      return { place, usedModel };
    } catch (error) {
      if (kept === asked) kept = null;
      throw error;
    }
  };
}

/** Other calls wait for them as well, so the caller that is the first one cannot abort them. */
async function embedAll(embed: Embed, project: string): Promise<ExampleVectors> {
  const waiter = { project, signal: serverItself.signal };
  const embedAs = (prompts: readonly string[]) =>
    Promise.all(prompts.map((prompt) => embed(prompt, "query", waiter)));
  const embedded = await Promise.all([embedAs(unrelatedPrompts), embedAs(helpedPrompts)]);
  const [unrelated = [], helped = []] = embedded.map((each) => each.map(({ vector }) => vector));
  return {
    unrelated: toSharedMatrix(unrelated),
    needOf: createNeedMeasure(helped, unrelated),
    model: embedded[0].at(-1)?.model ?? "",
  };
}

// Owns the resource with the rules and the prompt with the context: for clients in which a person, not the model, decides what to load.
// Both are injections, with a record each.

import { type Answer, dataOf } from "../../calls/contract/answer.ts";
import type { ObjectInput } from "../../calls/contract/request.ts";
import { injectMemories } from "../../calls/operations/search/inject.ts";
import { objectsIn } from "../../platform/json/json.ts";
import { toOperationInput } from "./tool.ts";

/** The operation that the resource and the prompt perform. */
export const operation = injectMemories;

export const rulesResource = {
  uri: "memledger://rules",
  name: "rules",
  title: "Rules of the project",
  description: "How to behave in this project, most important rule first.",
  mimeType: "text/markdown",
} as const;

/** Without any fact or context: no line of one fits into 0 characters. */
export const rulesInput: ObjectInput = { kind: "object", fields: { max_characters: 0 } };

export function toRulesContents(answer: Answer) {
  const { rules } = dataOf(answer);
  const items = objectsIn(rules).map(({ content }) => `- ${oneLine(String(content))}\n`);
  const text = items.length === 0 ? "This project has no rules.\n" : items.join("");
  const { uri, mimeType } = rulesResource;
  return { contents: [{ uri, mimeType, text: `# Rules\n\n${text}` }] };
}

export const contextPrompt = {
  name: "context",
  title: "Memories of the project",
  description: "The rules and the memories that help with a task.",
  arguments: [
    {
      name: "query",
      description: "What the task is about; without it, the most important and recent memories",
      required: false,
    },
  ],
};

/** Clients may send an empty text for an argument that the user has not filled in. */
export function toPromptInput(sent: Readonly<Record<string, string>> = {}): ObjectInput {
  const filled = Object.entries(sent).filter(([, value]) => value.trim() !== "");
  return { kind: "object", ...toOperationInput(promptArguments, Object.fromEntries(filled)) };
}

const promptArguments = { arguments: { query: { field: "query" } } };

export function toPromptResult(answer: Answer) {
  const { prompt } = dataOf(answer);
  const text = prompt === "" ? "No memory was found." : String(prompt);
  return {
    description: contextPrompt.description,
    messages: [{ role: "user" as const, content: { type: "text" as const, text } }],
  };
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

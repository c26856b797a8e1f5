// Owns the memory type and the importance of a sentence that becomes a memory. Must never decide whether a sentence becomes a memory.

import type { MemoryType } from "../../../memory/memory.ts";
import type { Category } from "./lexicon/lexicon.ts";

/** A sentence with an expiry is a context; an order or a prohibition is a rule; everything else is a fact. */
export function memoryTypeOf(category: Category, expiresAt: number | null): MemoryType {
  if (expiresAt !== null) return "context";
  return category === "rule" ? "rule" : "fact";
}

/** 0..1 by category: what does most harm when it is forgotten has the highest importance. */
const importanceOf: Readonly<Record<Category, number>> = {
  rule: 0.85,
  correction: 0.75,
  decision: 0.7,
  deadline: 0.7,
  identity: 0.7,
  relation: 0.65,
  preference: 0.6,
  tool: 0.55,
  change: 0.55,
  state: 0.5,
};

/** Words that increase the importance, in all supported languages. */
const emphasis =
  /\b(?:must|never|always|under no circumstances|no exceptions|allerg\w*|critical|forbidden|strictly|immer|niemals|nie|verboten|jamais|toujours|interdit|nunca|siempre|jam[aá]s|prohibido|sempre|proibido|mai|vietato|auf keinen Fall|alérgic\w+)\b/i;

export function rateImportance(category: Category, sentence: string): number {
  const raised = importanceOf[category] + (emphasis.test(sentence) ? 0.1 : 0);
  return Math.round(Math.min(1, raised) * 100) / 100;
}

// Owns what kind of memory a kept sentence becomes, and how important it is. Must never decide whether a sentence is kept.

import type { MemoryType } from "../../memory/memory.ts";
import type { Category } from "./lexicon/lexicon.ts";

/** What passes is context, whatever else it is; an order or a ban is a rule; everything else is a fact. */
export function memoryTypeOf(category: Category, expiresAt: number | null): MemoryType {
  if (expiresAt !== null) return "context";
  return category === "rule" ? "rule" : "fact";
}

/** 0..1, by what the sentence is about: what harms most when it is forgotten comes first. */
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

/** Words that make anything more important, in all languages that the extractor knows. */
const emphasis =
  /\b(?:must|never|always|under no circumstances|no exceptions|allerg\w*|critical|forbidden|strictly|immer|niemals|nie|verboten|jamais|toujours|interdit|nunca|siempre|jam[aá]s|prohibido|sempre|proibido|mai|vietato|auf keinen Fall|alérgic\w+)\b/i;

export function rateImportance(category: Category, sentence: string): number {
  const raised = importanceOf[category] + (emphasis.test(sentence) ? 0.1 : 0);
  return Math.round(Math.min(1, raised) * 100) / 100;
}

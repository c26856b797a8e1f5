// Owns what a heading says about the items below it. Must never decide on a sentence of running text.

import type { Category } from "./lexicon/lexicon.ts";

/** Sections in which nothing is settled, and legal text. */
const skipped =
  /\b(?:open(?: questions| points| issues)?|questions|ideas|parking lot|brainstorm\w*|not agreed|licen[cs]e|copyright|present|attendees|participants|offene?|ideen|anwesend|lizenz|idées|présents|ideas|preguntas|licencia|ideias|perguntas|idee|domande|licenza|example|examples|disclaimer)\b/i;

/** Sections in which every item was settled. */
const settled: readonly (readonly [RegExp, Category])[] = [
  [
    /\b(?:rules?|conventions?|guidelines?|policy|policies|regeln|vorgaben|règles|reglas|normas|regras|regole)\b/i,
    "rule",
  ],
  [
    /\b(?:decisions?|decided|agreements?|agreed|resolutions?|resolved|beschlüsse|entscheidungen|vereinbart|décisions?|decisiones|acuerdos|decisões|acordos|decisioni|accordi)\b/i,
    "decision",
  ],
];

/** Whether nothing below the heading is settled, so that only a correction counts. */
export function isUnsettled(heading: string): boolean {
  return skipped.test(heading);
}

/** What every item below the heading is, whatever its words; null where the heading does not tell. */
export function categoryOfSection(heading: string): Category | null {
  if (skipped.test(heading)) return null;
  return settled.find(([pattern]) => pattern.test(heading))?.[1] ?? null;
}

// Owns what a heading tells about the items below it. Must never decide about a sentence of running text.

/** Headings of sections without decided items, and of legal text. */
const skipped =
  /\b(?:open(?: questions| points| issues)?|questions|ideas|parking lot|brainstorm\w*|not agreed|licen[cs]e|copyright|present|attendees|participants|offene?|ideen|anwesend|lizenz|idées|présents|ideas|preguntas|licencia|ideias|perguntas|idee|domande|licenza|example|examples|disclaimer)\b/i;

/** Headings of sections in which every item is decided. */
const settled: readonly (readonly [RegExp, "rule" | "decision"])[] = [
  [
    /\b(?:rules?|conventions?|guidelines?|policy|policies|regeln|vorgaben|règles|reglas|normas|regras|regole)\b/i,
    "rule",
  ],
  [
    /\b(?:decisions?|decided|agreements?|agreed|resolutions?|resolved|beschlüsse|entscheidungen|vereinbart|décisions?|decisiones|acuerdos|decisões|acordos|decisioni|accordi)\b/i,
    "decision",
  ],
];

/** Whether the section has no decided items, so that only a correction in it becomes a memory. */
export function isUnsettled(heading: string): boolean {
  return skipped.test(heading);
}

/** What every item below the heading is; null if the heading does not determine it. */
export function categoryOfSection(heading: string): "rule" | "decision" | null {
  if (skipped.test(heading)) return null;
  return settled.find(([pattern]) => pattern.test(heading))?.[1] ?? null;
}

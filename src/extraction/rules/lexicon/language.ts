// Owns the list of languages that the built-in extractor has words for. Must never guess from anything but the words of a text.

export const languages = ["en", "de", "fr", "es", "pt", "it"] as const;
export type Language = (typeof languages)[number];

/** Fewer words than this say nothing against the language of the text around them. */
const marginWords = 2;

/**
 * The language whose small words are the most frequent, or null where none is plain: other scripts, lists of names.
 * `fallback` stands until another is plainly more frequent.
 */
export function detectLanguage(
  text: string,
  functionWords: Readonly<Record<Language, ReadonlySet<string>>>,
  fallback: Language | null,
): Language | null {
  const counts = new Map<Language, number>();
  for (const [word] of text.toLowerCase().matchAll(/\p{L}{1,12}/gu)) {
    for (const language of languages) {
      if (functionWords[language].has(word)) counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  const best = Math.max(0, ...counts.values());
  if (best === 0) return fallback;
  const winners = languages.filter((language) => counts.get(language) === best);
  if (fallback !== null && best - (counts.get(fallback) ?? 0) < marginWords) return fallback;
  return winners[0] ?? null;
}

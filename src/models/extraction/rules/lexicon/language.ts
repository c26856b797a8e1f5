// Owns the languages of the built-in extractor and the detection of a text's language. Must use nothing but the words of the text.

export const languages = ["en", "de", "fr", "es", "pt", "it"] as const;
export type Language = (typeof languages)[number];

/** Spellings that only one of the languages has. */
const spelling: Readonly<Partial<Record<Language, RegExp>>> = {
  de: /[äöüß]/i,
  fr: /[êœ]|\b(?:qu|j)['’]/i,
  es: /[ñ¿¡]/i,
  pt: /[ãõ]|[ln]h[aeo]/i,
  it: /[òù]|zion[ei]|\bgli/i,
};

/**
 * The language whose function words are the most frequent; `fallback` unless they are at least `marginWords` more than its own, which is
 * also the result for other scripts and for lists of names.
 */
export function detectLanguage(
  text: string,
  functionWords: (language: Language) => ReadonlySet<string>,
  fallback: Language,
  marginWords: number,
): Language {
  const counts = new Map<Language, number>();
  for (const [word] of text.toLowerCase().matchAll(/(?<!\p{L})\p{L}{1,12}(?!\p{L})/gu)) {
    for (const language of languages) {
      if (functionWords(language).has(word)) counts.set(language, (counts.get(language) ?? 0) + 1);
    }
  }
  for (const language of languages) {
    if (spelling[language]?.test(text) === true) counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const best = Math.max(0, ...counts.values());
  const winners = languages.filter((language) => counts.get(language) === best);
  if (best - (counts.get(fallback) ?? 0) < marginWords) return fallback;
  return winners[0] ?? fallback;
}

// Owns detecting the language of a text and of its sentences.

import { detectLanguage, type Language } from "./lexicon/language.ts";
import { lexicons } from "./lexicon/lexicons.ts";

const functionWords = (language: Language) => lexicons[language].functionWords;

export function languageOfText(text: string): Language {
  return detectLanguage(text, functionWords, "en", 1);
}

/** Language of a sentence. It has few words, so the language of the text decides unless the evidence is clear. */
export function languageOfSentence(sentence: string, around: Language): Language {
  return detectLanguage(sentence, functionWords, around, 2);
}

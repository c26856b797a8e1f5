// Owns the decision whether a sentence is worth remembering, and why. Junk is worse than a miss: in doubt it says no.

import { detectLanguage, type Language } from "./lexicon/language.ts";
import { type Category, exclusionReasons } from "./lexicon/lexicon.ts";
import { lexicons } from "./lexicon/lexicons.ts";
import { isCodeLine, isProse } from "./prose.ts";

/** Names, numbers, versions, file names, addresses: what makes a statement a particular one. */
const concrete =
  /\d|(?<!\p{L})(?:two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice|zwei|drei|vier|fünf|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|dois|duas|três|quatro|due|tre|quattro|cinque|sieben|acht|neun|zehn|sept|huit|dix|siete|ocho|nueve|diez|sete|oito|nove|dez|sette|otto|dieci)(?!\p{L})|[`"“„«]|(?<=[\p{L}\p{N},;:)]\s{1,3}["'(]?)\p{Lu}[\p{L}\p{N}]|\p{L}[./_]\p{L}|\p{Ll}\p{Lu}|[@#/]\p{L}/u;
/** In German every noun has a capital, so that only what no noun has counts. */
const concreteInGerman =
  /\d|[`"“„«]|\p{L}[./_]\p{L}|\p{Ll}\p{Lu}|[@#/]\p{L}|\p{Lu}{2,}|(?<=\s)(?:von|bei|mit|ist|an) \p{Lu}\p{Ll}+\b/u;

const questionMark = /[?？؟]["'”»)\]]?\s*\p{Extended_Pictographic}?\s*$/u;

const functionWords = (language: Language) => lexicons[language].functionWords;

export function languageOfText(text: string): Language {
  return detectLanguage(text, functionWords, "en", 1);
}

/** Of a sentence, which has too few words to say much against the text around it. */
export function languageOfSentence(sentence: string, around: Language): Language {
  return detectLanguage(sentence, functionWords, around, 2);
}

/** Whether nothing speaks against a sentence, which is free of markup. */
export function passesExclusions(sentence: string, language: Language): boolean {
  if (questionMark.test(sentence)) return false;
  if (sentence.endsWith(":") || !isProse(sentence) || isCodeLine(sentence)) return false;
  const { exclusions, fillers } = lexicons[language];
  const core = sentence.replace(fillers, "");
  return !exclusionReasons.some((reason) => exclusions[reason].some((pattern) => pattern.test(core)));
}

/**
 * Why the sentence is worth remembering; null where nothing says so. `isParticular`: it is about something particular although it
 * names nothing, since it says when it is over.
 */
export function findCategory(sentence: string, language: Language, isParticular: boolean): Category | null {
  const { cues, fillers, orders } = lexicons[language];
  const core = sentence.replace(fillers, "");
  const named = isParticular || (language === "de" ? concreteInGerman : concrete).test(core);
  const category = cues.find((cue) => (cue.certain || named) && cue.pattern.test(core))?.category ?? null;
  return category !== null && orders?.test(core) === true ? "rule" : category;
}

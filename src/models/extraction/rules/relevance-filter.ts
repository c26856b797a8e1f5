// Owns the decision whether a sentence becomes a memory, and its category. A wrong memory is worse than a missing one: in doubt the
// sentence is dropped.

import type { Language } from "./lexicon/language.ts";
import { type Category, exclusionReasons } from "./lexicon/lexicon.ts";
import { lexicons } from "./lexicon/lexicons.ts";
import { isCodeLine, isProse } from "./prose.ts";

/** Names, numbers, versions, file names, addresses: they make a statement specific. */
const concrete =
  /\d|(?<!\p{L})(?:two|three|four|five|six|seven|eight|nine|ten|twelve|once|twice|zwei|drei|vier|fünf|deux|trois|quatre|cinq|dos|tres|cuatro|cinco|dois|duas|três|quatro|due|tre|quattro|cinque|sieben|acht|neun|zehn|sept|huit|dix|siete|ocho|nueve|diez|sete|oito|nove|dez|sette|otto|dieci)(?!\p{L})|[`"“„«]|(?<=[\p{L}\p{N},;:)]\s{1,3}["'(]?)\p{Lu}[\p{L}\p{N}]|\p{L}[./_]\p{L}|\p{Ll}\p{Lu}|[@#/]\p{L}/u;
/** In German every noun has a capital letter, so capital letters do not count. */
const concreteInGerman =
  /\d|[`"“„«]|\p{L}[./_]\p{L}|\p{Ll}\p{Lu}|[@#/]\p{L}|\p{Lu}{2,}|(?<=\s)(?:von|bei|mit|ist|an) \p{Lu}\p{Ll}+\b/u;

const questionMark = /[?？؟]["'”»)\]]?\s*\p{Extended_Pictographic}?\s*$/u;

/** Whether no exclusion applies to a sentence, given without markup. */
export function passesExclusions(sentence: string, language: Language): boolean {
  if (questionMark.test(sentence)) return false;
  if (sentence.endsWith(":") || !isProse(sentence) || isCodeLine(sentence)) return false;
  const { exclusions, fillers } = lexicons[language];
  const core = sentence.replace(fillers, "");
  return !exclusionReasons.some((reason) => exclusions[reason].some((pattern) => pattern.test(core)));
}

/**
 * The category of the sentence; null if it is not worth remembering. `isParticular`: the sentence counts as specific although it names
 * nothing, because it has an expiry.
 */
export function findCategory(sentence: string, language: Language, isParticular: boolean): Category | null {
  const { cues, fillers, orders } = lexicons[language];
  const core = sentence.replace(fillers, "");
  const named = isParticular || (language === "de" ? concreteInGerman : concrete).test(core);
  const category = cues.find((cue) => (cue.certain || named) && cue.pattern.test(core))?.category ?? null;
  return category !== null && orders?.test(core) === true ? "rule" : category;
}

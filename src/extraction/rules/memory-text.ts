// Owns the text of a memory: the sentence without markup and fillers, in the third person, with a date if it has a relative one. Must never
// add information that is not in the sentence.

import { feelings } from "./lexicon/en-exclusions.ts";
import type { Language } from "./lexicon/language.ts";
import { lexicons } from "./lexicon/lexicons.ts";
import type { Speaker } from "./speakers.ts";
import { toThirdPersonEnglish } from "./third-person-english.ts";
import { toThirdPersonOtherLanguage } from "./third-person-other-languages.ts";

/** `said`: when the sentence was said, milliseconds since 1970, if it has a relative date such as "tomorrow"; else null. */
export function toMemoryText(
  sentence: string,
  speaker: Speaker,
  language: Language,
  said: number | null,
): string {
  const plain = sentence
    .replace(lexicons[language].fillers, "")
    .replace(/[\s\p{Extended_Pictographic}]+$/u, "")
    .replace(address, "")
    .replace(politeStart, "")
    .replace(politeEnd, "");
  const core = withSubject(plain, speaker, language);
  const content = language === "en" ? inEnglish(core, speaker) : inOwnWords(core, language, speaker);
  return said === null ? content : `${content} (said on ${new Date(said).toISOString().slice(0, 10)})`;
}

/** Openings such as "Hey Jon, " and "I just wanted to let you know that ". */
const address =
  /^(?:(?:hey|hi|hello|yo|oh|wow|thanks|yeah|ok(?:ay)?)[,!]? \p{Lu}\p{L}{1,20}[,!:] )?(?:(?:a lot(?:['’]s| has) happened|(?:so )?much has happened|guess what|(?:big|good|great|exciting) news)[^-–:,!.]{0,40}(?: ?[-–]+|[:,!]) )?(?:since we last (?:chatted|spoke|talked|met),? )?(?:(?:i )?(?:just )?want(?:ed)? to (?:let you know|tell you)(?: that)?,? )?/iu;
/** Polite or habitual words without a meaning for the memory. */
const politeStart = /^please,? (?=\p{L})/iu;
const politeEnd =
  /,? (?:please|thanks|thank you|thx|by the way|btw|haha|lol|tbh|you know|though|tho|bitte|s['’]il (?:vous|te) pla[iî]t|por favor|per favore)(?=[.!]*$)/i;

/** "We" of a person means more than that person, so it stays, with the speaker in front: "Ben: We ...", "The user said: We ...". Without a speaker it means the team or the family. */
function inEnglish(core: string, { name, role, addressee }: Speaker): string {
  const speaks = lexicons.en.firstPerson.test(core);
  const between = role === "person" && addressee !== "the assistant";
  const speaker = name ?? "the user";
  const toOther = between && addressee !== null && secondPerson.test(core);
  const isTeam = role === "unknown" && !household.test(core);
  const converted =
    toOther || (between && speaks && secondPerson.test(core))
      ? null
      : toThirdPersonEnglish(core, { speaker, group: isTeam ? "the team" : null, addressee });
  if (converted !== null) return converted;
  const isOurs = isTeam && !/(?<!\p{L})(?:i|my|me|mine)(?!\p{L})/iu.test(core);
  const nameless = `${isOurs ? "the team" : speaker} ${lexicons.en.said}`;
  const says = `${name ?? nameless}${toOther ? ` to ${addressee}` : ""}: `;
  return speaks || toOther ? capitalised(says) + capitalised(core) : capitalised(core);
}

const secondPerson = /(?<!\p{L})(?:you|yours?|yourself|yourselves|ya)(?!\p{L})/iu;

function capitalised(text: string): string {
  return text.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
}

/** Words of a household, with which "we" does not mean a team. */
const household =
  /\b(?:dogs?|cats?|puppy|kitten|pets?|kids?|child(?:ren)?|sons?|daughters?|baby|married|engaged|pregnant|honeymoon|flat|apartment|family|vacation|holidays?)\b/i;

/** "Lost my job.": a sentence of the first person without "I". */
function withSubject(core: string, { role }: Speaker, language: Language): string {
  if (role !== "person" || language !== "en" || !subjectless.test(core)) return core;
  return `I ${core.slice(0, 1).toLowerCase()}${core.slice(1)}`;
}

const subjectless =
  /^(?:just |also |finally |recently )?(?:lost|got|started|went|had|been|moved|bought|sold|quit|finished|signed|booked|took|made|joined|adopted|found|became|left|met|won|broke|applied|switched|stopped|gave|love|prefer|hate|live|work|need) /i;

/** If the verb cannot be converted safely and the sentence is in the first person, the speaker is put in front. */
function inOwnWords(core: string, language: Exclude<Language, "en">, { name, role }: Speaker): string {
  const { firstPerson, firstPlural, user, said } = lexicons[language];
  const converted = toThirdPersonOtherLanguage(core, language, name ?? user);
  if (converted !== null) return converted;
  const speaks = firstPerson.test(core) && (role === "person" || !firstPlural.test(core));
  const text = capitalised(core);
  return speaks ? `${name ?? `${user} ${said}`}: ${text}` : text;
}

/** A comment after a statement: ", remember?", ", did you know?", ", I promise". */
const tag =
  /(?<=\p{L}{2} .{8,400})(?:, | (?=so fingers))(?:(?:remember|right|okay|ok|huh|eh|yeah|you know|what about you|and you|how about you|did (?:you|i|we|nobody|anyone)[^,?]{0,40}|(?:is|are|was|were|do|does|can|could|would|will|have|has|had)(?:n['’]t)? (?:i|you|he|she|it|they|we|that|nobody)[^,?]{0,25})\?+|(?:i know|i promise|i swear|trust me|believe me|believe it or not|more['’]s the pity|of course|thank (?:god|goodness)|oh well|(?:so )?fingers crossed(?: everyone)?|lol|haha)[.!]*)$/iu;

/** A judgement after a statement: " and it was so powerful", ", it's a great way to relax", " - pretty cool". */
const verdict = new RegExp(
  `(?<=\\p{L}{2} .{12,400})(?:(?: [-–]|,)? (?:and|but|so)|,| [-–]|[-–] ) ?(?:(?:it|that)(?:['’]s| is| was| has| looks| feels| felt| sounds| makes)(?: been)? [^;:\\d]{0,30}?(?<!\\p{L})(?:${feelings}|such an?|ride|journey|relief|rollercoaster|cozy|hard|worth it)(?!\\p{L})[^;:\\d]{0,70}|(?:pretty|so|really|such|what an?|best|super) [^;:,\\d]{2,40})$`,
  "iu",
);

/** The statement without a trailing comment: "My landlord allows no pets, remember?" */
export function withoutTrailingComment(sentence: string): string {
  return sentence.replace(tag, ".").replace(verdict, ".");
}

/** The text without Markdown, on one line. */
export function withoutMarkup(sentence: string): string {
  return sentence
    .replace(/\s+/g, " ")
    .replace(/\s\[[^\]]{1,400}\]$/, "")
    .replace(/!?\[([^\]]{1,200})\]\([^)]{1,300}\)/g, "$1")
    .replace(/\*\*|__|(?<![\p{L}\p{N}])[*_]|[*_](?![\p{L}\p{N}])/gu, "")
    .trim();
}

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
  const content = language === "en" ? inEnglish([core], speaker) : inOwnWords(core, language, speaker);
  return said === null ? content : `${content} (said on ${new Date(said).toISOString().slice(0, 10)})`;
}

/** Openings such as "Hey Jon, " and "I just wanted to let you know that ". */
const address =
  /^(?:(?:hey|hi|hello|yo|oh|wow|thanks|yeah|ok(?:ay)?)[,!]? \p{Lu}\p{L}{1,20}[,!:] )?(?:(?:a lot(?:['’]s| has) happened|(?:so )?much has happened|guess what|(?:big|good|great|exciting) news)[^-–:,!.]{0,40}(?: ?[-–]+|[:,!]) )?(?:since we last (?:chatted|spoke|talked|met),? )?(?:(?:i )?(?:just )?want(?:ed)? to (?:let you know|tell you)(?: that)?,? )?/iu;
/** Polite or habitual words without a meaning for the memory. */
const politeStart = /^please,? (?=\p{L})/iu;
const politeEnd =
  /,? (?:please|thanks|thank you|thx|by the way|btw|haha|lol|tbh|you know|though|tho|bitte|s['’]il (?:vous|te) pla[iî]t|por favor|per favore)(?=[.!]*$)/i;

/** One or more sentences of a speaker. "We" of a person means more than that person, so it stays, with the speaker in front: "Ben: We ...", "The user said: We ...". Without a speaker it means the team or the family. */
export function inEnglish(sentences: readonly string[], { name, role, addressee }: Speaker): string {
  const core = sentences.join(" ");
  const speaks = lexicons.en.firstPerson.test(core);
  const between = role === "person" && addressee !== "the assistant";
  const speaker = name ?? "the user";
  const toOther = between && addressee !== null && secondPerson.test(core);
  const isTeam = role === "unknown" && !household.test(core);
  const converted =
    toOther || (between && speaks && secondPerson.test(core))
      ? null
      : sentences.map((sentence) =>
          toThirdPersonEnglish(sentence, { speaker, group: isTeam ? "the team" : null, addressee }),
        );
  if (converted?.every((sentence) => sentence !== null) === true) return converted.join(" ");
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
  const rest = `${core.slice(0, 1).toLowerCase()}${core.slice(1)}`;
  return /^(?:\w+ )?been /.test(rest) ? `I've ${rest}` : `I ${rest}`;
}

const subjectless =
  /^(?:just |also |finally |recently )?(?:lost|got|started|went|had|been|moved|bought|sold|quit|finished|signed|booked|took|made|joined|adopted|found|became|left|met|won|broke|applied|switched|stopped|gave|love|prefer|hate|live|work|need) /i;

/** The same for more verbs, where every sentence of a person is kept: "Gonna continue my course", "Researching adoption agencies". */
export function withImpliedSubject(sentence: string, speaker: Speaker): string {
  const full = withSubject(sentence, speaker, "en");
  if (full !== sentence || speaker.role !== "person") return full;
  const rest = `${sentence.slice(0, 1).toLowerCase()}${sentence.slice(1)}`;
  if (/^(?:gonna|planning|trying|thinking) /iu.test(sentence))
    return `I'm ${rest.replace(/^gonna/i, "going to")}`;
  const firstClause = sentence.split(/ ?[-–—,;]+ /, 1)[0] ?? sentence;
  const isDoing = doing.test(sentence) && !finite.test(firstClause) && !judging.test(sentence);
  return isDoing ? `I'm ${rest}` : full;
}

const doing =
  /^(?:(?:also|still|just|currently|now) )?(?!during|nothing|something|everything|anything|morning|evening|according|including|regarding|being|having|amazing|interesting|loving|missing|speaking|seeing|knowing|considering)\p{Ll}*\p{L}{2,}ing (?=\p{L})/iu;
const judging = new RegExp(
  `^(?:(?:also|still|just|currently|now) )?(?:${feelings}|\\p{L}+ (?:but|and|that|to|for))(?!\\p{L})`,
  "iu",
);
const finite =
  /(?<!\p{L})(?:is|are|was|were|can|will|would|could|has|had|makes?|made|helps?|helped|brings?|gives?|feels?|takes?|keeps?|means?|reminds?|seems?|looks?|sounds?|works?)(?!\p{L})|\p{L}['’](?:s|re|ll|d)(?!\p{L})/iu;

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

/** The statement without a question to the listener: "My landlord allows no pets, remember?" */
export function withoutTag(sentence: string): string {
  return sentence.replace(tag, ".");
}

/** The statement without a trailing comment: "My landlord allows no pets, remember?" */
export function withoutTrailingComment(sentence: string): string {
  return withoutTag(sentence).replace(verdict, ".");
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

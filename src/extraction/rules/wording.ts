// Owns the words of a memory: a sentence without marks, in the third person, dated where it would not be understood later. Must never
// add what the sentence does not say.

import type { Language } from "./lexicon/language.ts";
import { lexicons } from "./lexicon/lexicons.ts";
import { inThirdPerson } from "./perspective.ts";
import type { Speaker } from "./speakers.ts";
import { turn } from "./turning.ts";

/** `said`: milliseconds since 1970 where the sentence needs the day ("tomorrow"), else null. */
export function toContent(
  sentence: string,
  speaker: Speaker,
  language: Language,
  said: number | null,
): string {
  const plain = sentence
    .replace(lexicons[language].fillers, "")
    .replace(/[\s\p{Extended_Pictographic}]+$/u, "");
  const core = withSubject(plain, speaker, language);
  const name = speaker.name ?? "the user";
  const group = speaker.role === "unknown" && !household.test(core) ? "the team" : name;
  const content =
    language === "en"
      ? inThirdPerson(core, { speaker: name, group, addressee: speaker.addressee })
      : inOwnWords(core, language, speaker);
  return said === null ? content : `${content} (said on ${new Date(said).toISOString().slice(0, 10)})`;
}

/** Of what a team has none. */
const household =
  /\b(?:dogs?|cats?|puppy|kitten|pets?|kids?|child(?:ren)?|sons?|daughters?|baby|married|engaged|pregnant|honeymoon|flat|apartment|family|vacation|holidays?)\b/i;

/** "Lost my job." says "I" without the word. */
function withSubject(core: string, { role }: Speaker, language: Language): string {
  if (role !== "person" || language !== "en" || !subjectless.test(core)) return core;
  return `I ${core.slice(0, 1).toLowerCase()}${core.slice(1)}`;
}

const subjectless =
  /^(?:just |also |finally |recently )?(?:lost|got|started|went|had|been|moved|bought|sold|quit|finished|signed|booked|took|made|joined|adopted|found|became|left|met|won|broke|applied|switched|stopped|gave|love|prefer|hate|live|work|need) /i;

/** Where the verb cannot be turned safely, who speaks is put in front, if somebody speaks of themselves. */
function inOwnWords(core: string, language: Exclude<Language, "en">, { name, role }: Speaker): string {
  const { firstPerson, firstPlural, user } = lexicons[language];
  const turned = turn(core, language, name ?? user);
  if (turned !== null) return turned;
  const speaks = firstPerson.test(core) && (role === "person" || !firstPlural.test(core));
  const text = core.replace(/^\p{Ll}/u, (letter) => letter.toUpperCase());
  return speaks ? `${name ?? user}: ${text}` : text;
}

/** The text without the marks of Markdown, on one line. */
export function withoutMarkup(sentence: string): string {
  return sentence
    .replace(/\s+/g, " ")
    .replace(/\s\[[^\]]{1,200}\]$/, "")
    .replace(/!?\[([^\]]{1,200})\]\([^)]{1,300}\)/g, "$1")
    .replace(/\*\*|__|(?<![\p{L}\p{N}])[*_]|[*_](?![\p{L}\p{N}])/gu, "")
    .trim();
}

// Owns whether an English sentence can be understood without the sentences before it: whether it names everything that "it", "them" or
// "there" refers to. Must never read another sentence.

import { words } from "./lexicon/lexicon.ts";
import { isVerb } from "./verbs.ts";

/** Pronouns by what they refer to: one thing, several, or a person. */
const pronouns: ReadonlyMap<string, "thing" | "several" | "person"> = new Map([
  ...["it", "its", "mine", "ours", "yours"].map((word) => [word, "thing"] as const),
  ...["they", "them", "their", "theirs"].map((word) => [word, "several"] as const),
  ...["he", "she", "him", "her", "his", "hers"].map((word) => [word, "person"] as const),
]);
/** Demonstratives without a noun, which refer to something. */
const pointing =
  /(?<![\p{L}'’-])(?:this|these|those|(?:of|about|with|for|like|to|on|in|through|without|over|do|did|love|loved|see|know|said|want|need) that|(?:been|have|had|got|get|need|want|buy|bought|make|made|use|find|found|took|take|keep|each) one|ones)(?=\s*(?:[.,;!?…)]|$|['’]?(?:cause|because|since|too|for|in|at|on|as|last|now|soon|already|and|but|or|so|to|when|while|if|is|are|was|were|will|can|that|who|which)(?!\p{L})))/iu;
/** Demonstratives with a noun that refer to something mentioned or shown before. Periods such as "this week" are clear. */
const shown =
  /(?:(?<![\p{L}'’-])(?:this|these|those)|(?:^|(?<!\p{L})(?:of|about|with|for|in|at|on|from|to|like|love|made|did|do) )that) (?!(?:\p{L}+ )?(?:time|day|week|weekend|month|quarter|year|morning|afternoon|evening|night|spring|summer|autumn|fall|winter|christmas|easter|season|sprint|semester|term|century|\p{L}+day|days|weeks|months|years|january|february|march|april|may|june|july|august|september|october|november|december)(?!\p{L})|way|much|far|is|was|are|were|i|we|he|she|it|they|you|who|with)\p{Ll}{2,}/iu;
/** A sentence without a subject: "Reminds me of home", "Turns out she left". */
const withoutSubject =
  /^(?:just |always |really |still |never |only )?(?:reminds|makes|helps|means|gives|feels|looks|sounds|says|takes|keeps|brings|shows|turns out (?:he|she|it|they)|depends|works|happens|seems|gets|goes|tastes|smells|beats|brought|made it|reminded|helped|gave me)(?!\p{L})/iu;
/** A missing destination or activity: "I go there", "Three times a week". */
const goesSomewhere =
  /^(?:about |only |just |usually )?(?:once|twice|\p{L}+ (?:times|days|hours)) (?:a|per|every) |(?<!\p{L})(?:go|goes|going|been) (?:(?:a few|\p{L}+) times a \p{L}+[.!]|often|much|regularly|rarely|sometimes|once|twice|a lot|too|again|alone|together)(?!\p{L})/iu;
/** A comparison with something that is not named. */
const likeWhat =
  /(?<!\p{L})(?:(?:something|anything|somewhere) (?:similar|like (?:that|it|this))|(?:the )?same(?: thing)?(?=[.!]|$)|similar (?:things?|ones?|stuff|issues|feelings?|situations?|experiences?)|(?:was|were|am|be) there(?= (?:to|for|with|when|in)|[.!]))(?!\p{L})/iu;
/** "There" after one of these verbs is a place that was named before. */
const elsewhere =
  /(?<!\p{L})(?:go|goes|going|went|gone|been|get|got|live|lived|move|moved|moving|work|worked|stay|stayed|study|studied|arrived) (?:back )?there(?!\p{L})/iu;
const tokens = /[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu;
/** Words that do not name a thing or a person. */
const empty = words(
  `yup yep nope nah aww i me my mine myself we us our you your yourself a an the and or but so then than that this these those which
   who what when where while if because cause since as at in on for with from to of by about after before until till through during without between under over into
   out up off down back away around together again now today yesterday tomorrow tonight always never often still just also really very
   too quite pretty much many more most some any no not only even ever already recently finally actually once twice soon later lately
   is are was were am be been being has had have do does did will would can could should must may might im ive good great nice happy
   glad proud sad excited amazing new old little big last next first here there well all both each every lot lots kind bit one hard
   yes yeah oh wow well ok okay hey like able glad thanks please maybe going getting doing making having trying using loving`,
);
/** Plural nouns without "s", and nouns that "they" can refer to. */
const several = words(
  `people kids children men women folks parents team family group crew staff band club company police everyone everybody someone
   somebody anyone nobody person child friend kid student colleague neighbour neighbor partner client customer landlord`,
);

/** Whether a sentence of a conversation refers to something that it does not name. */
export function hasUnresolvedReference(sentence: string): boolean {
  /** Position of the first word of each kind. */
  const namedAt = { thing: Infinity, several: Infinity, person: Infinity };
  const name = (kind: keyof typeof namedAt, index: number) => {
    namedAt[kind] = Math.min(namedAt[kind], index);
  };
  for (const { 0: word, index } of sentence.matchAll(tokens)) {
    const lower = word.toLowerCase().replace("’", "'");
    const base = lower.replace(/'.*$/, "");
    const kind = pronouns.get(base);
    if (kind !== undefined) {
      // "I go by she/her."
      if (sentence[index - 1] === "/" || sentence[index + word.length] === "/") continue;
      if (namedAt[kind] > index && !(base === "it" && isImpersonal(sentence.slice(index, index + 40))))
        return true;
    } else if (!empty.has(base)) {
      const isName = index > 0 && /^\p{Lu}/u.test(word);
      const isSeveral = several.has(base) || (/[^s]s$/.test(base) && base.length > 3);
      if (isSeveral || /^(?:two|three|four|five|six|\d+)$/.test(base)) name("several", index);
      if (isName || !(isVerb(base) || /(?:ing|ly|ed)$/.test(base))) {
        name("thing", index);
        name("person", index);
      }
    }
  }
  const pointed = pointing.exec(sentence);
  if (
    pointed !== null &&
    namedAt[/(?:these|those|ones)$/i.test(pointed[0]) ? "several" : "thing"] > pointed.index
  )
    return true;
  if (withoutSubject.test(sentence) || goesSomewhere.test(sentence) || likeWhat.test(sentence)) return true;
  const there = elsewhere.exec(sentence);
  return there !== null && !/\p{L} \p{Lu}|\bthe \p{Ll}/u.test(sentence.slice(0, there.index));
}

/** The sentence without a trailing clause such as ", so ...", which only comments on it. */
export function mainClause(sentence: string): string {
  return (
    sentence.split(/,? [-–] |; |, (?:so|and|but|because|'cause|since|which)(?!\p{L})/u, 1)[0] ?? sentence
  );
}

/** Whether the sentence is about something that was shown or mentioned before: "this painting", "that class". */
export function hasDemonstrativeReference(sentence: string): boolean {
  return shown.test(mainClause(sentence));
}

/** Impersonal "it", which refers to nothing: "It is raining", "it takes an hour". */
function isImpersonal(rest: string): boolean {
  return /^it(?:['’]s| is| was)? (?:rains?|raining|snows?|snowing|takes?|took|was agreed|was decided|(?:not )?(?:allowed|forbidden|required)|(?:hard|easy|important|best|better|easier|time) (?:to|for|that))/i.test(
    rest,
  );
}

// Owns how much an English sentence of a conversation says about persons, things, plans and events. Must never judge what it says.

import { englishExclusions, feelings } from "./lexicon/en-exclusions.ts";
import { words } from "./lexicon/lexicon.ts";
import type { Speaker } from "./speakers.ts";

/** Words that name nothing: functions of grammar, and verbs that need an object. */
const grammar = words(
  `a an the this that these those here there it its he she him her his hers they them their theirs i me my mine myself we us our ours ourselves you your
   yours yourself and or but so because cause since if when while as than then though although however too also just only even still yet already again
   ever never always often sometimes usually now today soon later lately recently once twice much many more most some any no not all each every
   both such very really quite pretty in on at of to for from by with about into onto over under out up off down back away around through during
   without between like is are was were am be been being has have had having do does did doing done will would can could should must may might
   shall get gets got getting go goes going gone went come comes came coming make makes made making take takes took taking taken give gives gave giving given
   keep keeps kept keeping let lets put say says said tell tells told know knows knew think thinks thought thinking see sees saw seen seeing look looks looked looking
   feel feels felt feeling seem seems want wants wanted need needs needed try tries tried trying find finds found mean means meant help helps helped helping
   hope hopes hoping guess believe agree wish love loves loved loving like likes liked enjoy enjoys enjoyed appreciate care cares happen happens happened
   gonna wanna gotta what which who whom whose where why how one ones other others another same own well able sure yes yeah ok okay
   s t m d ll re ve isn aren wasn weren don doesn didn can't won couldn wouldn shouldn haven hasn hadn`,
);
/** Words of judgements, of encouragement and of what cannot be seen: they are said of everything. */
const abstract = words(
  `thing things something anything everything nothing someone anyone everyone everybody people way ways lot lots bit kind kinds sort time times day days moment moments
   part point idea fact reason sense life world place stuff guys person words word thanks thank please maybe perhaps best better worse worst good bad big little small new old
   right wrong true real important hard easy difficult possible different whole full ready worth enough far long first last next super totally definitely absolutely truly
   hear hearing heard talk talking chat glad thankful blessed lucky proud honor support supportive journey experience experiences memory memories passion passionate dream dreams joy joyful
   happiness hopes strength strong courage brave inspiration inspire inspires inspired inspiring difference impact progress challenge challenges challenging success growth grow
   kindness connection connect creativity creative motivation motivated motivating energy effort efforts potential goal goals opportunity opportunities positive positivity
   attitude mind heart soul spirit feelings emotions emotion peace peaceful calm calming relax relaxing stress fun funny reminder remind reminds push stay stays bring brings brought
   change changes future luck forward together closer excitement appreciation gratitude vibe vibes learn learned beauty bond fulfilling meaningful comfort comforting encouragement
   cherish believing keep up hang wait crazy wild sounds sound must always share sharing shared work working works worked start started starting chance`,
);
const judgement = new RegExp(`^(?:${feelings})$`, "iu");
const tokens = /[\p{L}\p{N}]+(?:[-][\p{L}\p{N}]+)*/gu;
const firstPerson = /(?<!\p{L})(?:i|my|mine|me|myself|we|our|us|ours)(?!\p{L})/iu;
const secondPerson = /(?<!\p{L})(?:you|your|yours|yourself|ya|u)(?!\p{L})/iu;
/** "You're doing ...", "Your paintings are ...", "Glad you ...", "Love your ...". */
const aboutOther = /^(?:[^,]{0,30}, )?(?:\p{L}+ ){0,4}?(?:you|your|yours)(?!\p{L})/iu;
/** What the speaker feels about the other one: "I'm so proud of you", "I wish you luck". */
const feltForOther =
  /^i(?:['’]m| am|['’]ll|['’]d)? (?:\p{L}+ ){0,3}?(?:proud|happy|glad|stoked|excited|sorry|grateful|thankful|wish(?:ing)?|root(?:ing)?|hop(?:e|ing)|love|like|appreciate|admire|bet|see|know|understand|agree|keep|sure|here|support|believe)(?!\p{L}).{0,80}(?<!\p{L})(?:you|your|ya)(?!\p{L})/iu;
/** General truths: "Taking care of yourself is important", "It's great to ...". */
const general =
  /^(?:(?:and|but|so|because|plus|also),? )?(?:let['’]s |let us |dear |sorry |maybe |perhaps |hopefully |not sure |no idea |keep |take a look|check |look at |our (?!\p{L}+ (?:was|were|is|are) (?:in|at|on|born|from))\p{L}+ (?:can|is|are|will|make) |by \p{L}+ing [^,]{1,60}, we |\p{L}+ing(?!\p{L})[^,]{0,60}? (?:is|are|can|makes?|helps?|brings?|gives?)(?!\p{L})|it(?:['’]s| is| can be| feels| takes) (?:(?!an? |the |in |at |on |from |called |made )|(?:a|an|the) (?:\p{L}+ )?(?:way|feeling|reminder|journey|time|thing|honou?r|blast|joy|pleasure|shame|pity|part of))|there(?:['’]s| is) (?:nothing|something|no)|life |nothing |everyone |everything |people |we (?:all|can|could|should|need to|must|got this|['’]ll)(?!\p{L}))/iu;

/** The words that name something, in small letters, each once. `names`: of the speakers. */
export function contentWords(sentence: string, names: ReadonlySet<string>): string[] {
  const found = new Set<string>();
  for (const [word] of sentence
    .replaceAll("’", "'")
    .replace(/'\p{L}{1,2}(?!\p{L})/gu, "")
    .matchAll(tokens)) {
    const lower = word.toLowerCase();
    const isEmpty = grammar.has(lower) || abstract.has(lower) || names.has(lower) || judgement.test(lower);
    if (!isEmpty && (lower.length > 1 || /\d/.test(lower))) found.add(lower);
  }
  return [...found];
}

/** Least number of content words. */
const leastContent = 2;

/** What somebody does or has done, which one more word makes a statement: "We made pizza." */
const doing =
  /^(?:\p{L}+,? ){0,2}?(?:i|we)(?:['’](?:m|re|ve)| am| are| have)?(?: (?:just|also|all|both|even|finally|recently|off|to|currently|now))* (?:(?:do not|don['’]t) (?:have|own|drive|drink|eat|smoke)|(?:looking|searching|applying) for|adopted|ate|baked|bought|built|cooked|did|do|doing|drove|finished|flew|got|had|joined|made|making|met|moved|painted|played|playing|ran|read|reading|rode|saw|signed|sold|started|studied|studying|swam|taking|taught|teach|teaching|took|tried|trying|visited|visiting|volunteered|volunteering|walked|watched|went|won|work|working|wrote)(?!\p{L})/iu;

/** Whether the sentence states something about a person, a thing, a plan or an event. */
export function saysSomething(sentence: string, { addressee }: Speaker, names: ReadonlySet<string>): boolean {
  const isOwn = firstPerson.test(sentence);
  if (addressee !== null && (aboutOther.test(sentence) || feltForOther.test(sentence))) return false;
  if (!isOwn && (general.test(sentence) || secondPerson.test(sentence) || isSmallTalk(sentence)))
    return false;
  return contentWords(sentence, names).length >= (doing.test(sentence) ? 1 : leastContent);
}

function isSmallTalk(sentence: string): boolean {
  return englishExclusions.smallTalk.some((pattern) => pattern.test(sentence));
}

// Owns the states of persons and things, and the events that end each: "Ana is looking for a job." until "Ana was hired". English only.

/** A state in the older statement, and what ends it in the newer one. Words of the state's group `x` must be in the newer statement. */
export interface Transition {
  readonly state: RegExp;
  readonly event: RegExp;
  /** What both must be about: the person or thing, or also the other words of the state, such as those of an application that is pending. */
  readonly about?: "the subject" | "its matter" | "its matter, if any";
}

const animals = "dog|puppy|cat|kitten|rabbit|hamster|parrot|horse|goldfish|turtle|guinea pig|canary|snake";
const settled =
  "granted|approved|rejected|denied|declined|accepted|fixed|closed(?! (?:an?|the) )|resolved|merged|completed|finished|done|decided|filled|hired|delivered|arrived|signed|paid|shipped|released|published|handed in|submitted|confirmed|passed|launched|turned in|sent|booked|solved|settled|repaired|installed|available|added|supports?|support for";

/** "On the way" and "off to the gym" are no states of a switch. */
const aside = "(?! (?:the|an?|to|his|her|their|its|call|holiday|vacation|track|time|port|sale|\\p{Lu}))";

/** States of which a thing has one. */
const opposites: readonly (readonly [one: string, other: string])[] = [
  [
    `enabled|switched on|turned on|on${aside}|active`,
    `disabled|switched off|turned off|off${aside}|inactive`,
  ],
  ["public|open source", "private|closed source"],
  ["required|mandatory|compulsory|obligatory", "optional|voluntary"],
  ["allowed|permitted", "forbidden|prohibited|banned|not allowed"],
  ["manual", "automatic|automated"],
  ["experimental|in beta|in alpha", "stable|final|generally available"],
  ["free|free of charge", "paid|charged"],
  ["full|fully booked|sold out", "available again|in stock"],
  ["locked", "unlocked"],
  ["open", "closed|shut"],
  ["online", "offline|in person|on site"],
  ["empty", "full|occupied|rented out|let"],
];

function opposite(one: string, other: string): Transition {
  const now = "(?:is|are|was|were|been|became|made|turned|went)";
  return {
    state: new RegExp(
      `(?:is|are|stays?|remains?) (?:still |always )?(?:${one})(?!\\p{L}| \\p{Ll}+ (?:source|minded))`,
      "u",
    ),
    event: new RegExp(`${now} (?:\\p{L}+ly )?(?:${other})(?!\\p{L})`, "u"),
  };
}

export const transitions: readonly Transition[] = [
  {
    state:
      /(?<!\p{L})(?:looking|searching|applying) for (?:an? )?(?:new )?(?:job|work|position)|unemployed|out of work|between jobs|job[- ]hunting|jobless/u,
    event:
      /(?:found|got|accepted|landed|started|took|has) (?:an? )?(?:new )?(?:job|position|work)|(?:was|got|been) hired|started working/u,
  },
  {
    state:
      /(?<!\p{L})(?:works|is working|is employed)(?! (?:on|out|towards|through)(?!\p{L}))(?!\p{L})|has a job/u,
    event:
      /(?:was|were|got|has been|been) (?:laid off|fired|dismissed|made redundant)|lost (?:the|his|her|their) job|(?:has |have )?retired(?! from (?:the )?(?:board|committee|team))|is (?:now )?(?:unemployed|out of work)|went into retirement/u,
  },
  {
    state:
      /(?<!\p{L})(?:student|studies|is studying|attends (?:university|college|school)|pupil|apprentice|trainee)(?!\p{L})/u,
    event:
      /graduated(?! from (?:driving|primary|elementary|middle|dance|cooking|sailing) school)|dropped out|finished (?:(?:his|her|their|the) )?(?:degree|studies|school|university|college|apprenticeship|training)|completed (?:his|her|their|the) (?:degree|studies|apprenticeship|training)|got (?:his|her|their|the) (?:degree|diploma)/u,
  },
  {
    state: /(?:has|have) no (?:children|kids)|childless|without children/u,
    event:
      /(?:became|has become|is now) (?:the |an? )?(?:proud )?(?:mother|father|parent|mum|mom|dad)|gave birth|had (?:an? |the |her |his |their )?(?:baby|son|daughter|twins|child|first)|adopted (?:an? )?(?:child|baby|boy|girl|son|daughter)|(?:child|baby|son|daughter|twins) (?:was|were) born/u,
  },
  {
    state: /(?:has|have) (?:one|two|three|four|an?|\d) (?:child|children|kids?|sons?|daughters?)(?!\p{L})/u,
    event:
      /(?:second|third|fourth|fifth|another|new) (?:child|baby|son|daughter).* born|gave birth|had (?:another|an? (?:second|third|fourth)) (?:child|baby|son|daughter)|(?:children|kids|child) now/u,
  },
  {
    state: /(?<!\p{L})(?:is )?pregnant|expecting (?:an? )?(?:baby|child|twins)/u,
    event:
      /gave birth|(?:baby|child|son|daughter|twins) (?:was|were) born|had (?:her|the|an?) (?:baby|son|daughter|twins)|became (?:a |the )?mother/u,
  },
  {
    state: new RegExp(
      `(?:has|have|owns?) (?:an? |two |three |the )?(?:\\p{L}+ ){0,2}?(?<x>(?:${animals})(?: (?:called|named) \\p{Lu}\\p{L}+)?)`,
      "u",
    ),
    event: /died|passed away|put (?:down|to sleep)|ran away|rehomed|gave .* away|given away|had to be put/u,
  },
  {
    state: /allergic to (?<x>[^,]+)|has an? (?<y>[^,]+?) allergy|cannot (?:eat|tolerate) (?<z>[^,]+)/u,
    event:
      /(?:no longer|not) allergic|free of|outgr(?:ew|own)|allergy (?:is|has|was) (?:gone|cured|over|disappeared)|cured of|can (?:now )?(?:eat|tolerate)|tolerates/u,
  },
  {
    state:
      /(?:does not|doesn't|do not|don't) (?:have|own) (?:an? |any )?(?<x>[^,]+)|(?:has|have|owns|owned?) no (?<y>[^,]+)|(?:is|are) without (?:an? )?(?<z>[^,]+)/u,
    event:
      /bought|purchased|acquired|adopted|leased|received|was given|were given|got (?:an?|the|his|her|their)|(?:now|finally) (?:has|have|owns?)|supports?|runs on|was added|were added|added|introduced|installed/u,
  },
  {
    state:
      /(?<!\p{L})(?:pending|open|unresolved|in progress|under review|awaiting|waiting for|undecided|vacant|unfilled|unpaid|unfinished|incomplete|not (?:yet )?(?:ready|done|decided|finished|complete|completed|approved|signed|merged|released|available|confirmed|paid|published|settled|installed|booked)|has not|have not|hasn't|haven't|still being|not yet|missing)(?!\p{L})/u,
    event: new RegExp(`(?<!\\p{L}|not (?:yet )?(?:been )?)(?:${settled})(?!\\p{L})`, "u"),
    about: "its matter",
  },
  {
    state:
      /(?<!\p{L})(?:too (?:high|low)|elevated|broken|out of order|ill|sick|injured|in (?:the )?hospital|on (?:\p{L}+ )?leave|in the workshop|sprained|infected|unavailable|offline|failing|flaky|blocked|frozen|down|defective|damaged|leaking|jammed)(?!\p{L})/u,
    event:
      /back to normal|(?:is|are|was|were|been) (?:normal|repaired|fixed|replaced|unblocked|restored|healthy|discharged|stable|fine)|recovered(?! (?:the|an?|his|her|their|all|some) )|healed|works? again|working again|back (?:at|in|from|on|online)|came (?:back|home)|returned|is over|came home|(?:is|are) (?:up|online|available) again/u,
    about: "its matter, if any",
  },
  {
    state:
      /shares (?:an?|the) (?:flat|apartment|house|room)|(?:lives|living) with|(?:has|have) .*(?:roommates?|flatmates?|housemates?)/u,
    event: /lives? (?:now )?(?:alone|on (?:his|her|their) own|by (?:him|her)self)|living alone|moved out/u,
  },
  {
    state: /(?:lives|living) (?:alone|on (?:his|her|their) own)/u,
    event: /moved in with|shares (?:an?|the) (?:flat|apartment|house)|lives (?:now )?with/u,
  },
  {
    state:
      /(?:is|are) (?:(?:the|an?) )?(?<x>on call|captain|chair|president|head|lead|leader|manager|owner|maintainer|treasurer|secretary|coach|host|moderator|organi[sz]er)(?!\p{L})/u,
    event:
      /stepped down|stepped back|resigned|was (?:replaced|succeeded|voted out)|handed (?:it |the \p{L}+ )?over|passed (?:it|the \p{L}+) (?:on )?to|swapped/u,
  },
  {
    state:
      /(?:is|are) (?:abroad|overseas|away|travell?ing|on (?:holiday|vacation|sabbatical|tour|strike))(?!\p{L})/u,
    event: /(?:is|are) (?:back|home)|came (?:back|home)|returned|strike (?:is|was) (?:over|ended)/u,
  },
  ...opposites.flatMap(([one, other]) => [opposite(one, other), opposite(other, one)]),
  { state: /part-time|half-time/u, event: /full-time/u },
  { state: /full-time/u, event: /part-time|half-time|reduced (?:his|her|their) hours/u },
  {
    state: /(?:rents|is renting|lives in a rented)/u,
    event:
      /bought (?:an?|the|his|her|their) (?:\p{L}+ )?(?:flat|apartment|house|home)(?= (?:in|on|near|at|with|for|from|of|last|this|and)(?: |$)|,|$)/u,
  },
  {
    state:
      /(?:has|have|holds) (?:an?|the) (?<x>[^,]*?(?:visa|licen[cs]e|passport|certificate|membership|subscription|ticket|warranty|permit))/u,
    event: /expired|ran out|was (?:revoked|cancelled|withdrawn)|lost (?:his|her|their|the)|cancelled/u,
  },
];

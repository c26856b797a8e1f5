// Owns the English words of lasting life events: births and losses, homes, jobs and degrees, illnesses, habits.

import { type Cue, certain, likely, phrases } from "./lexicon.ts";

const illness =
  "allergy|allergies|asthma|diabetes|disease|disorder|syndrome|cancer|epilepsy|dementia|alzheimer's|parkinson's|arthritis|autism|adhd|dyslexia|migraines|depression|anemia|tinnitus|hay fever|insomnia|celiac|coeliac|slipped disc|stroke|heart attack|surgery|operation|burnout|miscarriage|concussion|intolerance";
const possession =
  "job|role|position|offer|place|degree|diploma|licen[cs]e|visa|citizenship|scholarship|grant|award|prize|medal|promotion|tattoo|diagnosis|internship|residency|contract|mortgage|dog|puppy|cat|kitten|horse|car|van|bike|house|flat|apartment|cottage|stove|piano|guitar";
const project =
  "restoring|renovating|rebuilding|building an?|writing (?:a|my)|renting|dating|seeing an?|raising|fostering|adopting|learning|studying|switching (?:to|from)|going back to|moving (?:to|in|out|back)|quitting|retiring|training (?:for|to|as)|applying (?:for|to)|volunteering|saving (?:up )?for|expecting|hosting|organi[sz]ing (?:the|our|a)|running for|directing|keeping the|getting (?:married|divorced)|having (?:\\w+ )?(?:surgery|an operation|a baby|twins)|on parental leave";
const time =
  "day|week|month|year|night|morning|afternoon|evening|weekend|spring|summer|autumn|fall|winter|(?:mon|tues|wednes|thurs|fri|satur|sun)day";
/** Verbs of feelings and thoughts, which make no habit. */
const inward =
  "miss|misses|think|thinks|love|loves|dream|dreams|wonder|cry|feel|feels|worry|learn|grow|changes|get better|gets better|smile";

export const englishLifeEvents: readonly Cue[] = [
  certain(
    "change",
    phrases(
      "(?:i|we|\\p{Lu}\\w+)(?: \\w+ly| just| also| only| finally)? (?:passed|failed) (?:my|our|the|his|her|their) (?:[\\w-]+ ){0,4}?(?:test|exam|exams|finals|course|interviews?|bar|audition)",
      `(?:i|we)(?: just| also| finally)? (?:got|won|earned|received|bought|inherited|built) (?:the|an?|my|our|first|second|third) (?:[\\w-]+ ){0,3}?(?:${possession})(?! (?:of|back|ready|cleaned|washed|fixed))`,
      "(?:i|we) (?:got|won) (?:first|second|third) (?:place|prize)",
      "(?:i|we)(?: just| also| finally)? (?:took up|gave up|gave notice|handed in (?:my|our) notice|dropped out|broke up|split up|got (?:engaged|married|divorced|promoted|hired|fired|laid off|accepted)|came out|signed (?:the|our|my)|raised (?:my|our)|named (?:him|her|our|my)|started (?!to feel|crying|laughing|thinking|looking|wondering|feeling|getting)\\w+ing)",
      "(?:finished|completed|defended|published|released|recorded|submitted) (?:my|our) (?:first |second |third |last |new )?(?:[\\w-]+ ){0,2}?(?:novel|book|thesis|dissertation|degree|course|album|film|movie|screenplay|script|marathon|studies|training|apprenticeship|phd|master's|diploma|song|game|report|paper)",
      "celebrated (?:my|our) (?!team|win)(?:\\w+ ){0,2}?(?:anniversary|wedding|graduation|engagement)",
      "(?:ran|finished|completed|did) (?:my|our) (?:first |second )?(?:half )?(?:marathon|triathlon|ultra|10k|5k)",
      "(?<!(?:phone|battery|laptop|computer|car|engine|conversation|chat|plant|tablet|charger) )(?:died|passed away|was diagnosed with|were diagnosed with|had a miscarriage)(?! (?:of laughter|laughing))",
      "(?:was|were) born (?:on|in|at|last|this|three|two|a)",
      "turn(?:s|ed|ing) (?:\\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|sixteen|eighteen|twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)",
      "start(?:s|ed) (?:\\w+ )?(?:school|college|university|kindergarten|nursery|secondary|primary|day care)",
      `(?:i'm|i am|we're|we are|\\p{Lu}\\w+ is) (?:also |now |still |currently |finally )?(?:${project})`,
      "i became an? \\w+",
      "(?:was|were|been|got) (?:made redundant|laid off|fired|let go|stolen|burgled|robbed|evicted|awarded|knighted|drafted|expelled)",
      "(?:gave away|proposed to|gave (?:me|us) (?:the|a|an) \\p{Lu})",
      "(?:is|are) (?:selling|renovating|demolishing|rebuilding) (?:the|our|my|his|her|their)",
      "had my (?:\\w+ ){1,3}?(?:out|removed|replaced|operated)",
      "been (?!waiting|thinking|meaning|trying|looking|dying|feeling|sitting|standing|wondering|wanting|raining|hoping|going|keeping|working on)\\w+ing (?:\\S+ ){1,6}?(?:since(?! then| we| our| you| that| i saw)|for (?:\\w+ )?years)",
      "(?:haven't|hasn't|have not|has not|have never|has never|'ve never) (?!heard|seen|talked|spoken|slept|been (?:so|this|more))(?:\\w+ ){1,5}?(?:since|in (?:years|ages)|for (?:years|\\d))",
    ),
  ),
  certain(
    "identity",
    phrases(
      `(?:i|my \\w+|\\p{Lu}\\w+) (?:also )?(?:has|have|had|suffers? from|lives? with) (?:\\w+ ){0,3}?(?:${illness})`,
      "(?:been|is|are) (?:really |so |very |still )?(?:scared|afraid|terrified|frightened) of (?!it|that|this|what|how|losing|you|me|him|her|them|being|the (?:future|unknown))\\w+",
      "(?:been|am|i'm|is|are) (?:\\w+ )?(?:sober|vegan|vegetarian|diabetic|widowed|divorced|estranged)(?: since| for|[.!]|$)",
      "gets? (?:\\w+ly |really |very )?(?:carsick|seasick|airsick|hives|nosebleeds|panic attacks)",
      "my (?:landlord|landlady|boss|school|university|doctor|company|employer|building|insurance|contract|diet|religion) (?:doesn't|does not|won't|only|never|always) \\w+",
      "(?:i'm|i am|i work as|i became) an? (?:[\\w-]+ ){0,3}?(?:nurse|midwife|vet|cook|surgeon|chef|lawyer|pilot|coach|student|dad|mum|mom|mother|father|parent)",
      "(?:i'm|i am) the (?!best|worst|king|queen|one|only|first|last|same|\\w+est)\\w+ (?:\\w+ )?(?:of|at|for) (?:our|the|my|a|an|\\p{Lu})",
      "do all (?:of )?my own \\w+ing",
      "i(?:'ve| have) had (?:my|an?|\\p{Lu}\\w+'s) .{2,40} since",
    ),
  ),
  certain("relation", phrases("\\p{Lu}\\w+ (?:does|runs|manages|handles) the \\w+")),
  certain(
    "state",
    phrases(
      `(?<!(?:${inward})(?: \\S+)? )(?:every|each) (?:other |second |single )?(?:${time})(?:s|(?= ))`,
      `(?:once|twice|(?:\\w+ )(?:times|days|evenings|nights|mornings|afternoons|weekends|hours)) (?:a|per|every) (?:${time})`,
      "(?:ride|cycle|walk|drive|commute|run|bike) (?:\\S+ ){0,3}?to (?:work|school|uni|university|college|the office)",
      "on (?:mon|tues|wednes|thurs|fri|satur|sun)days",
    ),
  ),
  likely(
    "change",
    phrases(
      "^(?:i|we|\\p{L}+ and i|(?:my|our) \\p{L}+(?: \\p{L}+)?)(?: just| also| finally| recently| even)? (?:reached|passed|visited|climbed|flew to|travell?ed to|went to|moved|ran|swam|cycled|hiked|performed|played|sang|competed|graduated|opened|met|sold|bought|won|adopted|joined|left|married|got)",
    ),
  ),
  likely(
    "state",
    phrases(
      "^i (?:still |also |mostly |mainly |now |only |usually |\\w+ly )?(?:translate|teach|climb|walk|coach|design|develop|edit|illustrate|paint|photograph|repair|restore|knit|sew|bake|brew|hike|surf|ski|ride|box|dance|skate|fish|farm|tutor|mentor|film|blog|stream|write|wear|keep|run|drive|fly)",
      "(?:wears|has worn|has had|has been|have been|'ve been|has lived|have lived|'ve lived|have known|'ve known|has worked|have worked|'ve worked|'ve had|have had) .{2,50} (?:since|for)",
    ),
  ),
];

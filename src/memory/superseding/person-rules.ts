// Owns the attributes of persons of which there is one at a time: where somebody lives and works, and the like. Pure.

import { habitRules } from "./habit-rules.ts";
import { person, type Rule, rule, toValue } from "./rule.ts";

const has = "(?:has |have )?";
const name = "\\p{Lu}.*?";
const numbers: Readonly<Record<string, string>> = {
  no: "0",
  a: "1",
  an: "1",
  one: "1",
  two: "2",
  three: "3",
  four: "4",
  five: "5",
  six: "6",
  seven: "7",
  eight: "8",
  nine: "9",
  ten: "10",
};
const roles =
  "(?:[\\p{L}-]+ ){0,4}?(?:engineer|developer|programmer|designer|manager|teacher|nurse|doctor|lawyer|architect|analyst|consultant|director|lead|head|cto|ceo|cfo|coo|scientist|researcher|student|accountant|chef|cook|driver|writer|editor|journalist|professor|lecturer|tutor|assistant|intern|officer|president|administrator|specialist|coordinator|supervisor|principal|baker|barista|electrician|plumber|carpenter|mechanic|pilot|photographer|translator|paramedic|surgeon|dentist|pharmacist|vet|veterinarian|librarian|representative|apprentice|trainee|freelancer|technician|owner|partner|captain|coach|trainer|waiter|waitress|cashier|secretary|recruiter|therapist|psychologist|therapist|firefighter|gardener|farmer|artist|musician|dispatcher|tester|owner|founder|chair|dean)(?: of [\\p{L} ]+)?";
const organisation =
  "(?!(?:January|February|March|April|May|June|July|August|September|October|November|December|Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)[a-z]*(?: |$))\\p{Lu}.*?";

const states: readonly (readonly [pattern: RegExp, state: string])[] = [
  [/single|broke up|split up/, "single"],
  [/divorced|separated/, "divorced"],
  [/widow/, "widowed"],
  [/engaged/, "engaged"],
  [/married|marries|tied the knot/, "married"],
  [/dating|in a relationship|seeing/, "in a relationship"],
];
const stateOf = (text = "") => states.find(([pattern]) => pattern.test(text))?.[1] ?? null;

export const personRules: readonly Rule[] = [
  // Where somebody lives.
  rule(
    `${person} (?:lives|resides|is living|is based|is located|has settled|settled) in (?<v>${name})`,
    "residence",
  ),
  rule(
    `${person} ${has}(?:moved|relocated|emigrated)(?: back| house| home| away| out)?(?: from (?<f>${name}))? to (?<v>(?!.* (?:team|department|group|squad|division|office)(?: |$))${name})`,
    "residence",
  ),
  rule(
    `${person} ${has}left (?<f>${name}) (?:to live in|to settle in|and moved to) (?<v>${name})`,
    "residence",
  ),
  rule(`${person} no longer lives in (?<f>${name})`, "residence"),
  rule(`${person} ${has}settled in (?<v>${name})`, "residence"),
  rule(`[Hh]ome for ${person} is (?<v>${name})`, "residence"),
  // Which part of the week is spent where is said with days.
  rule(
    `${person} (?:works|is working|has been working|has worked) (?:fully |entirely |mostly |completely )?(?<v>remotely|from home|from the office|in the office|on site|on-site)(?!.* on \\p{Lu})(?: .*)?`,
    "place of work",
    ({ v = "" }) => (/office|site/.test(v) ? "office" : "home"),
  ),
  rule(`${person} (?:reports|is reporting) to (?<v>${name})`, "manager"),
  rule(
    `${person} ${has}(?:changed|switched|got a new) (?:(?:his|her|their) )?(?:phone |mobile )?number`,
    "phone number",
    () => "another one",
  ),
  rule(
    `${person} ${has}(?:changed|switched) (?<n>dentist|doctor|bank|gym|school|therapist|hairdresser|landlord|tutor|coach|insurer|provider)s(?: .*)?`,
    ({ n = "" }) => n,
    () => "another one",
  ),
  // Where somebody works, and as what.
  rule(
    `${person} (?:works|is working|is employed) (?:at|for|by|with) (?<v>${organisation})(?: as .+| in the .+| on .+)?`,
    "employer",
  ),
  rule(
    `${person} ${has}(?:started(?: a (?:new )?job| working| work)?|began(?: working| work)?|accepted a (?:new )?(?:job|position|role)|took a (?:new )?(?:job|position|role)|got a (?:new )?job|found a (?:new )?job|was hired|got hired|signed on)(?: as .+?)? (?:at|by|for|with) (?<v>${organisation})(?: as .+)?`,
    "employer",
  ),
  rule(
    `${person} ${has}joined (?<v>(?!.* (?:gym|club|choir|class|group|band|course|league|committee|team|board|community|channel|call|meeting|workshop)(?: |$))${organisation})(?: as .+)?`,
    "employer",
  ),
  rule(
    `${person} ${has}(?:left|quit|resigned from|switched jobs from|changed jobs from|switched from|moved from) (?<f>${organisation}) (?:for|to join|and joined|to work (?:at|for)|and (?:now )?works (?:at|for)|to) (?<v>${organisation})`,
    "employer",
  ),
  rule(
    `${person} (?:no longer works|stopped working|does not work|doesn't work) (?:at|for) (?<f>${organisation})(?: any ?more)?`,
    "employer",
  ),
  rule(
    `${person} ${has}(?:left|quit|resigned from|was laid off by|was laid off from|retired from) (?:(?:his|her|their) (?:job|position|role) (?:at|with) )?(?<f>${organisation})`,
    "employer",
  ),
  rule(
    `${person} (?:is employed|works|is working)(?: full-time)? as (?:an? |the )?(?<v>${roles})(?: (?:at|for|in|on) .+)?`,
    "job",
  ),
  rule(
    `${person} ${has}(?:was|been|got|gets|is) (?:promoted|appointed|made|named)(?: from (?<f>${roles}))?(?: to| as)? (?:an? |the )?(?<v>${roles})(?: (?:at|for|in|on) .+)?`,
    "job",
  ),
  rule(
    `${person} (?:is|${has}taken over as|took over as) (?:the )?(?<v>(?:deputy |acting )?(?:head|chief|director|president) of [\\p{Ll} ]+?)(?: (?:at|for|in|on) .+)?`,
    "job",
  ),
  rule(
    `${person} ${has}(?:became|become|is|took over as|taken over as) (?:an? |the )(?:new )?(?<v>${roles})(?: (?:at|for|in) .+)?`,
    "job",
  ),
  rule(
    `${person}'s (?:job title|title|job|position|role) (?:is|changed to|has changed to|was changed to) (?:an? |the )?(?<v>.+)`,
    "job",
  ),
  // School.
  rule(
    `${person} (?:studies(?: [\\p{Ll} ]+)?|is studying(?: [\\p{Ll} ]+)?|is enrolled|goes to (?:school|university|college)) (?:at|in) (?<v>${name})`,
    "school",
  ),
  rule(
    `${person} attends (?<v>(?:the )?${name}(?:School|University|College|Academy|High|Institute|Kindergarten).*)`,
    "school",
  ),
  rule(
    `${person} ${has}(?:transferred|changed schools|switched schools)(?: from (?<f>${name}))? to (?<v>${name})`,
    "school",
  ),
  rule(
    `${person} (?:studies|is studying|majors in|is majoring in) (?!(?:at|in|with|for|by|from|every|hard|a|the) )(?<v>[\\p{Ll} ]+)`,
    "subject of study",
  ),
  rule(
    `${person} ${has}(?:switched|changed)(?: (?:his|her|their) major)?(?: from (?<f>[\\p{L} ]+?))? to (?<v>[\\p{Ll} ]+?)(?: as (?:his|her|their) major)?`,
    "subject of study",
  ),
  // Family.
  rule(
    `${person} (?:is|has been|got|gets|was) (?<v>(?:happily |recently |newly )?(?:single|dating|engaged|married|divorced|separated|widowed|seeing|in a relationship).*)`,
    "relationship",
    ({ v }) => stateOf(v),
  ),
  rule(
    `${person}(?: and \\p{Lu}\\p{L}+)? ${has}(?<v>(?:broke up|split up|separated|divorced|married|tied the knot|got engaged|got married|got divorced).*)`,
    "relationship",
    ({ v }) => stateOf(v),
  ),
  rule(
    `${person} has (?<v>no|an?|one|two|three|four|five|six|seven|eight|nine|ten|\\d{1,2}) (?:small |young |adult |little |older |younger )?(?<n>children|kids|child|kid|sons?|daughters?|dogs?|cats?|siblings|brothers?|sisters?|grandchildren|grandchild|chickens?|horses?|rabbits?|roommates?|employees)(?: .*)?`,
    ({ n = "" }) => `number of ${plural(n)}`,
    ({ v = "" }) => numbers[v] ?? v,
  ),
  rule(
    `${person} (?:is|turned|has turned) (?<v>\\d{1,3})(?: years old| years of age)?(?: (?:in|on|last|this) .+)?`,
    "age",
  ),
  ...habitRules,
  // Cars, preferences.
  rule(`${person} drives (?:an? |the |his |her |their )?(?<v>.+?)(?: to work.*)?`, "car"),
  rule(
    `${person} ${has}(?:traded|swapped|replaced)(?: in)? (?:his|her|their|the|an?) (?<f>.+?) (?:for|with) (?:an? |the )?(?:new |used )?(?<v>.+)`,
    "car",
  ),
  rule(
    `${person}'s (?:new |current |all-time )?favou?rite (?<n>[\\p{L} -]+?) (?:is|are|changed to|has changed to|has become|became) (?<v>.+)`,
    ({ n = "" }) => `favourite ${n}`,
  ),
  rule(
    `${person} (?:prefers|likes|wants|loves|uses) (?:the )?(?<v>dark|light) (?:mode|theme)(?: .*)?`,
    "theme",
  ),
  rule(
    `${person} ${has}(?:switched|changed|went|reverted|returned)(?: back)?(?: from (?<f>dark|light) (?:mode|theme))? to (?:the )?(?<v>dark|light) (?:mode|theme)(?: .*)?`,
    "theme",
  ),
  rule(
    `${person} (?:prefers|wants|likes|asks for|expects|needs|gets) (?:all )?(?:answers|responses|replies|explanations)(?: to be)?(?: written)? in (?<v>\\p{Lu}\\p{Ll}+)(?: .*)?`,
    "language of answers",
  ),
  rule(
    `${person} (?:prefers|wants|likes|asks for) (?<v>short|brief|concise|long|detailed|longer|shorter|verbose|terse|thorough|formal|informal|casual)(?:,? (?:and )?[\\p{L}-]+)? (?:answers|responses|replies|explanations)(?: .*)?`,
    ({ v = "" }) => (/formal|casual/.test(v) ? "tone of answers" : "length of answers"),
    ({ v = "" }) => (/short|brief|concise|terse/.test(v) ? "short" : /formal|casual/.test(v) ? v : "long"),
  ),
  rule(
    `${person} prefers (?<v>[\\p{L}\\p{N} .-]+?) (?:to|over|rather than) (?<o>[\\p{L}\\p{N} .-]+?)(?: (?:for|in|when|because|at|as) .+)?`,
    ({ v = "", o = "" }) =>
      `preference of ${[v, o]
        .map((each) => toValue(each) ?? "")
        .toSorted()
        .join(" and ")}`,
  ),
];

function plural(noun: string): string {
  if (/^(?:child|children|kids?)$/.test(noun)) return "children";
  if (noun === "grandchild") return "grandchildren";
  return noun.replace(/s?$/, "s");
}

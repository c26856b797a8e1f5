// Owns the attributes of things, teams and projects of which there is one at a time: a deadline, a port, what is used for a purpose. Pure.

import { type Groups, type Rule, rule, thing, toValue } from "./rule.ts";

const heads =
  "deadline|due date|release date|launch date|start date|end date|expiry date|date|phone number|mobile number|number|phone|e-?mail(?: address)?|address|birthday|manager|boss|supervisor|mentor|landlord|doctor|dentist|therapist|coach|trainer|assistant|owner|maintainer|lead|leader|contact(?: person)?|point of contact|reviewer|approver|budget|price|cost|fee|rent|salary|limit|quota|timeout|port|version|URL|endpoint|host|hostname|domain|region|zone|branch|licen[cs]e|plan|tier|subscription|goal|target|weight|capacity|retention(?: period| time)?|TTL|interval|window|room|office|desk|team|provider|database|framework|test framework|language|editor|shell|theme|font|colou?r|nickname|username|handle|time ?zone|currency|model|priority|password|pronouns|car|laptop|computer|bank|gym|captain|treasurer|president|CEO|CTO|CFO|product owner|scrum master|vendor|supplier|package manager|formatter|linter|bundler|registry|runtime|line length|indentation|style|convention|frequency|size|duration|length|threshold|level|percentage|rate|share|score|headcount|sprint length|standup time|meeting time|time|day|slot|locker|seat|bike|phone plan|dosage|dose|medication|blood pressure|resting heart rate|personal best|record|savings goal|step goal|reading goal|roommate|neighbou?r|babysitter|tutor|teacher|vet|hairdresser|accountant|lawyer";
const changed =
  "(?:(?:is|are) (?:set |fixed |due )?(?:to |at |on )?|(?:was|were|has been|have been|is|got) (?:moved|changed|updated|pushed|postponed|extended|raised|lowered|reduced|increased|cut|set|switched|shifted|brought forward|bumped|rescheduled|delayed|shortened|upgraded|downgraded|renamed)(?: back| forward| up| down| out)?(?: from (?<f>.+?))? (?:to|until|till|at) |(?:changed|moved|slipped|shifted|rose|grew|increased|dropped|fell|decreased|went up|went down|switched)(?: back| forward)?(?: from .+?)? to |has (?:moved|changed|slipped|risen|grown|increased|dropped|fallen|switched)(?: from .+?)? to |became |has become )";
/** What is said about an attribute without giving it a value. */
const judgements =
  /^(?:very|too|so|quite|really|not|always|still|hard|tight|nice|kind|late|flexible|strict|high|low|important|unknown|open|missing|wrong|broken|full|good|bad|great|fun|easy|fine|okay|ok|correct|close|far|approaching|confirmed|fixed|being|under|near|here|there|clear|unclear|ready|busy|sick|ill|away|out|friendly|happy|unhappy|strong|weak|slow|fast|new|old|big|small|one|only|what|how|why|part|shared|available|used|required|optional|documented|stored|configurable|public|private|lovely|tiny|huge|expensive|cheap|generous|supportive|responsible|based|located|called from|next to|in the|on the|at the|with|for|by|about|from|of|like|more|less|enough|due|over|up|down|never)(?: |$)/i;

const days = "(?:every |each )?(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?";
const months = "(?:January|February|March|April|May|June|July|August|September|October|November|December)";
const clock = "(?:\\d{1,2}[:.]\\d{2}(?: ?[ap]m)?|\\d{1,2} ?[ap]m|noon|midnight)(?: [A-Z]{2,4})?";
const calendar = `(?:\\d{1,2}(?:st|nd|rd|th)?(?: of)? ${months}(?: \\d{4})?|${months} \\d{1,2}(?:st|nd|rd|th)?(?:,? \\d{4})?|\\d{4}-\\d{2}-\\d{2})`;
const moment = `(?:${days}|${clock}|${calendar})`;
const happens =
  "(?:go|goes|went) out|ships?|takes? place|happens?|meets?|is held|are held|is|are|runs?|starts?|begins?|ends?|is scheduled|are scheduled|opens?|closes?|is deployed|are deployed|is released|are released|is published|are published|launches|expires?|is due|are due|falls|occurs|lands?";

function kindOf(when: string): string {
  if (/day/i.test(when) && !/^\d/.test(when)) return "day";
  return new RegExp(`^${clock}`, "i").test(when) ? "time of day" : "date";
}

/** Alone, they are subjects: "the team switched to Go". */
const subjects =
  /(?:^| )(?:team|owner|manager|lead|doctor|dentist|teacher|coach|captain|president|provider|vendor|supplier|bank|gym|runtime|registry|database|car|bike|laptop|computer|phone|accountant|lawyer|tutor|vet|roommate|assistant|trainer)$/i;

/** "The deadline for the beta" and "The beta's deadline" are one attribute. */
function nameOf({ s = "", n = "", o = "" }: Groups): string | null {
  if (s === "" && o === "" && subjects.test(n)) return null;
  const head = n.toLowerCase().replace(/^(?:new|current|default|main|primary|official) /, "");
  const of = o.toLowerCase().replace(/^(?:the|our|this|its) /, "");
  return of === "" ? head : `${head} of ${of}`;
}

function purposeOf({ o = "" }: Groups): string | null {
  const purpose = toValue(o);
  return purpose === null ? null : `used for ${purpose.replace(/^(?:all|its|their|our|his|her) /, "")}`;
}

/** A name, a number, an address or a short term; no judgement. */
function givenValue({ v = "", n = "" }: Groups): string | null {
  const value = toValue(v);
  if (value === null || judgements.test(v)) return null;
  if (/^(?:an? )?[\p{Ll}]/u.test(v) && value.split(" ").length > 4 && !/\d/.test(v)) return null;
  const isPersonal =
    /manager|boss|supervisor|mentor|owner|maintainer|lead|leader|contact|doctor|dentist|coach|captain|ceo|cto/i.test(
      n,
    );
  return isPersonal && !/^(?:the |an? )?\p{Lu}/u.test(v) ? null : value;
}

const owned = `(?<s>(?:[\\p{L}\\p{N}][\\p{L}\\p{N}./_-]*)(?: [\\p{L}\\p{N}][\\p{L}\\p{N}./_-]*){0,4}?)'s?`;
const qualified = `(?<n>(?:[\\p{L}\\p{N}/-]+ ){0,3}?(?:${heads}))`;

/** "Eva is the captain of the club": an attribute of the club, not of Eva. Read before the rules of persons. */
export const roleRule: Rule = rule(
  `(?<v>\\p{Lu}[\\p{L}' -]*?) (?:is|became|has become) (?:the )(?:new )?(?<n>owner|maintainer|lead|contact(?: person)?|point of contact|product owner|captain|treasurer|manager) (?:of|for) (?<o>.+)`,
  nameOf,
  givenValue,
);

export const workRules: readonly Rule[] = [
  // "The standup is at 9:30", "Releases go out on Thursdays".
  rule(
    `${thing} (?:${happens}) (?:on |at |by |for |from )?(?<v>${moment})(?<r>.*)`,
    ({ v = "" }) => `when ${kindOf(v)}`,
    ({ v = "" }) => v.toLowerCase().replace(/^(?:every|each) |s$/g, ""),
  ),
  rule(
    `${thing} (?:was|were|has been|have been|is|are|got) (?:moved|rescheduled|shifted|postponed|pushed|brought forward|delayed|changed|switched)(?: back| forward| out)?(?: from .+?)? to (?:every )?(?<v>${moment})(?<r>.*)`,
    ({ v = "" }) => `when ${kindOf(v)}`,
    ({ v = "" }) => v.toLowerCase().replace(/^(?:every|each) |s$/g, ""),
  ),
  rule(
    `${thing} (?:moved|slipped|shifted|changed)(?: from .+?)? to (?:every )?(?<v>${moment})(?<r>.*)`,
    ({ v = "" }) => `when ${kindOf(v)}`,
    ({ v = "" }) => v.toLowerCase().replace(/^(?:every|each) |s$/g, ""),
  ),
  // "Ana's phone number is ...", "The deadline for the beta was moved to ...".
  rule(`${owned} ${qualified}(?: (?:for|of|at|in|on) (?<o>.+?))? ${changed}(?<v>.+)`, nameOf, givenValue),
  rule(
    `(?<s>)(?:[Tt]he |[Oo]ur |[Ii]ts )?${qualified}(?: (?:for|of|at|in|on) (?<o>.+?))? ${changed}(?<v>.+)`,
    nameOf,
    givenValue,
  ),
  rule(
    `(?<v>\\p{Lu}[\\p{L}' -]*?) is (?<s>[\\p{L}\\p{N} ]+?)'s? (?:new )?(?<n>manager|boss|supervisor|mentor|landlord|doctor|dentist|coach|trainer|assistant|lead|team lead|contact|roommate)(?: .*)?`,
    ({ n = "" }) => n,
    givenValue,
  ),
  rule(
    `(?<v>\\p{Lu}[\\p{L}' -]*?) (?:took over|has taken over|replaced .+?|took over from .+?) as (?:the )?(?:new )?(?<n>[\\p{L} ]+?) (?:of|for) (?<o>.+)`,
    nameOf,
    givenValue,
  ),
  rule(
    `(?<v>\\p{Lu}[\\p{L}' -]*?) (?:owns|maintains|took over|has taken over|is responsible for|is in charge of) (?:the )?(?<o>(?:[\\p{L}-]+ ){0,3}(?:service|module|component|library|pipeline|repository|repo|frontend|backend|API|app|package|project|dashboard|integration|documentation|docs))`,
    ({ o = "" }) => nameOf({ n: "owner", o }),
    givenValue,
  ),
  // What is used for a purpose.
  rule(`${thing} (?:uses?|is using|are using|relies on|rely on) (?<v>.+?) (?:for|as) (?<o>.+)`, purposeOf),
  rule(
    `${thing} (?:has |have )?(?:switched|migrated|moved|changed)(?: over)?(?: from (?<f>.+?))? to (?<v>.+?) (?:for|as) (?<o>.+)`,
    purposeOf,
  ),
  rule(
    `${thing} (?:has |have )?(?:switched|migrated|moved|changed) (?:its|their|the|our|his|her) (?<o>.+?)(?: from (?<f>.+?))? to (?<v>.+)`,
    purposeOf,
  ),
  rule(`${thing} (?:has |have )?replaced (?<f>.+?) (?:with|by) (?<v>.+?) (?:for|as) (?<o>.+)`, purposeOf),
  // Where something takes place.
  rule(`${thing} (?:is|are|was|were) (?:booked|held|planned) (?:at|in) (?<v>(?:the )?\\p{Lu}.+)`, "place"),
  // "The API is written in Go", "The service runs on port 8080".
  rule(`${thing} (?:was|has been|were) relicen[cs]ed(?: from (?<f>.+?))? (?:to|under) (?<v>.+)`, "licence"),
  rule(`${thing} (?:builds?|is built|are built) with (?<v>.+)`, "built with"),
  rule(
    `${thing} (?:stores?|keeps?) (?:its|their|all|the) (?:data|files|images|documents) (?:in|on) (?<v>.+)`,
    "storage",
  ),
  rule(`${thing} (?:runs?|is running|are running) on (?<v>\\p{Lu}.+)`, "hosted on"),
  rule(`${thing} (?:is|are|was|has been) (?:re)?written in (?<v>.+)`, "written in"),
  rule(
    `${thing} (?:was|has been|is|got) (?:ported|rewritten|migrated|converted)(?: from (?<f>.+?))? (?:to|in|into) (?<v>(?:TypeScript|JavaScript|Go|Rust|Python|Java|Kotlin|Swift|C\\+\\+|C#|Ruby|Elixir|Scala|PHP|Dart).*)`,
    "written in",
  ),
  rule(`${thing} (?:is|are|was|has been) (?:re)?licen[cs]ed under (?<v>.+)`, "licence"),
  rule(
    `${thing} (?:changed|switched)(?: its licen[cs]e)?(?: from (?<f>.+?))? to the (?<v>.+? licen[cs]e)`,
    "licence",
  ),
  rule(
    `${thing} (?:is|are|was|has been) (?:hosted|deployed|kept|running) (?:on|to|at|in|with) (?<v>.+)`,
    "hosted on",
  ),
  rule(
    `${thing} (?:was|has been|have been|were|moved|migrated|has moved|has migrated)(?: (?:moved|migrated))?(?: from (?<f>.+?))? to (?<v>(?:GitHub|GitLab|Codeberg|Bitbucket|AWS|Azure|GCP|Google Cloud|Hetzner|Fly\\.io|Vercel|Netlify|Heroku|Cloudflare|DigitalOcean|Kubernetes|Render|OVH|Scaleway).*)`,
    "hosted on",
  ),
  rule(`${thing} (?:listens|runs|is|is served|is reachable|is exposed) on port (?<v>\\d+)(?: .*)?`, "port"),
  rule(
    `${thing} (?:runs|targets|requires|supports|uses|is on|is pinned to|was upgraded to|has been upgraded to|upgraded to|was updated to|needs)(?: version)? (?<n>\\p{Lu}[\\p{L}.]*|version) ?(?<v>\\d[\\d.]*)(?: .*)?`,
    ({ n = "" }) => `version of ${n}`,
  ),
  rule(`${thing} (?:costs?|is priced at) (?<v>[$€£]?\\d.*)`, "price"),
  rule(
    `${thing} (?:allows?|permits?|accepts?|is limited to|are limited to|keeps?|retains?|stores?|expires? after|times? out after|lasts?|takes?|requires?|needs?) (?:up to |at most |only |a maximum of |at least |a minimum of )?(?<v>\\d[\\d,.]*) (?<n>[\\p{L}]+(?: [\\p{L}]+){0,3})(?: .*)?`,
    ({ n = "" }) => `number of ${n}`,
  ),
];

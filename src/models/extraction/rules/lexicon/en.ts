// Owns the English words by which sentences become memories or are excluded. They show what the built-in extractor remembers.

import { englishExclusions } from "./en-exclusions.ts";
import { englishRules } from "./en-rules.ts";
import {
  type Cue,
  certain,
  type Lexicon,
  leadingFillers,
  likely,
  opening,
  phrases,
  words,
} from "./lexicon.ts";

const kin =
  "wife|husband|partner|boyfriend|girlfriend|fianc[ée]e?|spouse|mother|mom|mum|father|dad|parents|brother|sister|siblings?|son|daughter|kids?|children|baby|twins|uncle|aunt|cousin|niece|nephew|grandmother|grandma|grandfather|grandpa|granddaughter|grandson|grandchild(?:ren)?|youngest|oldest|eldest|stepson|stepdaughter|roommate|flatmate|best friend";
const colleague =
  "boss|manager|team lead|lead|colleague|co-?worker|cofounder|mentor|assistant|landlord|doctor|therapist|client|customer";
const pet = "dogs?|cats?|puppy|kitten|pets?|horse|rabbit|parrot|hamster|turtles?|guinea pigs?";
const post =
  "ceo|cto|cfo|coo|lead|leader|manager|owner|maintainer|author|founder|director|head|architect|engineer|designer|developer|admin(?:istrator)?|contact|sponsor|on-?call|responsible|accountable|in charge|product owner|scrum master|reviewer|approver";
/** Participles of routine actions on things. */
const arrangements =
  "kept|stored|managed|run|handled|owned|maintained|reached|located|hosted|published|written|uploaded|coded|measured|based|deployed|served|generated|backed up|paid|made|held|found|built|set|locked|mounted|signed|sent|delivered|collected|cleaned|organi[sz]ed|tracked|reviewed|released|recorded|documented|encrypted|configured|listed|shared|billed|booked|supported|tested|reserved|assigned|scheduled|planned|closed|open|cut|covered|licensed|archived|rotated|refreshed|synced|exported|imported|cached|split|grouped|checked|watered|fed|parked|led|taught|known|responsible|available|allowed";
/** Verbs of lasting statements: what somebody or something is, has and does. */
const presentVerbs =
  "is|are|isn't|aren't|has|have|can|can't|cannot|needs?|contains?|supports?|allows?|holds?|runs?|uses?|gets?|takes?|works?|lives?|listens?|stores?|comes?|goes|go|looks? after|handles?|decides?|owns?|maintains?|reviews?|switch(?:es)?|moves?|requires?|costs?|starts?|ends?|belongs?|returns?|keeps?|opens?|closes?|serves?|sits?|covers?|exports?|sends?|speaks?|teaches|plays?|remains?|becomes?|applies|depends?|writes?|reads?|accepts?|rejects?|expects?|includes?|lasts?|doesn't|don't|stays?|serves?|provides?|talks? to|replaces?|measures?|weighs?|pays?|leads?|manages?|studies|attends?|arrives?|leaves?|departs?|expires?|limits?|produces?|generates?|converts?|connects?|ships?|targets?|employs?|seats?|charges?|earns?|drives?|rents?|likes?|loves?|hates?|wants?|avoids?|prefers?|deploys?|builds?|checks?|meets?|feeds?|prints?|carr(?:y|ies)|sings?|cooks?|grows?|fits?|counts?|calls?|bills?|answers?|signs?|trains?|swims?|runs?|visits?|helps?|shows?|wakes?|sleeps?|eats?|drinks?|refuses?|blocks?|rotates?|syncs?|logs?|tracks?|reports?|refreshes|publishes|watches|coordinates?|supervises?|organi[sz]es?|hosts?|powers?|stops?|quits?|retires?|begins?|finish(?:es)?|spends?|celebrates?|closed|due";
const weekday = "(?:mon|tues|wednes|thurs|fri|satur|sun)day";
const technology = "use|uses|run|runs|require|requires|need|needs|support|supports|target|targets";

const cues: readonly Cue[] = [
  ...englishRules,
  certain(
    "correction",
    phrases(
      "correction",
      "(?:scratch|strike) that",
      "my mistake",
      "i (?:mixed|misread|mistyped|miscounted|confused)",
      "not \\S+(?: \\S+)? but \\S+",
      "i (?:misspoke|was wrong|meant)",
      "that was wrong",
      "no longer",
      "not (?:.{1,40}? )?any ?more",
      "used to be … (?:now|but)",
      "(?:was|were|is|are|been|has been|have been) (?:renamed|replaced|superseded|deprecated|moved|rescheduled|cancell?ed|postponed|discontinued|pushed back)",
      "instead of … (?:as|like) (?:i|we) (?:said|thought|wrote)",
      "turns out",
      "(?:it|that|this|there)(?:'s| is| are) actually",
      "actually(?:,)? (?:it|the|my|our|we|i) … (?:is|are|'s|am|'m|live|work|use|run|have|moved|switched)",
    ),
  ),
  certain(
    "decision",
    phrases(
      "(?:we|they|i|team|board|committee|group|everyone|\\w+)(?:'ve| have| has)?(?: all| finally| both| also| just)? (?:decided|agreed|opted|settled)(?: \\w+)? (?:to|on|that|not|against|for|upon)",
      "it (?:was|has been|is) (?:decided|agreed|approved)",
      "(?:was|were|has been|have been|is|are) (?:approved|rejected|chosen|selected|adopted|signed off)",
      "(?<!(?:best|worst|good|great|right|wrong|hard|big|tough|difficult|easy) )decision(?! ever)",
      "(?:we|i)(?:'re| are|'m| am)? (?:going|went|go) (?:ahead )?with",
      "(?:we|i|they|team)(?:'ve| have| has)? (?:chose|chosen|picked|selected|adopted|approved|rejected|standardi[sz]ed on|committed to)(?! up)",
      "(?:we|i|they|team)(?:'ve| have| has|'re| are|'m| am|'ll| will)?(?: \\w+)? (?:switch(?:ed|ing)?|migrat(?:e|ed|ing)|mov(?:e|ed|ing)) (?:\\w+ ){0,4}?(?:to|from|off|away)",
      "(?:we|i|team)(?:'ll| will|'re going to| are going to)(?: now)? (?:use|adopt|drop|keep (?:using|the|our|\\w+ing the)|stay with|stick (?:with|to)|replace|deprecate|remove|support|ship|launch|release|switch|migrate|postpone)",
      "(?:we|i|team)(?:'re| are| will be) (?:dropping|keeping the|replacing|deprecating|removing|postponing|cancell?ing|sticking with|standardi[sz]ing)",
    ),
  ),
  certain(
    "decision",
    opening(
      "decided",
      "agreed",
      "resolved",
      "approved",
      "rejected",
      "switch(?:ed)? (?:\\w+ ){0,4}?(?:to|from)",
      "migrated? (?:\\w+ ){0,4}?(?:to|from)",
      "replaced? (?:\\S+ ){1,5}?(?:with|by)",
      "drop(?:ped)? support",
      "pin(?:ned)? \\S+",
    ),
  ),
  certain(
    "deadline",
    phrases(
      "deadline(?!s? (?:are|is) (?:stress|tough))",
      "(?:is|are|be|was|were) due",
      "due (?:by|on|date)",
      "(?:expires?|expiring|valid|freeze|frozen|closed|unavailable|available|away|on leave|on vacation|on holiday|out of (?:the )?office|ooo|embargo|in effect|blocked|open|off|offline|paused|read-only) (?:\\w+ ){0,3}?(?:until|till|through|thru|by|on|from|between|in|at)",
      "(?:until|till|through|no later than|not before|by the end of|before the end of|by end of) … (?:\\d\\w*|day|week|month|year|quarter|sprint|january|february|march|april|may|june|july|august|september|october|november|december|release|notice|eod|eow|spring|summer|autumn|winter|christmas|easter)",
      `(?:must|has to|have to|needs? to|should|will|'ll|to|is|are|going to) … (?:by|before|on) (?:\\w+ ){0,2}?(?:${weekday}|tomorrow|tonight|noon|midnight|eod|\\d|january|february|march|april|may|june|july|august|september|october|november|december|end)`,
      "(?:launch|launches|release|releases|ship|ships|goes live|go live|starts?|begins?|ends?|scheduled|planned|moved|takes place|happens?) (?:\\w+ ){0,2}?(?:on|for|at|by|to|in) (?:the )?(?:\\d|mon|tues|wednes|thurs|fri|satur|sun|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|next|q[1-4])\\w*",
    ),
  ),
  certain(
    "identity",
    phrases(
      "my (?:full |first |last |real |nick)?name(?:'s| is)",
      "(?:i'm|i am) (?:called|based|originally|from|\\d{1,2}(?! (?:min|hour|%|percent)))",
      "(?:i'm|i am|i've been|i have been|is|are) (?:vegan|vegetarian|allergic|diabetic|celiac|left-handed|colou?r-?blind|married|divorced|engaged|single|pregnant|retired|unemployed|self-employed|bilingual|jewish|muslim|christian|catholic|buddhist|transgender|trans|gay|lesbian|bisexual|queer|non-binary|dyslexic|autistic|lactose)",
      "(?:i'm|i am|i work as|i was|i became|i've been|i have been|as) an? (?!bit|little|lot|tad|huge|big|mess|fan|idiot|couple|few|way|result|good|great|treat|bonus|side|whole|matter|reminder|start|test|example|while|first|group|family|kid\\b)(?:[\\w-]+ ){0,4}?(?:\\w+(?:er|or|ist|ian|ant|ent|man|woman|mom|dad|mother|father|analyst|chef|nurse|lawyer|pilot|coach|student|vegan|vegetarian|consultant|freelancer|ceo|cto|founder|architect|lead|scientist|musician|parent|veteran|introvert|extrovert|survivor|native|citizen|athlete|guide|clerk|judge|priest|soldier|beginner|intern))",
      "i(?:'ve| have)?(?: \\w+)? (?:live|lived|grew up|was born|were born|was raised|reside|work|worked|study|studied|graduated|majored|speak|retired|emigrated|immigrated|volunteer|teach) (?:in|at|for|as|near|on|with|from|to|\\p{Lu}\\w+|english|german|french|spanish)",
      "i(?:'ve| have)? (?:just |recently )?moved (?:here |back )?(?:to|from|in)",
      "my (?:birthday|pronouns|e-?mail|phone|phone number|address|time ?zone|job|profession|occupation|role|position|title|blood type|native language|mother tongue|home ?town|hometown|nationality|employer|company|degree|major|username|handle|github|salary|budget|allergy|goal|dream|passion|hobby|hobbies|diet|shoe size|size|home country|old job|laptop|car|phone|setup|editor|os)(?: \\w+){0,2}?(?:'s| is| are|:)",
      "(?:i have|i've got|i suffer from|diagnosed with) (?:\\w+ ){0,3}?(?:allergy|allergies|asthma|diabetes|adhd|migraines?|intolerance|degree|phd|master's|bachelor's|years of experience|disability|dyslexia)",
      "my (?!point|guess|bad|coffee|tea|hair|battery|alarm|bus|train|taxi|food|dinner|lunch|breakfast|soup|cake|bed|sofa|inbox|head|heart|mind|arms|legs|lips|hands|face|jaw|fingers|soul|cheeks|mouth|soul|nerves|thought|hope|fear|god|favou?rite (?:part|bit|thing|moment)|ears|feet|back|day|week|pleasure|opinion|only|turn|fault|apologies|eyes|brain|week|weekend|life)(?:[\\w-]+ ){1,3}?(?:is|are|has|have|runs|lives|works|starts|costs|contains)",
      "i'm in (?:the )?(?:utc|gmt|cet|cest|pst|est)",
      "years old",
      "(?:he|she|\\p{Lu}\\w+) (?:was born|grew up|lives|works) (?:in|at|for|as|near)",
    ),
  ),
  certain(
    "relation",
    phrases(
      `my (?:\\w+ )?(?:${kin}|${colleague}|${pet})(?:,? \\p{Lu}[\\p{L}-]+,?)? (?:is|are|'s|was|has|have|works?|lives?|loves?|likes?|hates?|prefers?|studies|called|named|owns?|runs?|teaches|plays?|turns?|died|passed away|comes?)`,
      `my (?:\\w+ )?(?:${kin}|${colleague}|${pet})'s name`,
      `i(?:'ve| have|'ve got| own| adopted)(?: got)? (?:an? |two |three |four |\\d+ |some |no )(?:\\w+ ){0,3}?(?:${kin}|${pet})`,
      "(?:i'm|i am|we're|we are|i've been|we've been|i have been|we have been)(?: \\w+)? (?:married|engaged|dating|together)",
      `(?:is|was|are|as) (?:the|our|my|your|a|an|their) (?:\\w+ ){0,3}?(?:${post})`,
      "reports? (?:directly )?to",
      "(?:is|are) (?:\\w+ )?(?:responsible|accountable|in charge|on call)",
      "(?:owns|leads|maintains|manages|supervises|watches|heads|founded|co-?founded) (?:the|our|all|\\p{Lu})",
      "is (?:married|engaged|related) to",
      "^[^ ,]+ (?:is|are|was) (?:our|my) (?!favou?rite (?:part|thing|bit)|point|fault|bad|guess|turn|pleasure)",
      "i(?:'m| am) the (?:one|person|only one) (?:who|that|in)",
      "^(?:my )?(?:dad|mum|mom|grandma|grandpa|granny|nan) (?!said|says|called|is here|just|and|was|laughed|cried)",
      "(?:ask|contact|call|reach out to|talk to|e-?mail|ping) \\p{L}+(?: \\p{L}+)? (?:about|for|if|when|regarding)",
      "(?:go|goes|belong|should be sent|are sent|is sent|send (?:\\w+ ){1,3}?) to \\p{L}+",
    ),
  ),
  certain(
    "preference",
    phrases(
      "(?:i|we|he|she|they|user|\\p{Lu}\\w+)(?:'d| would| really| still| definitely| always| generally| usually| much| also| do)? prefers?",
      "my (?:all-time |absolute |personal )?(?:favou?rites?(?! (?:part|bit|thing|moment))|preference|go-to|preferred)",
      "favou?rite … (?:is|are|was)",
      "i(?:'d| would) rather",
      "(?:i|we) (?:really |just |absolutely |also |still |do |always |actually |simply |totally )?(?:can't|cannot|can not) (?:stand|eat|drink|tolerate|live without|lift|drive|swim|digest)",
      "(?:i|we)(?: \\w+)? (?:hate|dislike|detest|despise|adore)(?! to (?:say|break|admit|ask)| that| it| this| when you)",
      "(?:i|we)(?: really| absolutely| just| also| still| do| always| totally)? (?:love|like|enjoy)(?:d)? (?!it|that|this|your|how|the way|the idea|to (?:hear|see|think|know|hang|meet|chat|catch)|you|these|those|them|hearing|seeing|what|when|a lot|so much)",
      "i(?:'m| am|'ve been) (?:a |an )?(?:\\w+ )?(?:big |huge )?(?:fan of|keen on|fond of|into|passionate about|obsessed with|addicted to|interested in|not into|allergic)(?! (?:it|that|this|you))",
      `(?:i|we|he|she|they|${kin}) (?:do not|don't|doesn't|never) (?:do|work|fly|like|eat|eats|drink|enjoy|want|use|smoke|watch|drive|take|play)(?! it| that| this| well| out| to (?:be|sound))`,
      "(?:i|we) (?:always|usually|typically|normally|mostly|only|generally) (?:eat|drink|use|work|run|write|go|wake|get up|sleep|read|play|watch|take|start|cook|buy|wear|listen|travel|fly|meet|deploy|release|commit|test)",
      "works best for me",
    ),
  ),
  likely(
    "change",
    phrases(
      "(?:moved|changed|switched|migrated|rose|went up|went down|grew|raised|lowered|extended|cut|reduced) (?:\\S+ ){0,5}?(?:to|from) ",
    ),
  ),
  likely(
    "deadline",
    phrases(
      "(?:i'm|i am|we're|we are|is|are|be|'ll be) (?:\\w+ )?(?:away|out|off|abroad|travell?ing|unavailable|not available|back|on|in|at|closed|open|busy with|visiting)(?= .{0,40}(?<!\\p{L})(?:next|this|until|till|from|week|month|on|\\d))",
    ),
  ),
  likely(
    "tool",
    phrases(
      `(?:we|i|they|it|team|project|service|services|app|application|backend|back-end|frontend|front-end|api|server|servers|client|stack|pipeline|ci|website|site|database|code|codebase|repo|repository|system|library|package|module|company|cluster|cli|tests?|build|builds|deployments?|\\p{Lu}\\w+)(?: \\w+)? (?:${technology}) (?:only |now |currently |exclusively )?(?:\\p{Lu}|\\S*\\d|\\w+ \\p{Lu}|\`)`,
      "(?:is|are|was|were|be|been|'s) (?:\\w+ )?(?:written in|built (?:with|on|in)|powered by|deployed (?:on|to|with|via|in)|hosted (?:on|in|at|by)|stored in|based on|implemented in|managed (?:with|by|in)|compatible with|licensed under|published (?:on|to|at|under)|backed by|tracked in|run(?:ning)? on)",
      "(?:runs?|running) on (?:port |the )?(?:\\p{Lu}|\\S*\\d|\\w+ \\p{Lu})",
      "(?:listens on|default port|minimum version|requires? (?:at least )?(?:\\w+ ){0,2}?(?:version )?v?\\d|version \\d|lives in|is located (?:at|in|under))",
      "(?:upgraded?|updated?|bump(?:ed)?|downgraded?|pin(?:ned)?) (?:\\S+ ){1,5}?(?:to|from|at) (?:version )?v?\\d",
      "works? with \\p{Lu}\\w+ v?\\d",
    ),
  ),
  certain(
    "change",
    phrases(
      "(?:was|were|has been|have been|got|been) (?:\\w+ )?(?:moved|merged|dropped|removed|added|split|elected|appointed|promoted|hired|transferred|shut down|acquired|sold|changed|disabled|enabled|upgraded|handed over|given to|introduced|abolished|raised|lowered|increased|reduced|diagnosed|born|named|rewritten|retired)",
      "(?:is|are) gone",
      "(?:is|are) (?:raising|lowering|increasing|reducing|changing|moving|closing|opening|dropping|adding|replacing|introducing|switching|leaving|joining|retiring|hiring|expanding|merging|splitting)(?! (?:it|that|this|so))",
      "(?:i'm|i am|we're|we are) (?:doing|taking|attending) (?:an?|my|the|our) (?:\\w+ ){0,3}?(?:course|class|classes|degree|phd|apprenticeship|internship|training|diploma|sabbatical|master's|lessons|exam)",
      "turned (?:vegan|vegetarian|\\d)",
      "(?:lost|named) (?:our|the|my|his|her|their) (?!mind|way|temper|voice|phone|keys|marbles|wallet|glasses|umbrella|charger|bag|patience|appetite|balance|place|head|ticket)",
      "(?:takes?|took|taking) over",
      "(?:joined|joins|left|leaves|is joining|is leaving|are leaving) (?:the|our|us|\\p{Lu})",
      "(?:i|we|\\p{Lu}\\w+ and i)(?:'ve| have|'m| am|'re| are)?(?: just| also| finally| recently)? (?:quit|sold|bought|signed|started (?:a|an|my|at|as|working|to learn|learning|using)|joined|left (?:the|my|our)|adopted|graduated|retired|(?:got|get|getting) (?:engaged|married|divorced|promoted|hired|accepted|a new|an? \\w+ (?:job|dog|cat|car|house|degree))|became|gave up|given up|stopped|switched|changed|booked|signed up|enrolled|registered for|(?:broke|tore|sprained|fractured|dislocated|hurt) my (?!heart|word|promise|silence)|passed my|inherited|separated|finished (?:my|school|university)|opened (?:a|my|our)|lost our|launched|founded|training (?:for|to)|learning|studying|saving for|writing a|expecting|planning to|rent|renting|foster)(?! (?:it|that|this|crying|laughing))",
      "i(?: have| had|'ve had) my \\w+ (?:replaced|removed|operated|fixed)",
      "(?:i|we)(?:'ll| will|'m going to| am going to|'re going to| are going to) (?:be (?:in|at|away|on|moving|starting|working|travell?ing)|move|start|quit|take over|cover|join|leave|marry|study|work)",
      "(?:i|we) have an? new",
      "(?:i|we) (?:only |just )?have (?:no|only|one|two|three|four|\\d+|an? (?!question|idea|feeling|problem|issue|point|look|lot|few|bit|great|good|nice|chance|minute|second|moment|suggestion|favou?r|request))",
      "(?:has|have)(?: \\w+)? (?:left|joined|moved|switched|become|taken over|quit|retired|been (?:an? |vegan|vegetarian|sober))",
      "(?:from now on|from here on|as of (?:now|today|next|january|february|march|april|may|june|july|august|september|october|november|december|\\d))",
      "(?:on|from) (?:parental leave|sabbatical)",
    ),
  ),
  certain(
    "state",
    phrases(
      `(?:is|are)(?: \\w+)? (?:${arrangements}) (?:in|at|by|on|under|with|as|from|to|via|every|for|through|into|only|once|twice|daily|weekly|out|up|off)`,
      "by default",
      "(?:has|have) no (?!idea|clue|problem|doubt|words|choice|plans|regrets|right|reason|comment)\\w+",
      "^(?!you |i |we |it |they |he |she |that |this |there )[^,]{1,50}? (?:is|are)(?: not| no longer| also| only| always| usually)? (?!tired|excited|interested|pleased|worried|amazed|exhausted|bored|thrilled|invited|supposed|confused|needed|welcomed|shared|attached|delighted|inclined|broken|blessed|stunned|shocked|impressed|annoyed|scared|open|driven|stolen|even|often|then|when|seen|indeed|been|taken)\\w+(?:ed|en)(?: (?:by|with|via|in|through|from|to|at|on|as|without|every|for|automatically|manually)|[.;]|$)",
      "(?:at most|at least|up to|limited to|no more than|a maximum of|a minimum of) \\d",
      "(?:is|are|comes?|runs?|stays?|works?|sits?) (?:\\w+ ){0,6}now",
      "(?:is|are) now",
      "(?:stays?|remains?) (?:the|in|on|at|our|open|closed|read-only|disabled|enabled|off|as)",
      "(?:looks after|takes care of|handles|decides on|is called|are called|is named|belongs? (?:to|in|on|under)|depends? on|consists? of|is short for|stands for|is part of)",
      "(?:i'm|i am|we're|we are) on (?:version|plan|the)",
      "(?:i|we) go by",
      "^i (?:\\w+ly |always |often |only |also )?(?:play|speak|drink|eat|own|practi[cs]e|teach|coach|study|collect|volunteer|sing|train|commute|row|swim|cycle|sleep|wear|live|cook|garden|smoke|foster|rent|drive|wear|take (?:my|the|no|only|medication|insulin|pills)|have to (?:take|use|avoid|wear)|suffer)(?! (?:it|that|this|to say|you|your))",
      "(?:on|every|each|only) (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays)",
    ),
  ),
  // A verb that is not in the list above: "Petra reconciles the ...", "The belt carries 40 ...".
  likely(
    "state",
    /^(?:[Tt]he|[Ee]very|[Ee]ach|[Oo]ur|[Mm]y|[Aa]n?|[Aa]ll|[Nn]o|[Tt]his|\p{Lu}[\p{L}\p{N}.-]+)(?: (?!and )[\p{L}\p{N}.'-]{1,30}){0,4} (?!this |was |his |has |is |plus |days |weeks |its |us |always |less |others |does |vs )\p{Ll}{3,}s (?:in|on|at|to|from|with|by|for|as|into|through|under|over|about|every|each|the|an?|our|all|only|up|out|off|one|two|three|four|five|\p{Lu}\p{L}+|\d+)(?![\p{L}])/u,
  ),
  likely(
    "state",
    new RegExp(
      `^(?!open |click |choose |select |clone |run |see |give |tell |write |make |explain |translate |summari[sz]e |visit |install |download |go |built |made )(?!.{0,60}\\b(?:is|are) \\w+ing\\b)[^,;:]{1,70}? (?:${presentVerbs})(?![\\p{L}'’])`,
      "iu",
    ),
  ),
  likely(
    "state",
    phrases(
      "(?:i|we)(?:'m| am|'re| are| have|'ve)? (?:only |also |both |always |usually |do not |don't |can't |cannot )?(?:have|need|take|use|run|do|speak|train|practi[cs]e|play|pay|own|keep|get up|wake|work|live|drive|commute|go to|attend|manage|lead|maintain|write|measure|weigh|earn|charge|avoid|format|deploy|test|build|host|log|store|ship|release|track|publish|send|meet|rent|foster|coach|sing|cook|grow|collect|volunteer|sleep|eat|drink|order|buy|sell|accept|offer|close|open|answer|review|sign)(?! (?:it|that|this|to|you))",
    ),
  ),
];

export const english: Lexicon = {
  language: "en",
  functionWords: words(
    `a d s t ll ve re m like the and is are was were of to in that it for with on as at by this be have has had not but from or an we you i my our they will
     would should must never always don't what which their there can if when about just so do does did been than then them its im
     me please use only need needs all get gets no every each any more into per than after before while call uses runs`,
  ),
  cues,
  exclusions: englishExclusions,
  orders: opening(
    "(?:please )?(?:use|sign|set|keep|format|name|store|address|label|spell|round|put|write|answer|reply|send|add|leave|include|mention|avoid|prefer) (?!(?:is|are|was|has|of|cases?)\\b)",
  ),
  fillers: leadingFillers(
    "well|so|and|but|oh|ah|btw|by the way|fyi|also|plus|anyway|anyways|actually|honestly|personally|frankly|basically|please note that|note that|please note|remember that|just so you know,? that|hmm|um|uh|ok|okay|yeah|yes",
    "yep|no|nope|sure|right|wow|hey|hi|hello|thanks|thank you|cool|great|nice|perfect|remember|note|just so you know|for the record|to be clear|one more thing|quick note|reminder|heads up|sorry|of course|absolutely|definitely|in fact|important|ps|p\\.s|ha|haha|before i forget|good|got it|agreed|true|yup|nah|exactly|haha no|funny enough|guess what|you know what",
  ),
};

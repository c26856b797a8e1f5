// Owns the English words of rules: what is required, allowed or forbidden from now on.

import { type Cue, certain, likely, opening, phrases } from "./lexicon.ts";

const us =
  "(?:(?:in|for|on) (?:this|our|all our) \\S{1,30},? )?(?:we|the team|our team|everyone here|everybody here)(?: here| all)?";
/** What is done at work only. */
const workVerb =
  "use|uses|commits?|push(?:es)?|force-push(?:es)?|merges?|squash(?:es)?|rebases?|deploys?|releases?|lints?|refactors?|hard-?codes?|mocks?|imports?|exports?|pins?|tags?|document|documents|reviews?|ships?|approves?|encrypts?|log|logs|validates?|format|formats|indents?|capitali[sz]es?|abbreviates?|spells?|invoices?|archives?|backs? up";
/** What is done everywhere. */
const anyVerb =
  "runs?|tests?|writes?|puts?|keeps?|calls?|names?|adds?|sends?|signs?|checks?|asks?|builds?|stores?|starts?|returns?|answers?|repl(?:y|ies)|throws?|catch(?:es)?|skips?|edits?|deletes?|removes?|renames?|creates?|opens?|close[sd]?|labels?|marks?|rounds?|sorts?|translates?|quotes?|cites?|share";
const workNoun =
  "tests?|linter|code|codebase|branch(?:es)?|commits?|prs?|pull requests?|merge requests?|migrations?|tickets?|issues|releases?|files?|file names?|functions?|class(?:es)?|variables?|constants?|database|tables?|columns?|scripts?|config|configuration|docs|documentation|comments?|pipelines?|changelog|versions?|logs?|errors?|exceptions?|api|endpoints?|schemas?|quer(?:y|ies)|types?|e-?mails?|reports?|invoices?|contracts?|customers?|clients?|passwords|secrets|credentials|dates|units|headings|abbreviations|production|staging";

export const englishRules: readonly Cue[] = [
  // A habit of a team at work is a rule for whoever works with it: "We always use tabs, never spaces."
  certain(
    "rule",
    opening(
      `${us} (?:always|never|only(?: ever)?) (?:${workVerb})(?! to )`,
      `${us} (?:always|never|only(?: ever)?) (?:${anyVerb}) (?=.{0,80}(?<!\\p{L})(?:${workNoun})(?!\\p{L}))`,
      `${us} (?:use|uses|write|writes) [^,;]{1,60}(?:,|;| and)? (?:never|not|instead of|rather than) `,
      `${us} (?:do not|don't|doesn't)(?: ever)? (?:${workVerb}) .{1,60} (?:here|in (?:this|our) (?:repo|repository|project|code|codebase|team|company)|to production|without)`,
    ),
  ),
  certain(
    "rule",
    phrases(
      "must(?!'ve| be (?:\\w+ing\\b|\\w+ly |so |very |super |quite |such |nice|great|fun|hard|tough|awesome|exciting|amazing|lovely|tired|proud|kidding|joking|wonderful|crazy|a |worth)| (?:feel|say|admit|confess|love)| have (?:been|felt|had|taken|cost|got|gotten|made))",
      "mustn't",
      "shall(?: not)?(?! we)",
      "under no circumstances",
      "(?:is|are) (?:strictly |explicitly )?(?:not allowed|not permitted|forbidden|prohibited|mandatory|required|off[- ]limits|banned)(?! reading)",
      "(?:is|are|be|get|gets) (?:only|never|always) (?!excited|tired|amazed|interested|welcomed)(?:\\p{L}+ed|open|written|given|taken|chosen|driven|eaten|spoken|broken|run|sent|kept|built|held|sold|told|paid|made|done|put|set|cut|met|shut|left|lent|shown|drawn|read|bought|brought|taught|stored)",
      "(?:is|are) (?:no longer|not) (?:accepted|allowed|permitted|supported for|to be)",
      "(?:ed|en|made|cut|done|sent|paid) (?:\\S+ ){0,5}?(?:through|by|via|in|with|from|after) (?:\\S+ ){1,4}?only",
      "nothing else",
      "(?<!(?:i|we) )(?:may|can|should) only",
      "(?:you|we|everyone|everybody|they|developers|contributors|employees|users|the assistant) (?:should|may|can) (?:always|never|only|not)",
      "(?<!(?:i|we) )(?:should|may|can) (?:never|always|only)(?! (?:imagine|hope|guess|wonder|get|be (?:grateful|happy)))",
      "(?:should|may) not be",
      "no (?:one|body) (?:may|should|can|is allowed)",
      "\\w+s (?:\\w+ ){0,3}?have to (?!say|admit|go|leave|run|dash|head)\\w+",
      "(?:may|can|should) (?:\\S+ ){1,6}?only",
      "at all times",
      "without exception",
      "no exceptions",
      "(?:has|have|needs?) to be (?:\\w+ly )?(?:approved|reviewed|signed|tested|documented|encrypted|merged|written|logged|rotated|done|reported|formatted|checked|filed|submitted|confirmed|stored)",
      "(?:requires?|needs?) (?:\\w+ ){0,3}(?:approval|approvals|review|reviews|sign-?off|permission|consent|signatures?|tests?)",
      "the rule is",
      "as a rule",
      "policy is",
    ),
  ),
  certain(
    "rule",
    opening(
      "(?:please )?(?:always|never) (?!mind|know|knew|thought|heard|seen|been|had|again|ever|ending)\\w+",
      "(?:please )?(?:do not|don't) (?!worry|mention|know|think|forget|be|get|you|we|they|give up|stress|hesitate|sweat|feel|even|have|remember|tell me|say)\\w+",
      "(?:please )?(?:make sure|ensure|be sure)(?: that| to)? (?!yours|you|to (?:take care|rest|have fun|check|build|enjoy))\\w+",
      "(?:please )?(?:prefer|avoid)(?! it| that)",
      "(?:from now on|going forward),? (?!i |my |we |our |the |he |she |it |they |\\p{L}+ (?:is|are|has|will|works|runs) )",
      "please (?!find|send|let|see|help|review|check|have|give|tell|be |come|look|write|translate|ignore|forgive|excuse|enjoy|call me (?:back|later))\\w+ (?=.{0,80}(?<!\\p{L})(?:before|only|always|unless|instead|from now|without|every|in (?:english|german|french))(?!\\p{L}))",
      "treat (?:everything|all|any|every)",
      "stop (?:using|calling|adding|saying|writing|sending|putting|suggesting|asking|giving)",
      "(?:bring|wear|take) your own",
      "when(?:ever)? you \\w+.{0,40}, (?!i|we|it|the|you)",
      "(?:all|every|each|any) (?:\\S+ ){1,6}?(?:needs?|requires?|has to|have to|gets?|goes|go|comes?) ",
      "only (?!two|three|\\d|if|when|because|then|time|just|joking|kidding|one more|once)(?:the|our|an?|\\w+s|\\w+ers) (?:\\w+ ){0,4}?(?!was|his|is|has)\\w+s? ",
      "(?:nobody|no one|noone|everybody|everyone|anyone) (?:\\w+s|has to|is to|must|may|should) (?!to be|like|so|that|the (?:day|best))",
      "only (?:\\S+ ){1,8}?(?:may|can|should|is allowed|are allowed)",
      "no (?!one|worries|problem|idea|way|doubt|need|thanks|rush|conclusion|hot|longer|more\\b|comment|news)(?:\\S+ ){1,4}?(?:on|in|after|before|without|during|at|outside|with|for(?! (?:days|weeks|hours|ages|years|me|once|now|real|sure))|to|between|over)",
      "(?:please )?(?:keep|use|write|answer|reply|respond|give|address|refer|speak|stick|format|start|end|round|sort|leave|put|name|send|limit|mention|include|sign|mark|label|store|log|book|order|call|ask|check|return|wear|lock|close|report|file|review|run|test|merge|commit) (?=.{0,80}(?<!\\p{L})(?:only|always|never|not|without|under|at most|at least|instead|rather than|in (?:english|german|french|spanish|italian|portuguese|utc|metric|grams)|for (?:all|every|any|each)|every|each|all|unless|before|after|from now on|per|within)(?!\\p{L}))",
    ),
  ),
  certain(
    "rule",
    phrases(
      "i(?:'d| would) (?:like|prefer) (?:replies|answers|responses|you to|all|every)",
      "call me (?!back|when|if|later|tomorrow|crazy|at)",
      "address me as",
      "i(?:'d| would)? (?:want|like|need|expect) (?:you to|answers|replies|responses) ",
    ),
  ),
  likely(
    "rule",
    phrases(
      "(?:we|the team|the project|this project|it|the service|releases?|deploys?|deployments?|migrations?|secrets?|commits?|branches|tests|code|builds?) (?:\\w+ ){0,2}(?:always|never)",
    ),
  ),
];

// Owns the German words by which sentences become memories or are excluded.

import {
  certain,
  type Lexicon,
  leadingFillers,
  likely,
  opening,
  phrases,
  wholeSentence,
  words,
} from "./lexicon.ts";

const day =
  "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|\\d{1,2}\\.|ende|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|nächste|weihnachten|ostern";

export const german: Lexicon = {
  language: "de",
  functionWords: words(
    `der die das und ist sind ein eine einen einem nicht ich wir du sie er es mit für auf im in den dem des zu zum zur von vom bei
     auch als an am aus bis nach noch nur oder aber wie was war hat haben wird werden kein keine mein meine unser unsere sich dass
     muss müssen darf dürfen immer nie jetzt ab dann wenn schon so uns mir mich über unter vor seit jeden arbeite wohne trinke esse bitte habe bin beim per bleibt gibt alle`,
  ),
  cues: [
    certain(
      "rule",
      phrases(
        "(?:darf|dürfen|sollte|sollten|soll|sollen|kann|können)(?: \\S+){0,5}? (?:nicht|nie|niemals|nur|keine?n?|auf keinen fall|keinesfalls)",
        "(?<!ich )(?:muss|müssen|musst|müsst)(?! (?:ich (?:sagen|zugeben)|das sein|lachen))",
        "(?:ist|sind) (?:\\S+ ){0,3}?(?:verboten|untersagt|pflicht|vorgeschrieben|erforderlich|verpflichtend|tabu|nicht (?:erlaubt|gestattet))",
        "auf keinen fall",
        "ohne \\S+(?: \\S+)? (?:wird|werden|darf|dürfen|geht|gibt)",
        "(?:wird|werden|ist|sind|darf|dürfen|gibt es|gilt|gelten) (?:\\S+ ){0,5}?(?:nur noch|ausschließlich|nicht mehr) (?!lange)",
        "unter keinen umständen",
        "grundsätzlich",
        "ausnahmslos",
        "(?:ist|sind) (?:immer|stets|nie|niemals) \\S+ zu",
        "(?:bitte|künftig|in zukunft)(?: \\S+){0,3}? (?:immer|nie|niemals|nur|stets|keine?n?)",
        "(?:immer|nie|niemals|stets|nur) (?:\\S+ ){1,6}?(?:benutzen|verwenden|schreiben|antworten|nutzen|machen|angeben|speichern|prüfen|testen|abschließen|ausschalten|einschalten)",
      ),
    ),
    certain(
      "rule",
      opening(
        "(?:immer|niemals|nie|stets|bitte immer|bitte nie|bitte kein\\w*|ab sofort(?! ist| arbeite)|verwende|benutze|antworte|nenn mich|duz\\p{L}+ mich|schreib(?:e)? (?:immer|nie|keine))",
      ),
    ),
    certain(
      "correction",
      phrases(
        "nicht .{1,30} sondern",
        "korrektur",
        "stimmt nicht",
        "nicht mehr",
        "statt(?:dessen)?",
        "doch nicht",
        "falsch",
        "richtig ist",
        "wurde umbenannt",
        "verschoben",
      ),
    ),
    certain(
      "decision",
      phrases(
        "beschlossen",
        "entschieden",
        "vereinbart",
        "(?:haben|hat|sind|ist|wurde|wurden) (?:\\S+ ){0,6}?(?:gewählt|genehmigt|abgelehnt|festgelegt|gewechselt|umgestellt|umgestiegen|abgeschafft|eingeführt|ersetzt|verlegt|gestrichen|zusammengelegt)",
        "wir (?:wechseln|steigen|nehmen|bleiben bei|stellen|verzichten|streichen)",
      ),
    ),
    certain(
      "deadline",
      phrases(
        `(?:bis|spätestens|frist|fällig|ab|am|vom) (?:\\S+ ){0,2}?(?:${day}) .{0,60}?(?:abgeben|abzugeben|einreichen|einzureichen|fertig|geschlossen|gesperrt|außer betrieb|gültig|zu|offline|urlaub|frei|krank|verreist|unterwegs|elternzeit)`,
        `(?:gültig|geschlossen|gesperrt|außer betrieb|urlaub|krank|verreist|offline|nicht erreichbar|elternzeit|abgabe|deadline|frist|stichtag) .{0,30}?(?:bis|am|ist|zum|vom)`,
        `(?:ist|sind|bleibt|bleiben|läuft|gilt|fehlt|habe?|bin|hat) .{0,40}?bis (?:\\S+ ){0,2}?(?:${day})`,
        `(?:schließt|öffnet|beginnt|endet|startet|findet|treffen|erscheint) .{0,40}?(?:am|bis|um|diese woche|nächste woche) `,
        `(?:ist|sind|haben|habe?|hat) (?:\\S+ ){0,4}?am (?:${day})`,
      ),
    ),
    certain(
      "identity",
      phrases(
        "ich (?:heiße|wohne|lebe|arbeite|studiere|stamme|komme aus|bin \\d{1,2}|leite|unterrichte|spreche|lerne|pendle|spiele|singe|koche|schwimme|laufe|fahre|trinke|esse|rauche)",
        "ich bin (?:\\S+ )?(?:veganer(?:in)?|vegetarier(?:in)?|allergisch|schwanger|verheiratet|ledig|geschieden|selbstständig|rentner(?:in)?|\\p{Lu}\\p{L}+(?:er|erin|in|ist|istin|eur|ant|at|ent))",
        "ich (?:\\S+ )?(?:seit|vertrage|trinke|esse|rauche|nehme|habe?) (?:\\S+ ){0,5}?(?:kein\\w*|nicht|vegan|vegetarisch|allergie|unverträglichkeit|intoleranz|laktose|gluten)",
        "mein(?:e|er|en)? (?:\\S+ )?(?:name|geburtstag|adresse|nummer|telefonnummer|beruf|hobby|lieblings\\p{L}+|zeitzone|muttersprache|arbeitgeber|chef(?:in)?|stundensatz|tagessatz)",
        "(?:hat|hatte|habe?|haben) (?:\\S+ ){0,4}?(?:bandscheibenvorfall|herzinfarkt|schlaganfall|unfall|operation|krebs|fehlgeburt|burnout)",
        "(?:wir|ich|\\p{Lu}\\p{L}+) (?:bekommen?|bekommt|erwarten?|erwartet) .{0,30}(?:baby|kind|zwillinge|nachwuchs)",
        "(?:habe?|hat|haben) (?:\\S+ ){0,3}?(?:ein|einen|eine) neuen? (?:job|stelle|wohnung|haus|freund|freundin|hund|adresse|nummer|auto)",
        "ich habe? (?:inzwischen |jetzt |noch |auch |nur |seit \\S+ )?(?:zwei|drei|vier|fünf|sechs|einen (?:hund|kater|garten|sohn|bruder)|eine (?:katze|tochter|schwester))",
        "(?:hat|habe?|haben) (?:\\S+ ){0,3}?(?:allergie|diabetes|asthma|unverträglichkeit)",
        "(?:bin|ist|sind) (?:gegen )?(?:\\S+ ){0,3}?allergisch",
        "(?:bin|sind) (?:\\S+ ){0,4}?(?:umgezogen|gezogen)",
      ),
    ),
    certain(
      "relation",
      phrases(
        "mein(?:e|er|en)? (?:\\S+ )?(?:frau|mann|partner(?:in)?|freund(?:in)?|sohn|tochter|kinder|mutter|vater|eltern|bruder|schwester|oma|opa|hund|katze|kater|kollege|kollegin|nichte|neffe|tante|onkel)",
        "(?:ist|sind|wird|bleibt) (?:\\S+ ){0,2}?(?:unser\\p{L}*|unsere|der neue|die neue|neuer|neue|ab sofort|verantwortlich|zuständig|leiter(?:in)?|ansprechpartner(?:in)?|chef(?:in)?|vorsitzende\\p{L}*)",
        "kümmer(?:t|n) (?:sich|uns) um",
        "(?:übernimmt|leitet|betreut|verantwortet|organisiert|pflegt|verwaltet|vertritt)",
        "(?:sie|er|\\p{L}+) (?:heißt|lautet|nennt sich)",
        "(?:gehen|geht|bitte) (?:\\S+ ){0,2}?an \\p{L}+",
      ),
    ),
    certain(
      "preference",
      phrases(
        "ich (?:mag|liebe|hasse|bevorzuge|möchte|will|trinke|esse|nutze|benutze|verwende|bin fan|ziehe \\S+ vor)(?! (?:das|es|dich|euch|mal|nur mal|nochmal))",
        "am liebsten",
        "mir (?:ist|sind|schmeckt|schmecken|gefällt) (?:\\S+ )?lieber",
        "lieber als",
        "(?:mag|bevorzugt|isst|trinkt|verträgt) (?:\\S+ ){0,2}?(?:kein\\w*|lieber|nur|nicht|am liebsten)",
      ),
    ),
    certain(
      "tool",
      phrases(
        "(?:läuft|laufen|basiert|basieren|gehostet|betrieben|geschrieben|gebaut|verwaltet|gespeichert) (?:\\S+ ){0,4}?(?:mit|auf|in|bei|unter|von|über)",
        "(?:in|auf|bei|mit|von|unter|über) (?:\\S+ ){1,4}?(?:gehostet|geschrieben|verwaltet|gespeichert|betrieben|abgelegt)",
        "(?:nutzen|verwenden|benutzen|setzen|nutzt|verwendet|benötigt|braucht|unterstützt|erwartet|lauscht) .{0,40}?(?:\\d|\\p{Lu}\\p{L}+)",
      ),
    ),
    certain(
      "change",
      phrases(
        "(?:ab (?:jetzt|sofort|januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|montag|\\d)|seit|künftig|von nun an)",
        "(?:hat|habe?|haben|ist|bin|sind|wurde|wurden) (?:\\S+ ){0,6}?(?:verlassen|gekündigt|verkauft|gekauft|umgezogen|gezogen|geheiratet|adoptiert|abgeschlossen|gewechselt|angefangen|aufgehört|verlobt|bestanden|unterschrieben|angemeldet|operiert|gebrochen|getrennt|scheiden lassen|gestorben|geboren)",
      ),
    ),
    certain(
      "state",
      phrases(
        "(?:jede[nrs]?|alle) (?:\\S+ )?(?:nacht|tag|woche|monat|jahr|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)",
        "(?:täglich|wöchentlich|monatlich|jährlich|nachts|montags|dienstags|mittwochs|donnerstags|freitags|samstags|sonntags)",
      ),
    ),
    likely("deadline", phrases("(?:läuft|laufen) (?:\\S+ ){1,5}?(?:aus|ab)")),
    likely(
      "state",
      /^(?!.*(?<!\p{L})(?:ge\p{L}+(?:t|en)|\p{L}+iert)[.!]?$)[^,;:]{1,70}? (?:ist|sind|hat|haben|kostet|kosten|liegt|liegen|steht|stehen|gilt|gelten|heißt|heißen|beträgt|fährt|kommt|kommen|gehört|gehören|bekommt|enthält|speichert|öffnet|schließt|arbeitet|wohnt|bleibt|reicht|dauert|spielt|macht|trainiert)(?!\p{L})/iu,
    ),
    likely(
      "state",
      opening(
        "(?:wir|ich) (?:haben|habe?|arbeiten|arbeite|fahren|fahre|trainieren|trainiere|gehen|gehe|treffen uns|treffe)",
      ),
    ),
  ],
  exclusions: {
    question: [
      opening(
        "(?:wer|was|wann|wo|wie|warum|wieso|weshalb|welche\\w?|wohin|woher|weiß jemand|kannst du|könnt ihr|können sie|könntest du|hast du|habt ihr|gibt es|soll ich|sollen wir|hat jemand)",
      ),
    ],
    smallTalk: [
      wholeSentence(
        "hallo(?: \\p{L}+){0,2}|hi(?: \\p{L}+){0,2}|hey(?: \\p{L}+){0,2}|moin(?: \\p{L}+){0,2}|servus(?: \\p{L}+){0,2}|gerne?|klar|alles klar|ok(?:ay)?|genau|stimmt|super|toll|prima|gut|schade|ach|puh|oh je",
      ),
      opening(
        "(?:guten (?:morgen|tag|abend)|gute nacht|liebe[rs]? \\S+|sehr geehrte\\w*|danke|vielen dank|besten dank|herzlichen|glückwunsch|gratuliere|tschüss?|bis (?:dann|bald|später|morgen|gleich)|viele grüße|liebe grüße|mit freundlichen|schönen|schönes|viel (?:spaß|glück|erfolg)|keine ahnung|kein problem|tut mir leid|entschuldigung|freut mich|ich freue mich|freue mich|hoffentlich|das (?:ist|war|wird|klingt))",
      ),
      phrases(
        "keine lust",
        "tut mir leid",
        "freue mich",
        "stimmung",
        "gute idee",
        "guter hinweis",
        "mal sehen",
        "muss (?:ich )?(?:sagen|zugeben|lachen|los|weg|gehen|jetzt|mal|noch)",
        "begrüßt",
        "bis (?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?: dann)?!",
        "(?:wir )?sehen uns",
        "melde mich",
        "(?:ist|war|sind|waren|wird|lief) (?:noch nie so |so |echt |sehr |wirklich |ganz |ziemlich |etwas |ein bisschen )?(?:zufrieden|schön|toll|super|lustig|eng|müde|nervig|überfällig|langweilig|anstrengend|stressig|lecker|traurig|froh|glücklich|cool|spannend|gut|schlecht|nett)",
      ),
    ],
    speculation: [
      phrases(
        "vielleicht",
        "eventuell",
        "möglicherweise",
        "wahrscheinlich",
        "vermutlich",
        "könnte(?:n|st|t)?",
        "ich glaube",
        "ich denke",
        "wäre(?:n)?",
        "würde(?:n)?",
        "sollten wir",
        "mal schauen",
        "angeblich",
        "unklar",
        "offen",
        "irgendwann",
        "ob",
        "weiß (?:ich )?(?:nicht|noch nicht)",
        "überlege\\w*",
      ),
    ],
    unclear: [
      opening(
        "(?:das|es|dies|dieser|diese|dieses|er|sie|die|der) (?:ist|war|sind|waren|hat|haben|wird|hilft|geht|ging|klingt|kann|muss|soll)(?! \\p{Lu})",
        "(?:deshalb|deswegen|daher|dann|dabei|dazu|davon|damit|weil|denn|also|da )",
      ),
    ],
  },
  fillers: leadingFillers(
    "also|übrigens|ach|und|aber|bitte beachten",
    "ja|nein|ok(?:ay)?|kurze info|info|hinweis|wichtig|ps|nur zur info|zur info|danke|klar|genau|ach ja",
  ),
};

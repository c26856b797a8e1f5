// Owns the Italian words by which sentences become memories or are excluded.

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
  "\\d|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre|settimana|mese|fine|domani";

export const italian: Lexicon = {
  language: "it",
  functionWords: words(
    `il lo la i gli le un uno una di del della dei delle e è sono in che non si con per da dal al alla ai nel nella sul su mio mia io
     noi tu voi lui lei nostro nostra molto ma come più o già c ha hanno ho abbiamo è stato stata essere fino entro questo questa
     quando anche mai sempre solo deve devono perché mi ci se gestito a lavoro vivo abito mangio uso usiamo ogni chiude apre usa l d dell all nell sull il hosting nuovo nuova`,
  ),
  cues: [
    certain(
      "rule",
      phrases(
        "(?:deve|devono|devi|dobbiamo|dovete)(?! essere (?:bello|stanco|dura))",
        "bisogna",
        "occorre",
        "non (?:si )?(?:può|possono|deve|devono|è consentito|sono ammess[ie])",
        "(?:è|sono) (?:severamente |assolutamente )?(?:vietat[oaie]|obbligatori[oae]?|proibit[oaie])",
        "(?:solo|soltanto|esclusivamente) (?:\\S+ ){0,4}?(?:può|possono)",
        "in nessun caso",
        "senza eccezioni",
        "mai essere",
        "va(?:nno)? (?:sempre|mai|solo) ",
      ),
    ),
    certain(
      "rule",
      opening(
        "(?:mai|sempre|non (?:usare|usate|lasciare|lasciate|inviare|toccare|condividere|aprire|cancellare|mettere|fate|dimenticare di)|usa sempre|usate sempre|rispondi|rispondimi|chiamami|evita|evitate|d'ora in poi|da ora in poi|(?:solo|soltanto) (?:\\S+ ){1,6}?(?:può|possono))",
      ),
    ),
    certain(
      "correction",
      phrases(
        "correzione",
        "non (?:\\S+ )?più",
        "in realtà",
        "invece (?:di|che)",
        "anziché",
        "e non (?:il|la|in|a|\\d)",
        "è stat[oa] (?:rinominat|sostituit|rinviat|annullat|spostat)[oa]",
        "(?:rinviat|annullat|sostituit)[oaie]",
      ),
    ),
    certain(
      "decision",
      phrases(
        "(?:abbiamo|è stato|ha|hanno|ho) (?:\\S+ )?(?:deciso|scelto|concordato|approvato|adottato|stabilito|optato)",
        "si è deciso",
        "decisione",
        "(?:passiamo a|migriamo|cambiamo|restiamo con|teniamo|sostituiamo|abbandoniamo) ",
      ),
    ),
    certain(
      "deadline",
      phrases(
        `(?:fino a\\p{L}{0,3}|entro|prima d\\p{L}{1,3}|scadenza|scade\\p{L}*|valid[oaie]|chius[oaie]|in ferie|in vacanza|fuori servizio|sospes[oaie]|assente|non disponibil[ei]) .{0,50}?(?:${day})`,
        `(?:sarà|è|sono|inizia|comincia|finisce|apre|chiude|si tiene|si terrà|esce) .{0,40}?(?:il|la|lo|in|a|alle) (?:\\p{L}+ )?(?:${day})`,
      ),
    ),
    certain(
      "identity",
      phrases(
        "mi chiamo",
        "(?:vivo|abito|lavoro|sono nat[oa]|studio|vengo|parlo|insegno|suono|gioco|mangio|bevo) (?:a|in|come|per|da|di|con|\\p{L}+)",
        "sono (?:\\S+ )?(?:vegetarian[oa]|vegan[oa]|allergic[oa]|celiac[oa]|intollerante|di \\p{Lu}\\p{L}+|(?:un'|una |un )?\\p{L}+|\\p{L}+(?:iere|iera|tore|trice|ista|ante|ente|ologo|ologa))",
        "ho (?:\\S+ )?(?:\\d+ anni|un'allergia|un cane|un gatto|una gatta|una figlia|un figlio|due|tre|il diabete|l'asma)",
        "(?:mio|mia|il mio|la mia) (?:\\S+ )?(?:nome|compleanno|indirizzo|numero|telefono|lavoro|fuso orario|tariffa|colore preferito|piatto preferito)",
        "allergic[oaie]",
        "celiac[oai]",
      ),
    ),
    certain(
      "relation",
      phrases(
        "(?:mio|mia|miei|mie) (?:\\S+ )?(?:moglie|marito|compagn[oa]|ragazz[oa]|fidanzat[oa]|figli[oa]?|fratello|sorella|madre|padre|genitori|mamma|papà|cane|gatt[oa]|capo|collega|nonn[oa]|zi[oa]|cugin[oa]|vicin[oa])",
        "(?:è|sono|sarà|resta) (?:il|la|i|le|nostr[oa]|il nostro|la nostra) (?:nuov[oa] )?(?:\\S+ )?(?:responsabil[ei]|direttore|direttrice|capo|referente|contatto|presidente|tesorier[ea]|coordinat\\p{L}+)",
        "si occupa(?:no)? d",
        "(?:gestisce|dirige|coordina|mantiene|segue|sostituisce)(?:no)?",
        "gestit[oaie] da",
      ),
    ),
    certain(
      "preference",
      phrases(
        "preferis\\p{L}+",
        "(?:non )?mi piac(?:e|ciono) (?!l'idea|questa|quello|come)",
        "adoro (?!questo|l'idea)",
        "odio",
        "non (?:mangio|bevo|fumo|prendo|sopporto|uso|posso mangiare)",
        "(?:mio|mia) (?:\\S+ )?preferit[oa]",
      ),
    ),
    certain(
      "tool",
      phrases(
        "(?:usa|usano|usiamo|utilizza|utilizziamo|utilizzano|gira|girano|funziona|funzionano|richiede|supporta|ascolta|ospitat[oaie]|salvat[oaie]|scritt[oaie] in|basat[oaie] su|conservat[oaie]) .{0,40}?(?:\\d|\\p{Lu}|in|su|da|con)",
      ),
    ),
    certain(
      "change",
      phrases(
        "(?:mi sono|ci siamo|si è|sono|è) (?:\\S+ )?(?:trasferit|sposat|laureat|iscritt|diventat|passat|spostat|elett|nominat|andat[oa] in pensione)[oaie]?",
        "ho (?:\\S+ )?(?:comprato|venduto|firmato|iniziato|cominciato|lasciato|adottato|prenotato|cambiato|smesso)",
        "abbiamo (?:\\S+ )?(?:comprato|venduto|firmato|iniziato|adottato|prenotato|cambiato|assunto)",
        "a partire da\\p{L}{0,3} ",
        "(?:dal|dalla|dall')(?: )?(?:\\d|gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)",
        "da (?:gennaio|febbraio|marzo|aprile|maggio|giugno|luglio|agosto|settembre|ottobre|novembre|dicembre)",
        "(?:adesso|ora) (?:è|usiamo|vivo|lavoro|si)",
      ),
    ),
    certain(
      "state",
      phrases(
        "ogni (?:\\S+ )?(?:notte|giorno|settimana|mese|mattina|sera|anno|lunedì|martedì|mercoledì|giovedì|venerdì|sabato|domenica)",
        "tutt[ie] (?:i|le|gli) (?:giorni|notti|settimane|mesi|sere|mattine|lunedì|martedì|mercoledì|giovedì|venerdì|sabati|domeniche)",
        "di default",
      ),
    ),
    likely(
      "state",
      /^[^,;:]{1,70}? (?:è|sono|ha|hanno|costa|costano|misura|contiene|dura|apre|chiude|resta|restano|accetta|include|permette|riceve|appartiene|vive|lavora|gioca|studia|parla|arriva|comincia|usa|si chiama|si chiude|si trova|ho|abbiamo)(?!\p{L})/iu,
    ),
  ],
  exclusions: {
    question: [
      opening(
        "(?:che|chi|quando|dove|come|perché|quant[oaie]|qual[ei]?|cosa|qualcuno sa|puoi|potete|potresti|potreste|può)(?= )",
      ),
    ],
    smallTalk: [
      wholeSentence(
        "ciao(?: \\p{L}+){0,2}|salve(?: \\p{L}+){0,2}|car[oaie](?: \\p{L}+){0,2}|ottimo|perfetto|va bene|ok|certo|sì|no",
      ),
      opening(
        "(?:devo (?:andare|scappare)|buon(?:giorno|asera|anotte)|gentil[ei]|grazie|mille grazie|complimenti|auguri|ci vediamo|ti chiamo|a (?:presto|domani|dopo)|un abbraccio|saluti|cordiali saluti|baci|benvenut[oaie]|spero|mi dispiace|scusa(?:te)?|che (?:bello|peccato|buono|pazienza)|ahah\\p{L}*|sono (?:molto |così |un po' )?(?:stanc[oa]|felic[ei]|content[oa]))",
      ),
      phrases(
        "(?:è stat[oa]|è|era|sono|erano) (?:molto |così |un po' |davvero )?(?:divertent[ei]|bell[oaie]|stanc[oa]|noios[oa]|buon[oaie]|felic[ei]|content[oa]|brutt[oa])",
      ),
    ],
    speculation: [
      phrases(
        "forse",
        "magari",
        "probabilmente",
        "potremmo",
        "potrebbe(?:ro)?",
        "credo che",
        "penso che",
        "suppongo",
        "non so",
        "non sono sicur[oa]",
        "sarebbe",
        "sembra che",
        "dovremmo",
        "speriamo",
        "un giorno",
        "chissà",
      ),
    ],
    unclear: [
      opening(
        "(?:questo|questa|quello|quella|ciò|lui|lei|loro|esso) (?:è|era|ha|sono|fu|va)",
        "(?:quindi|poi|perché|allora|però)",
      ),
    ],
  },
  fillers: leadingFillers(
    "comunque|allora|bene|beh|e|ma|ah|oh|inoltre|a proposito",
    "sì|no|ok|nota|importante|attenzione|avviso|promemoria|ps|tra l'altro",
  ),
};

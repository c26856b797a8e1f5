// Owns the French words by which sentences become memories or are excluded.

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

export const french: Lexicon = {
  language: "fr",
  functionWords: words(
    `le la les un une des du de et est sont je tu il elle nous vous ils elles ne pas plus que qui dans pour par sur avec au aux ce
     cette ces mon ma mes notre nos votre vos son sa ses leur en se mais ou où donc on y été être avoir ai as avons ont très faut
     doit doivent jamais toujours chez c l d j n s qu jusqu depuis ferme joue habite travaille tous`,
  ),
  cues: [
    certain(
      "rule",
      phrases(
        "il (?:faut|ne faut)",
        "(?:doit|doivent|devez|devons|dois)(?! être (?:sympa|drôle|dur|génial|fatigué))",
        "ne (?:\\S+ )?(?:peut|peuvent|doit|doivent) (?:jamais|pas|être|plus|que)",
        "(?:est|sont) (?:strictement |formellement )?(?:interdite?s?|obligatoires?|requise?s?|proscrite?s?)",
        "(?:défense|interdiction|obligation) de",
        "en aucun cas",
        "sans exception",
        "uniquement (?:par|via|en|avec|depuis|sur|les|le|la)",
        "(?:seule?s?|seulement) (?:\\S+ ){1,5}?(?:peut|peuvent|a le droit|ont le droit)",
        "(?:n'|ne )\\S+ jamais",
        "est à proscrire",
      ),
    ),
    certain(
      "rule",
      opening(
        "(?:toujours|jamais|ne (?:\\S+ )?jamais|n'\\S+ (?:jamais|pas)|ne \\S+ (?:jamais|pas)|merci de (?:ne|toujours)|veuillez|évite[zr]?|utilise[zr]? (?:toujours|uniquement)|réponds|répondez|appelle-moi|désormais|dorénavant|à partir de maintenant|pas de \\S+ (?:dans|avec|sans|le|la|en))",
      ),
    ),
    certain(
      "correction",
      phrases(
        "correction",
        "(?:n'|ne )\\S+ plus",
        "ne \\S+ plus",
        "en fait,? (?:c'est|le|la|les|il|je)",
        "au lieu d",
        "et non(?: pas)?",
        "remplacée?s? par",
        "renommée?s?",
        "reportée?s?",
        "annulée?s?",
      ),
    ),
    certain(
      "decision",
      phrases(
        "(?:avons|ai|a|ont|est|été) (?:\\S+ )?(?:décidée?s?|choisie?s?|convenue?s?|adoptée?s?|validée?s?|approuvée?s?|retenue?s?|votée?s?)",
        "décision",
        "(?:nous|on) (?:passe|passons|garde|gardons|abandonne|abandonnons|migre|migrons|remplace|remplaçons|utilisera|utiliserons|arrête|arrêtons)",
      ),
    ),
    certain(
      "deadline",
      phrases(
        "(?:avant|d'ici|jusqu'au?x?|jusqu'à|au plus tard|date limite|échéance|valables?|expire\\w*|fermée?s?|coupée?s?|indisponibles?|en panne|en congés?|absente?s?|en vacances|hors service|suspendue?s?) .{0,50}?(?:\\d|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|semaine|mois|fin)",
        "(?:aura lieu|a lieu|se tient|commence|débute|se termine|est prévue?|sont prévue?s|est fixée?|ouvre|ferme|démarre|sort) .{0,40}?(?:le|la|au|en|à|cette) ?(?:\\d|lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche|janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|semaine)",
      ),
    ),
    certain(
      "identity",
      phrases(
        "je m'appelle",
        "j'habite",
        "je (?:vis|travaille|suis né\\w?|viens d\\S*|parle|étudie|fais du|fais de|dirige|gère|m'occupe)",
        "je suis (?:\\S+ )?(?:végétarien\\w*|végan\\w*|vegan\\w*|allergique|intolérante?|enceinte|mariée?|divorcée?|célibataire|\\p{L}+(?:eur|euse|trice|ier|ière|ien|ienne|iste|ant|ante|in|ine|logue|aire))",
        "(?:mon|ma|mes) (?:\\S+ )?(?:nom|anniversaire|adresse|numéro|métier|fuseau|langue maternelle|tarif|plat préféré|couleur préférée)",
        "j'ai (?:\\S+ )?(?:\\d+ ans|une allergie|un chien|un chat|deux|trois|une fille|un fils)",
        "allergiques?",
        "intolérante?s?",
      ),
    ),
    certain(
      "relation",
      phrases(
        "(?:mon|ma|mes) (?:\\S+ )?(?:femme|mari|copain|copine|compagne|compagnon|fils|fille|frère|sœur|soeur|mère|père|parents|chien|chat|chienne|chatte|chef|patron|patronne|collègue|cousine?|tante|oncle|grand-mère|grand-père|voisine?)",
        "(?:est|sont|reste|devient|sera) (?:\\S+ ){0,3}?(?:responsables?|chargée?s?|en charge|directeur|directrice|cheffe?|notre contact|présidente?|trésorière?|référente?)",
        "s'occupe(?:nt)? d",
        "(?:gère|gèrent|dirige|pilote|remplace|supervise|reprend)",
      ),
    ),
    certain(
      "preference",
      phrases(
        "je (?:préfère|déteste|n'aime pas|ne (?:mange|bois|fume|supporte|prends|porte|conduis) (?:pas|plus|jamais|que))",
        "j'(?:aime|adore) (?!ça|bien l'idée|l'idée|cette idée|beaucoup ça|trop)",
        "(?:préfère|préfèrent)",
        "(?:mon|ma|mes) \\S+ préférée?s?",
      ),
    ),
    certain(
      "tool",
      phrases(
        "(?:utilise|utilisons|utilisent|tourne|tournent|fonctionne|fonctionnent|nécessite|supporte|écoute|hébergée?s?|stockée?s?|écrite?s? en|gérée?s? par|basée?s? sur|rangée?s?|conservée?s?|déployée?s?) .{0,40}?(?:\\d|\\p{Lu}|par|sur|dans|chez|avec|en)",
      ),
    ),
    certain(
      "change",
      phrases(
        "(?:j'ai|nous avons|on a|il a|elle a|\\p{Lu}\\p{L}+ a) (?:\\S+ )?(?:signé|acheté|vendu|quitté|déménagé|adopté|commencé|arrêté|obtenu|réservé|loué|démissionné|changé|épousé)",
        "(?:je suis|nous sommes|on est|est|sont) (?:\\S+ )?(?:devenue?s?|passée?s? (?:à|en)|partie?s?|arrivée?s? (?:à|dans)|déplacée?s?|transférée?s?|fusionnée?s?|supprimée?s?|élue?s?|nommée?s?)",
        "(?:apprends|joue|chante|étudie|pratique|vis|vit) .{2,40} depuis",
        "(?:à partir d|à compter d|depuis (?:\\d|l|jan|fév|mars|av|mai|jui|août|sept|oct|nov|déc))\\S*",
        "(?:on|nous) (?:déménage|déménageons|emménage|se marie|nous marions)",
        "(?:maintenant|désormais)",
      ),
    ),
    certain(
      "state",
      phrases(
        "(?:chaque|tous les|toutes les) (?:\\S+ )?(?:nuits?|jours?|semaines?|mois|matins?|soirs?|lundis?|mardis?|mercredis?|jeudis?|vendredis?|samedis?|dimanches?|ans)",
        "par défaut",
      ),
    ),
    likely(
      "state",
      /^[^,;:]{1,70}? (?:est|sont|a|ont|coûte|coûtent|se paient|se paie|écoute|paient|mesure|contient|dure|ouvre|ferme|reste|restent|compte|accepte|limite|passe|travaille|habite|vient|viennent|appartient|prend|reçoit|joue|fait|parle|étudie|suit|vit|arrive|part|commence|finit|utilise|s'appelle|se trouve|se situe|est situé|déménage)(?!\p{L})/iu,
    ),
  ],
  exclusions: {
    question: [
      opening(
        "(?:qui|quand|où|comment|pourquoi|combien|quel\\w*|est-ce|qu'est-ce|c'est quoi|tu (?:peux|pourrais|as|veux)|vous (?:pouvez|pourriez|avez)|peux-tu|pouvez-vous|pourriez-vous|quelqu'un)",
      ),
    ],
    smallTalk: [
      wholeSentence(
        "coucou(?: \\p{L}+){0,2}|salut(?: \\p{L}+){0,2}|cher(?: \\p{L}+){0,2}|chère(?: \\p{L}+){0,2}|chers(?: \\p{L}+){0,2}|super|génial|parfait|ok|ouais|oui|non",
      ),
      opening(
        "(?:bonjour|bonsoir|merci(?! de (?:ne|toujours))|bravo|félicitations|d'accord|désolée?|bisous|je (?:dois|vais) (?:filer|y aller|partir)|je file|à (?:bientôt|demain|plus)|bonne (?:journée|soirée|nuit|chance|idée)|bien à vous|cordialement|ça (?:marche|va|roule)|c'(?:est|était)|trop (?:bien|cool|contente?)|j'espère|on se (?:voit|dit|retrouve)|je t'appelle|je (?:suis (?:trop |très |si |vraiment )?(?:contente?|ravie?|désolée?|fatiguée?|fière?))|haha|bienvenue|n'hésite\\w*)",
      ),
      phrases(
        "(?:était|est|sont|étaient) (?:très |trop |vraiment |assez |plutôt |un peu )?(?:sympa|chouette|génial|drôle|fatiguant|ennuyeux|super|cool|marrant|bon|beau|belle|long|longue|dur|agréable)s?",
      ),
    ],
    speculation: [
      phrases(
        "peut-être",
        "probablement",
        "sans doute",
        "on pourrait",
        "pourrait",
        "pourrions",
        "je (?:crois|pense|ne sais pas|sais pas)",
        "j'imagine",
        "il paraît",
        "éventuellement",
        "ce serait",
        "serait",
        "à voir",
        "si (?:jamais|on)",
        "un jour",
      ),
    ],
    unclear: [
      opening(
        "(?:ça|ce|cela|c'|il(?! est (?:strictement )?(?:interdit|obligatoire|nécessaire|défendu))|elle|ils|elles) (?:est|a|était|avait|sont|ont|va|fait|marche)",
        "(?:donc|car|parce que|puis|alors|ensuite)",
      ),
    ],
  },
  fillers: leadingFillers(
    "au fait|alors|et|mais|bon|ben|bref|ah|oh",
    "oui|non|ok|sinon|info|attention|note|nb|ps|important|rappel|petite info|d'ailleurs",
  ),
};

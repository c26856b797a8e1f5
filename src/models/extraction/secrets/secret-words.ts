// Owns the words that name a secret, in the languages of the built-in extractor, and the grammar around them. Regular expression sources.

const any = (words: string) =>
  `(?:${words
    .trim()
    .split(/\s*\n\s*/)
    .join("|")})`;

/** Words for a password; what follows them can be any word. */
export const passwordWords = any(`
  pass[-_ ]?words?
  pass[-_ ]?phrase
  pass[-_ ]?codes?
  passwd
  pwd
  (?:wifi|wi-fi|wlan)[- ]?(?:password|passwort|key|schlüssel)
  passw(?:ö|oe)rter
  passwort
  kennwort
  zugangs(?:code|kennwort)
  mots? de passe
  mdp
  code secret
  phrase secrète
  contrase(?:ñ|n)as?
  clave(?: secreta| de acceso)?
  senhas?
  palavra[- ]passe
  parola d['’]ordine
  parola chiave
  chiave d['’]accesso
`);

/** The same for assignments only, because they are also parts of other words, or other words. */
export const shortPasswordWords = any(`
  pw
  pass
`);

/** Words for keys and tokens; what follows them is one only if it is random. */
export const keyWords = any(`
  api[-_ ]?(?:key|token|secret)
  (?:access|secret|auth|private|signing|encryption|master|account|subscription|license|deploy|session|service)[-_ ]?key
  (?:agent|app|application|admin|root|publisher|ingest|write|storage|connection|project|team)[-_ ]key
  (?:secret[-_ ]?)?access[-_ ]?key
  (?:access|auth|bearer|refresh|id|session|personal[-_ ]access|security|webhook|bot|deploy|csrf|service)[-_ ]?token
  authtoken
  token
  (?:client|app|application|consumer|webhook|signing|shared|oauth|jwt)[-_ ]?secret
  secret
  credentials?
  (?:api|zugangs|geheim|zugriffs)[- ]?schlüssel
  clés? (?:d['’])?(?:api|accès|secrète)
  clés? d['’]api
  jeton(?: d['’]accès)?
  clave (?:de )?(?:la )?api
  clave privada
  llave (?:de )?(?:la )?api
  chave (?:d[ea] )?api
  chave (?:secreta|de acesso|privada)
  chiave (?:dell['’])?api
  chiave (?:segreta|privata)
  clave secreta
`);

/** Words for a PIN. Codes of doors are no secrets here: people want to be reminded of them. */
export const pinWords = any(`
  PIN(?:[- ]?(?:code|nummer|number))?
  code PIN
  código PIN
  codice PIN
`);

/** "is", "was changed to": what is between the name of a secret and its value in prose. */
export const verbs = any(`
  (?:(?:is|was|has been|got) )?(?:now )?(?:(?:changed|reset|set|updated|rotated) )?to
  is|['’]s|was|are|will be|used to be|should be|must be|stays|remains|reads|equals
  ist|war|lautet|lauten|heißt|sind|bleibt
  est|était|sont|sera
  es|era|son|será
  é|foi|são
  è|sono|sarà
  auf|à|a|para|em|su|in
`);

/** What somebody does with a password that the same sentence says. */
export const useVerbs = any(`
  use|uses|used|using|enter|type|try|prefer|remember|have|has
  benutze|benutzt|verwende|verwendet|nutze|nutzt|nimm|nehmt|probiere
  utilise|utilisez|saisis|saisissez|essaie|essaye
  usa|usad|utiliza|prueba|use|utilize|digite|usate|utilizza|prova
`);

/** The verbs after which a word of letters can be a password. */
export const copulas: ReadonlySet<string> = new Set(
  "is 's ’s was reads equals to ist war lautet est était es era é è".split(" "),
);

/** Before the value in prose: "is now", "lautet jetzt". */
export const adverbs = any(`
  now|currently|still|always|just|simply|from now on|again
  jetzt|nun|immer|weiterhin|derzeit|wieder|aktuell
  maintenant|désormais|toujours|actuellement
  ahora|siempre|actualmente|todavía
  agora|sempre|atualmente|ainda
  ora|adesso|attualmente|ancora
  the same|:
`);

/** "for the staging server": begins with a preposition, so that "password policy is" is something else. */
export const complement = String.raw`(?:[ \t]+(?:wi-?fi|wlan|vpn|admin|root|ssh|ftp|sudo))?(?:[ \t]+(?:for|of|to|on|in|at|from|für|fürs|beim|aufs|ins|vom|von|des|der|zum|zur|im|am|du|de|del|della|dello|delle|dei|di|da|do|dos|das|pour|sur|para|per|al|la)[ \t]+[^\s.,;:!?]{1,40}(?:[ \t]+[^\s.,;:!?=]{1,40}){0,5}?)?`;

/**
 * What somebody says about a password: "is wrong", "ist abgelaufen". A word that ends like an adjective or a participle says something
 * about it, too.
 */
export const predicates = new Set(
  `weak strong wrong right correct incorrect invalid valid safe secret secure insecure missing blank hidden known unknown short long too
   easy hard complex simple public private lost broken old new different same random permanent unset here there below above not only also
   never already being sent kept set stored under in on at with what where why how this that your my our his her their the a an it his
   reset fine ok okay good bad great case longer shorter all both gone plain empty visible mine yours ours
   schwach stark falsch richtig geheim sicher unsicher leer lang kurz neu alt nötig weg bekannt unbekannt einfach schwer nicht nur auch nie
   hier dort unten oben der die das ein eine mein dein unser gleich anders korrekt ungültig gültig zu im in auf bei mit gut schlecht weak
   faible fort forte faux fausse juste secret secrète sûr sûre vide long longue court courte nouveau nouvelle pas ici là trop le la les un
   une mon ton notre bon bonne simple difficile perdu perdue dans sur avec stocké
   débil fuerte incorrecta correcta secreta segura insegura vacía larga corta nueva vieja no aquí allí muy demasiado el los una mi tu
   nuestra igual distinta buena mala en con
   fraca forte errada certa secreta segura insegura vazia longa curta nova velha não aqui ali muito o os uma minha tua nossa igual boa má
   em com
   debole sbagliata giusta segreta sicura insicura vuota lunga corta nuova vecchia non qui lì molto troppo il lo gli una mia tua nostra
   uguale diversa buona nel con`.split(/\s+/),
);
export const predicateEnding =
  /(?:ed|ing|able|ible|ive|ful|less|ly|ous|ory|ary|ent|ant|lich|ig|bar|isch|los|sam|haft|elt|ert|ückt|gt|tzt|en|ée?s?|ad[oa]s?|id[oa]s?|at[oaie]|ut[oaie]|it[oaie]|itt[oaie]|ost[oaie]|ível|oso|osa|ico|ica|ante|ente|enti|anti|[oó]ri[oa]s?|oire|aire|ire|if|ive|eux|euse|te)$/iu;

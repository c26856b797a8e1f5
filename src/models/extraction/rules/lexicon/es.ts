// Owns the Spanish words by which sentences become memories or are excluded.

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
  "\\d|lunes|martes|miércoles|jueves|viernes|sábado|domingo|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|semana|mes|fin(?:al)?|mañana";

export const spanish: Lexicon = {
  language: "es",
  functionWords: words(
    `el la los las un una unos unas de del y es son está están en que no se con por para al lo le les su sus mi mis yo tú nosotros
     nuestra nuestro muy pero como más o ya hay ha han he hemos fue ser estar tiene tengo desde hasta este esta eso cuando también
     nunca siempre solo debe deben porque si me te vivo trabajo tengo uso como usamos hermano cada a`,
  ),
  cues: [
    certain(
      "rule",
      phrases(
        "(?:debe|deben|debes|debemos)(?! (?:de )?(?:ser (?:genial|duro|bonito)|estar cansad))",
        "hay que",
        "no se (?:puede|pueden|debe|deben|permite|permiten|admite|admiten|acepta|aceptan)",
        "(?:está|están|queda|quedan) (?:terminantemente |estrictamente )?prohibid[oa]s?",
        "(?:es|son) obligatori[oa]s?",
        "(?:solo|sólo|solamente|únicamente) (?:se )?(?:puede|pueden|está|están)",
        "en ningún caso",
        "bajo ningún concepto",
        "sin excepci(?:ón|ones)",
        "tiene(?:n|s)? que",
        "prohibido",
      ),
    ),
    certain(
      "rule",
      opening(
        "(?:nunca|siempre|jamás|no (?:uses|uséis|use|usen|pongas|dejes|dejéis|envíes|hagas|toques|compartas|abras|subas|borres|utilices)|usa siempre|utiliza siempre|responde|respóndeme|contesta|llámame|evita|a partir de ahora|de ahora en adelante|(?:solo|sólo|solamente) (?:\\S+ ){1,6}?(?:puede|pueden))",
      ),
    ),
    certain(
      "correction",
      phrases(
        "corrección",
        "ya no",
        "en realidad",
        "en vez de",
        "en lugar de",
        "y no (?:el|la|en|a|los|las|\\d)",
        "se ha(?:n)? (?:cambiado|renombrado|reemplazado|aplazado|cancelado)",
        "(?:aplazad|cancelad|sustituid|reemplazad)[oa]s?",
      ),
    ),
    certain(
      "decision",
      phrases(
        "(?:hemos|se ha|ha|han|he) (?:\\S+ )?(?:decidido|acordado|elegido|aprobado|adoptado|optado|rechazado)",
        "(?:decidimos|acordamos|elegimos|aprobamos|optamos|se (?:decidió|acordó|aprobó))",
        "decisión",
        "(?:vamos a|pasamos a|migramos|cambiamos|nos quedamos con|dejamos de|mantenemos) ",
      ),
    ),
    certain(
      "deadline",
      phrases(
        `(?:hasta|antes de\\p{L}?|plazo|fecha límite|vence\\p{L}*|caduca\\p{L}*|válid[oa]s?|cerrad[oa]s?|averiad[oa]s?|de vacaciones|de baja|fuera de servicio|suspendid[oa]s?|a más tardar) .{0,50}?(?:${day})`,
        `(?:será|es|son|empieza|comienza|termina|abre|cierra|se celebra|tiene lugar|tendrá lugar|sale) .{0,40}?(?:el|en|la) (?:\\p{L}+ )?(?:${day})`,
      ),
    ),
    certain(
      "identity",
      phrases(
        "me llamo",
        "(?:vivo|trabajo|nací|estudio|vengo|hablo|doy clases?) (?:en|como|para|de|con|a|\\p{L}+)",
        "soy (?:\\S+ )?(?:vegetarian[oa]|vegan[oa]|alérgic[oa]|celíac[oa]|intolerante|de \\p{Lu}\\p{L}+|\\p{L}+(?:er[oa]|or|ora|ista|ico|ica|ante|ente|ogo|oga|ado|ada|enta))",
        "tengo (?:\\S+ )?(?:\\d+ años|alergia|un perro|una perra|un gato|una gata|una hija|un hijo|dos|tres|diabetes|asma|intolerancia)",
        "mis? (?:\\S+ )?(?:nombre|cumpleaños|dirección|número|teléfono|trabajo|zona horaria|tarifa|color favorito|comida favorita)",
        "alérgic[oa]s?",
        "celíac[oa]s?",
      ),
    ),
    certain(
      "relation",
      phrases(
        "mis? (?:\\S+ )?(?:mujer|esposa|marido|esposo|pareja|novi[oa]|hij[oa]s?|herman[oa]s?|madre|padre|padres|perr[oa]|gat[oa]|jef[ea]|compañer[oa]|abuel[oa]|ti[oa]|tío|tía|prim[oa]|vecin[oa])",
        "(?:es|son|será|sigue siendo) (?:el|la|los|las|nuestr[oa]) (?:\\S+ )?(?:responsables?|encargad[oa]s?|director\\w?|jef[ea]|contacto|president[ea]|tesorer[oa]|coordinador\\w?|propietari[oa])",
        "(?:la|el) (?:responsable|encargad[oa]|contacto|director\\w?|coordinador\\w?) (?:de \\p{L}+ |del? \\p{L}+ )?(?:es|será)",
        "se (?:encarga|ocupa)n? de",
        "(?:dirige|gestiona|coordina|lleva|mantiene|revisa|sustituye)n? (?:el|la|los|las|a)",
      ),
    ),
    certain(
      "preference",
      phrases(
        "prefier[oe]n?",
        "preferimos",
        "(?:no )?me gustan? (?!esa|eso|esto|tu|la idea|mucho eso|cómo)",
        "me encantan? (?!esa|eso|esto|tu|la idea|cómo)",
        "odio",
        "no (?:como|bebo|fumo|tomo|soporto|uso|puedo comer)",
        "mi (?:\\S+ )?(?:favorit[oa]|preferid[oa])",
      ),
    ),
    certain(
      "tool",
      phrases(
        "(?:usa|usan|usamos|utiliza|utilizamos|utilizan|funciona|funcionan|corre|requiere|soporta|escucha|alojad[oa]s?|guarda|guardan|almacena|almacenan|escrit[oa]s? en|gestionad[oa]s? por|basad[oa]s? en|desplegad[oa]s?) .{0,40}?(?:\\d|\\p{Lu}|en|por|con)",
      ),
    ),
    certain(
      "change",
      phrases(
        "(?:me|nos) (?:he |hemos )?(?:mudé|mudado|mudamos|casé|casado|casamos|jubilé|compré|apunté)",
        "(?:he|hemos|ha|han) (?:\\S+ )?(?:comprado|vendido|firmado|empezado|dejado|adoptado|reservado|cambiado|contratado|trasladado)",
        "(?:compré|vendí|firmé|empecé|dejé|adopté|reservé|cambié|conseguí)",
        "a partir de(?:l)? ",
        "desde (?:\\d|enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|el|hace|ahora)",
        "ahora (?:es|está|usamos|se|vivo|trabajo)",
      ),
    ),
    certain(
      "state",
      phrases(
        "cada (?:\\S+ )?(?:noche|día|semana|mes|mañana|tarde|año|lunes|martes|miércoles|jueves|viernes|sábado|domingo)",
        "tod[oa]s l[oa]s (?:noches|días|semanas|meses|lunes|martes|miércoles|jueves|viernes|sábados|domingos)",
        "por defecto",
      ),
    ),
    likely(
      "state",
      /^[^,;:]{1,70}? (?:es|son|está|están|tiene|tienen|cuesta|cuestan|mide|contiene|dura|abre|cierra|sigue|siguen|admite|acepta|incluye|permite|recibe|pertenece|juega|estudia|habla|llega|empieza|usa|queda|quedan|se llama|vive|trabaja|tengo|tenemos)(?!\p{L})/iu,
    ),
  ],
  exclusions: {
    question: [
      opening(
        "¿",
        "(?:qué|quién|cuándo|dónde|cómo|por qué|cuánt[oa]s?|cuál|alguien sabe|puedes|podéis|podrías|puede usted|me puedes|me podrías)",
      ),
    ],
    smallTalk: [
      wholeSentence(
        "hola(?: \\p{L}+){0,2}|buen[oa]s(?: \\p{L}+)?|genial|perfecto|vale|ok|claro|sí|no|besos|saludos",
      ),
      opening(
        "(?:me tengo que ir|tengo que irme|querid[oa]s?|estimad[oa]s?|gracias|muchas gracias|felicidades|enhorabuena|adiós|hasta (?:luego|pronto|mañana)|nos vemos|te llamo|lo pasamos|un (?:abrazo|saludo)|bienvenid[oa]s?|esperamos que|espero que|lo siento|perdón|qué (?:bien|bueno|guay|pena|rico)|jaja\\p{L}*|me alegro|estoy (?:muy |tan |un poco )?(?:cansad[oa]|content[oa]|feliz|nervios[oa]))",
      ),
      phrases(
        "(?:fue|es|está|estuvo|estaba|era) (?:muy |tan |un poco |bastante |súper )?(?:divertid[oa]|genial|bonit[oa]|cansad[oa]|aburrid[oa]|ric[oa]|bien|mal|buen[oa]|content[oa])",
      ),
    ],
    speculation: [
      phrases(
        "quizás?",
        "tal vez",
        "a lo mejor",
        "probablemente",
        "podríamos",
        "podría(?:n|s)?",
        "creo que",
        "pienso que",
        "supongo",
        "me pregunto",
        "no sé",
        "no estoy segur[oa]",
        "sería",
        "estaría",
        "parece que",
        "habría que",
        "ojalá",
        "algún día",
        "igual (?:deberíamos|podemos)",
      ),
    ],
    unclear: [
      opening(
        "(?:eso|esto|esta|este|ese|esa|ello|él|ella|ellos|ellas|lo|la|le) (?:es|está|fue|era|ha|son|tiene|hizo|va|dije)",
        "(?:entonces|luego|porque|pues|así que)",
      ),
    ],
  },
  fillers: leadingFillers(
    "por cierto|bueno|pues|y|pero|ah|oh|además",
    "sí|no|vale|ok|nota|importante|ojo|aviso|recordatorio|pd",
  ),
};

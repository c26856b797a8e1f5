// Owns the Portuguese words by which sentences become memories or are excluded.

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
  "\\d|segunda|terça|quarta|quinta|sexta|sábado|domingo|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|semana|mês|fim|final|amanhã";

export const portuguese: Lexicon = {
  language: "pt",
  functionWords: words(
    `o a os as um uma de do da dos das e é são está estão em no na nos nas que não se com por para ao à pelo pela seu sua meu minha
     eu nós você vocês nosso nossa muito mas como mais ou já há foi ser estar tem tenho desde até este esta isso quando também nunca
     sempre só deve devem porque me ele ela eles moro trabalho tenho uso usa usamos cada minha fica ficam`,
  ),
  cues: [
    certain(
      "rule",
      phrases(
        "(?:deve|devem|devemos)(?! ser (?:legal|ótimo|difícil))",
        "não (?:pode|podem|se pode|é permitido|são permitid[oa]s|devem?)",
        "é preciso",
        "tod[oa]s .{1,40} precisam? (?:de|ser|ter|passar)",
        "(?:é|são|está|estão) (?:expressamente |estritamente )?(?:proibid[oa]s?|obrigatóri[oa]s?|vedad[oa]s?)",
        "(?:só|somente|apenas) (?:\\S+ ){0,4}?(?:pode|podem)",
        "em hipótese alguma",
        "sem exceç(?:ão|ões)",
        "(?:tem|têm|temos) (?:que|de)(?= )",
        "(?:nunca|sempre) (?:deve|devem|\\p{L}+ar|\\p{L}+er|\\p{L}+ir)",
      ),
    ),
    certain(
      "rule",
      opening(
        "(?:nunca|sempre|jamais|não (?:use|usem|envie|enviem|deixe|deixem|faça|façam|coloque|compartilhe|publique|apague|mexa|suba|esqueça de)|use (?:sempre|apenas|só)|responda|me chame|evite|a partir de agora|de agora em diante|(?:só|somente|apenas) (?:\\S+ ){1,6}?(?:pode|podem))",
      ),
    ),
    certain(
      "correction",
      phrases(
        "correção",
        "já não",
        "não \\S+ mais",
        "na verdade",
        "em vez de",
        "ao invés de",
        "e não (?:o|a|em|\\d)",
        "foi (?:renomead|substituíd|adiad|cancelad)[oa]s?",
        "(?:adiad|cancelad|substituíd)[oa]s?",
      ),
    ),
    certain(
      "decision",
      phrases(
        "(?:decidimos|decidiu-se|decidiram|combinamos|acordamos|escolhemos|aprovamos|optamos|resolvemos|concordamos|adotamos)",
        "(?:foi|foram|ficou) (?:decidid|acordad|aprovad|escolhid|combinad|definid|adotad|eleit)[oa]s?",
        "decisão",
        "(?:vamos|passamos a|migramos|mudamos|trocamos|ficamos com|deixamos de|mantemos) ",
      ),
    ),
    certain(
      "deadline",
      phrases(
        `(?:até|antes d[eoa]|prazo|data limite|vence\\p{L}*|expira\\p{L}*|válid[oa]s?|fechad[oa]s?|de férias|de licença|fora d[eo]|suspens[oa]s?|indisponíve\\p{L}+|o mais tardar) .{0,50}?(?:${day})`,
        `(?:será|é|são|começa|termina|abre|fecha|acontece|ocorre|sai) .{0,40}?(?:no|na|em|dia|às) (?:dia )?(?:${day})`,
      ),
    ),
    certain(
      "identity",
      phrases(
        "me chamo",
        "meu nome",
        "(?:moro|trabalho|nasci|estudo|venho|falo|vivo|dou aulas?) (?:em|no|na|como|para|de|com|só|\\p{L}+)",
        "sou (?:\\S+ )?(?:vegetarian[oa]|vegan[oa]|alérgic[oa]|celíac[oa]|intolerante|de \\p{Lu}\\p{L}+|\\p{L}+(?:eir[oa]|or|ora|ista|ico|ica|ante|ente|ogo|oga|ado|ada))",
        "tenho (?:\\S+ )?(?:\\d+ anos|alergia|um cachorro|um cão|uma gata|um gato|uma filha|um filho|dois|duas|três|diabetes|asma|intolerância)",
        "(?:meu|minha) (?:\\S+ )?(?:nome|aniversário|endereço|número|telefone|trabalho|fuso|cor favorita|comida favorita)",
        "alérgic[oa]s?",
        "celíac[oa]s?",
      ),
    ),
    certain(
      "relation",
      phrases(
        "(?:meu|minha|meus|minhas) (?:\\S+ )?(?:mulher|esposa|marido|esposo|parceir[oa]|companheir[oa]|namorad[oa]|filh[oa]s?|irmãos?|irmãs?|mãe|pai|pais|cachorr[oa]|cão|gat[oa]|chef[ea]|colega|avós?|avô|avó|ti[oa]|prim[oa]|vizinh[oa])",
        "(?:é|são|será|continua) (?:o|a|os|as|noss[oa]) (?:nov[oa] )?(?:\\S+ )?(?:responsáve[li]\\p{L}?|encarregad[oa]|diretor\\w?|chefe|contato|contacto|presidente|tesoureir[oa]|coordenador\\w?)",
        "cuida(?:m)? d[eoa]s?",
        "(?:vai|vão|ficam?) (?:para|com) (?:[oa] )?\\p{L}+",
        "(?:é|são) responsáve(?:l|is)",
        "(?:dirige|gerencia|gere|coordena|mantém|revisa|substitui|assume)m?",
      ),
    ),
    certain(
      "preference",
      phrases(
        "prefir[oa]",
        "prefere(?:m)?",
        "preferimos",
        "(?:não )?gosto d(?:e|o|a|os|as) (?!ideia|isso|você)",
        "adoro (?!isso|a ideia)",
        "odeio",
        "não (?:como|bebo|fumo|tomo|suporto|uso|posso comer)",
        "(?:meu|minha) (?:\\S+ )?(?:favorit[oa]|preferid[oa])",
      ),
    ),
    certain(
      "tool",
      phrases(
        "(?:usa|usam|usamos|utiliza|utilizamos|utilizam|funciona|funcionam|roda|rodam|requer|suporta|escuta|hospedad[oa]s?|ficam? (?:guardad|armazenad)[oa]s?|armazenad[oa]s?|escrit[oa]s? em|gerid[oa]s? por|gerenciad[oa]s? por|basead[oa]s? em) .{0,40}?(?:\\d|\\p{Lu}|em|no|na|por|com)",
      ),
    ),
    certain(
      "change",
      phrases(
        "(?:me mudei|mudei|comprei|vendi|assinei|comecei|larguei|deixei|adotei|reservei|troquei|consegui|casei|aposentei|pedi demissão|entrei)",
        "(?:compramos|vendemos|assinamos|começamos|adotamos|reservamos|contratamos|nos mudamos)",
        "a partir d[eoa]s? ",
        "desde (?:\\d|janeiro|fevereiro|março|abril|maio|junho|julho|agosto|setembro|outubro|novembro|dezembro|o|a|que)",
        "agora (?:é|está|usamos|fica|moro|trabalho)",
        "(?:foi|foram) (?:\\p{L}+ )?(?:movid|transferid|eleit|nomead|removid|fundid)[oa]s?",
      ),
    ),
    certain(
      "state",
      phrases(
        "cada (?:\\S+ )?(?:noite|dia|semana|mês|manhã|tarde|ano)",
        "tod[oa]s [oa]s (?:noites|dias|semanas|meses|manhãs|tardes|segundas|terças|quartas|quintas|sextas|sábados|domingos)",
        "por padrão",
      ),
    ),
    likely(
      "state",
      /^[^,;:]{1,70}? (?:é|são|está|estão|tem|têm|custa|custam|mede|contém|dura|abre|fecha|continua|continuam|aceita|inclui|permite|recebe|pertence|fecha|mora|trabalha|passa|passou|fica|ficam|usa|joga|estuda|fala|chega|começa|se chama|tenho|temos)(?!\p{L})/iu,
    ),
  ],
  exclusions: {
    question: [
      opening(
        "(?:o que|que|quem|quando|onde|como|por que|quant[oa]s?|qual|será que|alguém sabe|você (?:pode|poderia)|vocês podem|pode me|me manda|poderia)",
      ),
    ],
    smallTalk: [
      wholeSentence(
        "olá(?: \\p{L}+){0,2}|oi(?: \\p{L}+){0,2}|car[oa]s?(?: \\p{L}+){0,2}|ótimo|perfeito|legal|ok|claro|sim|não",
      ),
      opening(
        "(?:bom dia|boa (?:tarde|noite|sorte|ideia)|prezad[oa]s?|obrigad[oa]|muito obrigad[oa]|parabéns|tchau|te ligo|a gente se vê|até (?:logo|mais|breve|amanhã)|um abraço|abraços?|beijos?|bem-vind[oa]s?|tudo bem|espero que|desculp\\p{L}+|que (?:bom|legal|pena|delícia)|kkk\\p{L}*|haha\\p{L}*|estou (?:muito |tão |um pouco )?(?:cansad[oa]|feliz|contente|nervos[oa]))",
        "(?:obrigad[oa]|parabéns|espero que|tudo bem|bem-vind[oa]s?|desculp\\p{L}+|que (?:bom|legal|pena))",
      ),
      phrases(
        "(?:foi|é|está|estava|era|ficou) (?:muito |tão |um pouco |bastante |super )?(?:divertid[oa]|ótim[oa]|bonit[oa]|cansad[oa]|chat[oa]|gostos[oa]|legal|bom|boa|feliz|ruim)",
      ),
    ],
    speculation: [
      phrases(
        "talvez",
        "quem sabe",
        "provavelmente",
        "poderíamos",
        "poderia(?:m)?",
        "acho que",
        "penso que",
        "suponho",
        "não sei",
        "não tenho certeza",
        "seria",
        "parece que",
        "deveríamos",
        "tomara",
        "um dia",
        "de repente",
      ),
    ],
    unclear: [
      opening(
        "(?:isso|isto|esse|essa|este|esta|ele|ela|eles|elas) (?:é|está|foi|era|são|tem|fez|vai)",
        "(?:então|depois|porque|pois|aí)",
      ),
    ],
  },
  fillers: leadingFillers(
    "aliás|bom|bem|e|mas|ah|oh|além disso|a propósito",
    "sim|não|ok|então|nota|importante|atenção|aviso|lembrete|ps",
  ),
};

// Owns the conversion to the third person outside English: "Ich wohne in Kiel" becomes "Anke wohnt in Kiel". It applies only to sentences
// that begin with "I" and its verb and do not mention the speaker again. Must never guess: other sentences are not converted.

import type { Language } from "./lexicon/language.ts";

type OtherLanguage = Exclude<Language, "en">;

interface Conversion {
  /** Group 1: the text between name and verb, such as a negation. Group 2: the verb. */
  readonly opening: RegExp;
  readonly forms: Readonly<Record<string, string>>;
  /** For verbs that are not in `forms`; null if the language has no safe rule. */
  readonly regular: (verb: string) => string | null;
  /** A second verb or another word for the speaker in the rest, which would have to be converted too. */
  readonly unsupported: RegExp;
}

const none = () => null;

const conversions: Readonly<Record<OtherLanguage, Conversion>> = {
  de: {
    opening: /^ich ()(\p{L}+)(?!\p{L})/iu,
    forms: forms(
      `bin:ist habe:hat hab:hat mag:mag muss:muss kann:kann will:will darf:darf möchte:möchte esse:isst lese:liest fahre:fährt
       spreche:spricht nehme:nimmt schlafe:schläft trage:trägt vertrage:verträgt laufe:läuft gebe:gibt weiß:weiß sehe:sieht helfe:hilft treffe:trifft vergesse:vergisst lasse:lässt halte:hält werde:wird`,
    ),
    regular: (verb) => {
      if (!/^\p{L}{3,}e$/u.test(verb)) return null;
      const stem = verb.slice(0, -1);
      return /(?:[td]|[^aeiouhlrmn][mn])$/.test(stem) ? `${stem}et` : `${stem}t`;
    },
    unsupported:
      /(?<!\p{L})(?:ich|mich|mir|mein\p{L}*|wir|uns|unser\p{L}*|(?:und|aber|oder) \p{Ll}+e)(?!\p{L})/iu,
  },
  fr: {
    opening: /^(?:moi,? )?j(?:e |['’])(ne |n['’])?(\p{L}+)(?!\p{L})/iu,
    forms: forms(
      `suis:est ai:a vais:va fais:fait dois:doit peux:peut veux:veut viens:vient tiens:tient bois:boit vis:vit dors:dort prends:prend
       lis:lit écris:écrit suis:est connais:connaît pars:part`,
    ),
    regular: (verb) => (/^\p{L}{2,}e$/u.test(verb) ? verb : null),
    unsupported:
      /(?<!\p{L})(?:je|j['’]\p{L}+|me|m['’]\p{L}+|moi|mon|ma|mes|nous|notre|nos|et \p{Ll}+e)(?!\p{L})/iu,
  },
  es: {
    opening: /^(?:yo )?(no )?(\p{L}+)(?!\p{L})/iu,
    forms: forms(
      `soy:es estoy:está tengo:tiene vivo:vive trabajo:trabaja estudio:estudia hablo:habla prefiero:prefiere uso:usa como:come
       bebo:bebe fumo:fuma odio:odia puedo:puede debo:debe quiero:quiere necesito:necesita toco:toca juego:juega hago:hace`,
    ),
    regular: none,
    unsupported: /(?<!\p{L})(?:yo|me|mí|mis?|conmigo|nosotr[oa]s|nos|nuestr[oa]s?|[ye] \p{Ll}+o)(?!\p{L})/iu,
  },
  pt: {
    opening: /^(?:eu )?(não )?(\p{L}+)(?!\p{L})/iu,
    forms: forms(
      `sou:é estou:está tenho:tem moro:mora vivo:vive trabalho:trabalha estudo:estuda falo:fala prefiro:prefere uso:usa como:come
       bebo:bebe fumo:fuma odeio:odeia posso:pode devo:deve quero:quer preciso:precisa adoro:adora gosto:gosta jogo:joga faço:faz`,
    ),
    regular: none,
    unsupported: /(?<!\p{L})(?:eu|me|mim|meus?|minhas?|comigo|nós|nos|noss[oa]s?|e \p{Ll}+o)(?!\p{L})/iu,
  },
  it: {
    opening: /^(?:io )?(non )?(\p{L}+)(?!\p{L})/iu,
    forms: forms(
      `ho:ha vivo:vive abito:abita lavoro:lavora studio:studia parlo:parla preferisco:preferisce uso:usa mangio:mangia bevo:beve
       fumo:fuma odio:odia posso:può devo:deve voglio:vuole adoro:adora gioco:gioca insegno:insegna faccio:fa suono:suona`,
    ),
    regular: none,
    unsupported: /(?<!\p{L})(?:io|mi|me|mio|mia|miei|mie|noi|ci|nostr[oaie]|e \p{Ll}+o)(?!\p{L})/iu,
  },
};

/** The sentence with the name as its subject; null if the conversion is not safe. */
export function toThirdPersonOtherLanguage(
  sentence: string,
  language: OtherLanguage,
  name: string,
): string | null {
  const { opening, forms: known, regular, unsupported } = conversions[language];
  const [matched = "", between = "", verb = ""] = opening.exec(sentence) ?? [];
  const converted = known[verb.toLowerCase()] ?? (verb === "" ? null : regular(verb.toLowerCase()));
  const rest = sentence.slice(matched.length);
  if (converted === null || unsupported.test(rest)) return null;
  const before =
    /^n['’]$/i.test(between) && !/^[aeiouhéèêâ]/i.test(converted) ? "ne " : between.toLowerCase();
  return `${name} ${before}${converted}${rest}`;
}

function forms(list: string): Readonly<Record<string, string>> {
  return Object.fromEntries(list.split(/\s+/).map((pair) => pair.split(":")));
}

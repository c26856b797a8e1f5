// Owns the text in which attributes are looked for, and which statements say what is true now. Pure.

const statementMaxCharacters = 300;
const saidOn = / \((?:said on \d{4}-\d{2}-\d{2}|\d{1,2} [A-Z][a-z]+ \d{4})\)$/;
/** The beginning of the day that an extraction has put behind the text, milliseconds since 1970; null: there is none. */
export function saidDay(content: string): number | null {
  const [, day] =
    /(\d{4}-\d{2}-\d{2}|\d{1,2} [A-Z][a-z]+ \d{4})\)$/.exec(saidOn.exec(content)?.[0] ?? "") ?? [];
  const at = day === undefined ? Number.NaN : Date.parse(`${day} UTC`);
  return Number.isNaN(at) ? null : at;
}

/** Words that change nothing about the attribute. */
const adverbs =
  /(?<!\p{L})(?:now|currently|recently|just|finally|officially|already|actually|instead(?! of)|these days|nowadays|as of (?:today|now|this week)|at the moment|permanently|, effective immediately)(?!\p{L})/giu;

/** What an extraction writes instead of "last week" or "two days ago": when it happened, not what is true. */
const besideDay =
  /,? (?:(?:in|on|at|during) )?(?:the )?(?:a few |several |\p{L}+ |\d+ )?(?:days?|weeks?|weekends?|months?|years?|night|morning|evening|afternoon) (?:before|after|of) (?:\p{L}+day )?\d{1,2} (?:January|February|March|April|May|June|July|August|September|October|November|December) \d{4}/gu;

/** One sentence without its end and adverbs of time; null: the text has several sentences, or is too long. */
export function toStatement(content: string): string | null {
  if (content.length > statementMaxCharacters) return null;
  const [text = ""] = content.split(saidOn);
  const sentence = text
    .trim()
    .replace(/[.!]+$/, "")
    .replaceAll("’", "'")
    .replaceAll(/(?<!\p{L})(Dr|Mr|Mrs|Ms|Prof|St)\. /gu, "$1 ");
  if (/[?!:\n"“”]|\.\s/.test(sentence.replace(/\d:\d/g, "").replace(/https?:/g, ""))) return null;
  return sentence
    .replace(besideDay, "")
    .replace(adverbs, " ")
    .replace(/ +/g, " ")
    .replace(/ ,/g, ",")
    .replace(/^(?:since|as of|from|in|on|after|last) [^,]{2,40}, /i, "")
    .trim();
}

const subject =
  /^(?:[Tt]he user|(?!The |Our |Its )\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*){0,2})(?:'s \p{Ll}+)?(?= \p{Ll})|^[Tt]he (?:\p{L}+ )??(?:team|project|company|\p{L}+)(?= (?:is|was|has|uses|moved|switched|migrated)(?: |$))/u;
const conjunction = /; ?|,? (?:and|but|so|after|since|because) |, (?=now |is |has )/;

/** The clauses of a sentence, each with its subject. */
export function clausesOf(statement: string): readonly string[] {
  const [first = "", ...others] = statement.split(conjunction);
  const of = subject.exec(first)?.[0];
  if (of === undefined) return [first, ...others.filter((clause) => /^\p{Lu}/u.test(clause))];
  return [
    first,
    ...others.flatMap((clause) => {
      if (/^(?:\p{Lu}|the )/u.test(clause)) return [clause];
      const verb = clause.replace(/^(?:he|she|they|it) /, "");
      return /^(?:\p{Ll}+(?:s|ed)|no longer|left|took|got|became) /u.test(`${verb} `)
        ? [`${of} ${verb}`]
        : [];
    }),
  ];
}

/** Plans, wishes, guesses, the past, what is temporary, what is added, and what others say. */
const unreliable =
  /(?<!\p{L})(?:if|unless|would|could|might|may be|maybe|perhaps|probably|possibly|wants? to|wanted to|plans? (?:to|is|are|on)|planned(?! (?:for|on|at) )|planning|hopes?|hoping|wishes|dreams?|considers?|considering|considered|thinks?|thinking|thought|intends?|wondering|wonders|almost|nearly|should|will|going to|used to|formerly|previously|originally|once|before|was born|grew up|as a child|also|too|as well|another|second|additional|additionally|temporarily|temporary|part-time|on the side|on weekends|at weekends|visiting|visited|trip|vacation|holiday|for the (?:summer|winter|weekend|week|month)|(?<!(?:kept|retained|stored|valid|cached|saved|archived|preserved|held) )for (?:a|two|three|four|\d+) (?:days?|weeks?|months?)|this week|until|during|sometimes|occasionally|says?|said|claims?|told|believes?|according to|rumou?red|apparently|jokes?|joked|suggests?|suggested|proposes?|proposed|asked|would like|either|or|not sure|tried|trying|tries|test(?=$|,| of| in)|trial|for example|in case|unlike)(?!\p{L})/iu;

export function isReliable(statement: string): boolean {
  return !unreliable.test(statement);
}

const relatives =
  "(?:\\p{Ll}+-)?(?:brother|sister|wife|husband|mother|father|parents?|son|daughter|child|children|kids?|friend|cousin|uncle|aunt|grand\\p{Ll}+|colleague|boss|neighbou?r|fianc[eé]e?|partner|girlfriend|boyfriend|niece|nephew|twin|roommate|flatmate|team|company|employer)s?";

/** Whether a text contains a phrase as whole words, in any case. `before` and `after` are regular expressions of what must be around it. */
export function contains(text: string, phrase: string, before = "(?<!\\p{L})", after = ""): boolean {
  const quoted = phrase.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`${before}${quoted}(?!\\p{L})${after}`, "iu").test(text);
}

const someone =
  /^(?:[Tt]he user|(?!The |Our |Its |A |An )\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*){0,2})(?='s (?=\p{Ll})| \p{Ll})/u;

/** The person with whom a statement begins, as it is written; null: it begins with something else. */
export function personOf(statement: string): string | null {
  return someone.exec(statement)?.[0].replace(/'s$/, "") ?? null;
}

/** "Ana's car" becomes "Ana", and "Ana's sister" stays. */
export function withoutPossession(name: string): string {
  const [owner = "", ...owned] = name.split("'s ");
  const relative = new RegExp(`^${relatives}(?!\\p{L})`, "u").exec(owned.join("'s "))?.[0];
  return relative === undefined ? owner : `${owner}'s ${relative}`;
}

/** Whether a statement is about a person, and not about a relative of that person only. */
export function isAboutPerson(statement: string, name: string): boolean {
  return contains(statement, name, undefined, `(?!'s ${relatives}(?!\\p{L}))`);
}

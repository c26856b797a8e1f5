// Owns English verb forms: what "I" takes and what a name takes. Must never guess a tense from anything but the word itself.

const irregular: Readonly<Record<string, string>> = {
  am: "is",
  are: "is",
  were: "was",
  have: "has",
  "haven't": "hasn't",
  do: "does",
  "don't": "doesn't",
  "aren't": "isn't",
  "weren't": "wasn't",
  "ain't": "isn't",
  go: "goes",
  wanna: "wants to",
  gonna: "is going to",
  gotta: "has to",
};

const unchanged = new Set(
  `is was has does had did will would can could should must may might shall cannot won't wouldn't can't couldn't shouldn't mustn't
   didn't hadn't wasn't isn't hasn't doesn't not used to and or but who which that with in at on of for
   was went got made took saw came knew thought told felt left kept held brought bought began found gave met ran said sat sent
   spoke spent stood swam taught understood wrote won became broke built caught chose drew drank drove ate fell flew forgot grew
   heard led lost paid rode rose sang slept sold stole threw woke wore dreamt learnt fought hung meant shot taught hid blew bit
   bred dealt dug fed froze laid lent lit overcame rang sank shook shone stuck struck swore tore withdrew cut set put quit hit let`.split(
    /\s+/,
  ),
);
/** End in "-ed" without being past. */
const presentInEd = new Set(
  "need feed breed exceed proceed succeed speed bleed heed embed seed weed".split(" "),
);

/** The form after a name: "love" -> "loves", "am" -> "is"; past and modal verbs stay. */
export function conjugate(verb: string): string {
  const lower = verb.toLowerCase();
  const known = irregular[lower];
  if (known !== undefined) return known;
  if (unchanged.has(lower) || isPastTense(lower) || !/^[a-z][a-z'-]*$/.test(lower)) return verb;
  if (/[^aeiou]y$/.test(lower)) return `${verb.slice(0, -1)}ies`;
  if (/(?:s|x|z|ch|sh|o)$/.test(lower)) return `${verb}es`;
  return `${verb}s`;
}

/** The form after "they". */
export function pluralOf(verb: string): string {
  if (verb === "am" || verb === "is") return "are";
  return verb === "was" ? "were" : verb;
}

export function isPastTense(verb: string): boolean {
  const lower = verb.toLowerCase();
  return (
    (/ed$/.test(lower) && !presentInEd.has(lower)) ||
    (unchanged.has(lower) && !/^(?:is|has|does)$/.test(lower))
  );
}

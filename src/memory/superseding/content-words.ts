// Owns the words of a statement that say something, in a form in which they can be compared. English only. Pure.

const withoutMeaning: ReadonlySet<string> = new Set(
  "a an the of to in on at for with by from as is are was were be been has have had and or but so now new old it its his her their he she they this that these those who which while when all any some every each other one two more most very at home place there here work works job day days week weeks month months year years time last next since after before because january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday".split(
    " ",
  ),
);
const word = /[\p{L}\p{N}][\p{L}\p{N}.'_-]*[\p{L}\p{N}]|[\p{L}\p{N}]/gu;

export function contentWords(text: string): string[] {
  const found: readonly string[] = text.toLowerCase().match(word) ?? [];
  return found.filter((each) => !withoutMeaning.has(each)).map(stemOf);
}

/** "stopped smoking" and "smokes" have one stem. */
function stemOf(text: string): string {
  return text
    .replace(/'s$/, "")
    .replace(/(?:ies|ied|ying)$/, "y")
    .replace(/([b-df-hj-np-tv-z])\1(?:ing|ed)$/, "$1")
    .replace(/(?:ing|ed|es|s|e)$/, "");
}

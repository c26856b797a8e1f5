// Owns whether a statement that says what is true now gives a subject another value than an older one: "Ana now trains at Ironworks." English
// only. Pure. Must never read a verb that can have several objects at a time, such as "uses".

import { contentWords } from "./content-words.ts";
import type { StateReading } from "./state-change.ts";
import { clausesOf, contains } from "./statement.ts";

/** Verbs with one object at a time, and the words behind a form of "be" that say the same. */
const single =
  /^(?:lives?|works?|stays?|sleeps?|runs?|drives?|costs?|starts?|begins?|ends?|meets?|earns?|weighs?|pays?|reports?|belongs?|depends?|deploys?|builds?|stores?|listens?|studies|trains?|banks?|commutes?|sits?|parks?|sends?|publishes|logs?|targets?|points?|opens?|closes?|arrives?|leaves?|releases?|expires?|keeps?|(?:is|are) (?:\p{L}+ed|held|kept|built|sent|written|made|in|at|on|by|with|called|from|under|located|due))(?= )/u;
const preposition = /^(?:in|at|on|for|by|with|from|to|as|into|under|of)$/;

/** Whether the text can give a new value at all. */
export function saysWhatIsNow({ saysNow, isReliable }: StateReading): boolean {
  return saysNow && isReliable;
}

/** "Ana now trains at Ironworks." is said instead of "Ana trains at FitHaus." */
export function givesNewValue(newer: StateReading | null, older: StateReading | null): boolean {
  if (newer === null || older === null || !saysWhatIsNow(newer) || !older.isReliable) return false;
  const former = older.predicate;
  const verbOf = single.exec(former)?.[0];
  if (verbOf === undefined) return false;
  return clausesOf(newer.statement).some((clause) => {
    const begin = clause.replace(/^(?:the|our|its|their) /i, "");
    if (!begin.toLowerCase().startsWith(`${older.phrase.toLowerCase()} `)) return false;
    const predicate = begin
      .slice(older.phrase.length + 1)
      .replace(/^(?:has been|have been) (\p{L}+)ing/u, "$1s");
    const verb = single.exec(predicate)?.[0];
    if (verb === undefined || contentWords(verb).join() !== contentWords(verbOf).join()) return false;
    const [said, says] = [former.slice(verbOf.length).trim(), predicate.slice(verb.length).trim()];
    const [one = "", other = ""] = [said.split(" ")[0], says.split(" ")[0]];
    if ((preposition.test(one) || preposition.test(other)) && one !== other) return false;
    // A name takes the place of a name, a number that of a number.
    return kindOf(said) === kindOf(says) && !contains(says, said) && !contains(said, says);
  });
}

function kindOf(value: string): string {
  const [first = ""] = value.replace(
    /^(?:(?:in|at|on|for|by|with|from|to|as|into|under|of|the|an?|about) )*/u,
    "",
  );
  return /\p{Lu}/u.test(first) ? "name" : /\d/.test(first) ? "number" : "other";
}

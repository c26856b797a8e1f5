// Owns the habits and diets of persons. Pure.

import { person, type Rule, rule } from "./rule.ts";

const has = "(?:has |have )?";

const diets: readonly (readonly [pattern: RegExp, diet: string])[] = [
  [/no longer|not .*any ?more|again|stopped being/, "everything"],
  [/vegan/, "vegan"],
  [/vegetarian/, "vegetarian"],
  [/pescatarian/, "pescatarian"],
  [/keto/, "keto"],
  [/gluten/, "gluten-free"],
  [/meat/, "everything"],
];
const dietOf = (text = "") => diets.find(([pattern]) => pattern.test(text))?.[1] ?? null;

/** "drinks coffee", "drinking coffee" and "drink coffee" are one habit. */
function habitOf(verb: string, object: string): string {
  const stem = verb
    .toLowerCase()
    .replace(/(?:ies|ying)$/, "y")
    .replace(/([a-z])\1ing$/, "$1")
    .replace(/(?:es|ing|s|e)$/, "");
  const what =
    object
      .toLowerCase()
      .replace(/^/, " ")
      .split(
        / (?:every|each|on|in|at|with|for|before|after|twice|three|once|any ?more|at all|to|because|since|as)(?: |$)|,/,
      )[0] ?? "";
  return `habit ${stem} ${what
    .trim()
    .replace(/^(?:the|an?|her|his|their) /, "")
    .trim()}`.trim();
}
const habits =
  "drinks?|smokes?|plays?|runs?|takes?|attends?|practi[cs]es?|goes|go|eats?|wears?|reads?|volunteers?|commutes?|cycles?|swims?|teaches|teach|coaches|uses?|learns?|rents?|owns?|watches|bikes?|does|works?|jogs?|sings?|subscribes?";
const pausedHabits =
  "drinking|smoking|playing|running|taking|attending|practi[cs]ing|going|eating|wearing|reading|volunteering|commuting|cycling|swimming|teaching|coaching|using|learning|renting|owning|watching|biking|doing|working|jogging|singing|subscribing";

export const habitRules: readonly Rule[] = [
  rule(
    `${person} (?:is|became|has become|went|has gone|has been|follows|is on|turned) (?:an? |the )?(?:strict )?(?<v>vegan|vegetarian|pescatarian|keto|gluten-free)(?: diet)?(?: .*)?`,
    "diet",
    ({ v }) => dietOf(v),
  ),
  rule(
    `${person} (?<v>is no longer (?:an? )?(?:vegan|vegetarian|pescatarian)|stopped being (?:an? )?(?:vegan|vegetarian|pescatarian)|is not (?:an? )?(?:vegan|vegetarian) any ?more|eats meat again|(?:has )?started eating meat again)(?: .*)?`,
    "diet",
    ({ v }) => dietOf(v),
  ),
  rule(
    `${person} (?:no longer|does not|doesn't) (?<n>drink|smoke|play|run|take|attend|practi[cs]e|go|eat|wear|read|volunteer|commute|cycle|swim|teach|coach|use|learn|rent|own|watch|bike|do|work|jog|sing|subscribe|${habits})(?: (?<o>.+))?`,
    ({ n = "", o = "" }) => habitOf(n, o),
    () => "no",
  ),
  rule(
    `${person} ${has}(?:stopped|quit|gave up|given up) (?<n>${pausedHabits})(?: (?<o>.+))?`,
    ({ n = "", o = "" }) => habitOf(n, o),
    () => "no",
  ),
  rule(
    `${person} ${has}(?:quit|gave up|given up|stopped) (?<o>coffee|alcohol|sugar|meat|caffeine)(?: .*)?`,
    ({ o = "" }) => habitOf(o === "coffee" || o === "alcohol" || o === "caffeine" ? "drinks" : "eats", o),
    () => "no",
  ),
  rule(
    `${person} (?:started|(?:has )?started|took up|taken up|is) (?<n>${pausedHabits}) (?<o>.+?) again`,
    ({ n = "", o = "" }) => habitOf(n, o),
    () => "yes",
  ),
];

/** Any other habit, so that "no longer" is understood; read after all other rules. */
export const habitRule: Rule = rule(
  `${person} (?<n>${habits})(?: (?<o>.+))?`,
  ({ n = "", o = "" }) => habitOf(n, o),
  () => "yes",
);

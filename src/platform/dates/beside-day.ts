// Owns periods beside a named day: "in the week before 8 May 2023", "two weeks before 8 May 2023". The extractor writes "last week" and "two
// weeks ago" in this way, so these must be as long as those in relative-phrases.ts.

import { dayMs, unitDays } from "./calendar.ts";
import { dayOf, daysFrom, hull, type Period, weekendOf } from "./period.ts";
import { type Phrase, phrase } from "./phrase.ts";
import { count, countsOf, month, monthNumber, some, year } from "./words.ts";

export const besideDay: Phrase = phrase(
  `(?:(?<amount>${count}|${some}) |the )?(?<unit>day|week|weekend|month|year)s? (?<relation>before|after|of) (?:(?<day>\\d{1,2}) (?<month>${month})|(?<name>${month}) (?<number>\\d{1,2})),? (?<year>${year})`,
  ({ amount, unit = "", relation = "", day, month: name, name: other, number, year: of }) => {
    const at = dayOf(Number(of), monthNumber(name ?? other ?? ""), Number(day ?? number))?.from;
    return at === undefined ? null : beside(at, relation.toLowerCase(), unit.toLowerCase(), amount);
  },
);

function beside(at: number, relation: string, unit: string, amount: string | undefined): Period {
  const length = unitDays[unit] ?? 1;
  const days = Math.ceil(length);
  if (relation === "of")
    return unit === "weekend" ? weekendOf(at) : daysFrom(at - Math.floor(length / 2) * dayMs, days);
  if (amount === undefined) return daysFrom(relation === "before" ? at - days * dayMs : at, days);
  const tolerance = unit === "day" ? 0 : (length * dayMs) / 2;
  const [near, far] = countsOf(amount).map(
    (times) => at + (relation === "before" ? -1 : 1) * times * length * dayMs,
  );
  const ends = [near ?? at, far ?? at];
  return hull(daysFrom(Math.min(...ends) - tolerance), daysFrom(Math.max(...ends) + tolerance));
}

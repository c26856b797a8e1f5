// Owns the period that a query asks for: "What did we decide last week?" Must give none where it is not sure that a date is meant, because
// a query without one is answered by an exact search.

import { earliestMs } from "../time/timestamp.ts";
import { namedPhrases } from "./named-phrases.ts";
import { daysFrom, hull, intersection, type Period } from "./period.ts";
import { type FoundPeriod, findPhrases, type Reading, toSearchable } from "./phrase.ts";
import { relativePhrases } from "./relative-phrases.ts";

const phrases = [...relativePhrases, ...namedPhrases];
const future =
  /(?<!\p{L})(?:will|won't|going to|gonna|upcoming|coming|next|plan(?:s|ned|ning)?|scheduled|due|deadlines?|until|till)(?!\p{L})|'ll(?!\p{L})/iu;
const past =
  /(?<!\p{L})(?:did|didn't|was|were|had|has|have|happened|said|told|went|made|got|saw|met|took|ago|\p{L}{3,20}ed)(?!\p{L})/iu;
const bound =
  /(?:^|\P{L})(?<word>since|after|before|prior to|earlier than|later than) (?:the )?(?:(?:early|late|mid|end of|start of|beginning of)[ -](?:the )?)?$/iu;
const rangeStart = /(?:^|\P{L})(?:between|from) (?:the )?$/iu;
const rangeMiddle = /^ ?(?:and|to|until|till|through|-|–) ?(?:the )?$/iu;

/**
 * Null: the query names no time. Of several, it is their common part, or the first one if they have none.
 * @param now milliseconds since 1970. Days, weeks (from Monday) and months are those of UTC.
 */
export function periodOf(query: string, now: number): Period | null {
  const text = toSearchable(query);
  const found = findPhrases(text, phrases, { now, tense: tenseOf(text) });
  let period: Period | null = null;
  let end = 0;
  for (const [index, each] of found.entries()) {
    if (each.start < end) continue;
    const next = found[index + 1];
    const range = next === undefined ? null : rangeOf(text, each, next);
    if (range !== null) end = next?.end ?? end;
    const named = range ?? bounded(text.slice(Math.max(0, each.start - 40), each.start), each.period, now);
    if (named !== null) period = period === null ? named : (intersection(period, named) ?? period);
  }
  return period;
}

function tenseOf(text: string): NonNullable<Reading>["tense"] {
  if (future.test(text)) return "future";
  return past.test(text) ? "past" : "unclear";
}

/** "Between 3 May and 10 June": from the start of one to the end of the other. */
function rangeOf(text: string, first: FoundPeriod, second: FoundPeriod): Period | null {
  const isRange =
    rangeStart.test(text.slice(Math.max(0, first.start - 40), first.start)) &&
    second.start - first.end < 20 &&
    rangeMiddle.test(text.slice(first.end, second.start));
  return isRange && first.period.from < second.period.until ? hull(first.period, second.period) : null;
}

/** "Since May", "before 2022", "after last Friday". Null: no time is left. */
function bounded(before: string, period: Period, now: number): Period | null {
  const word = bound.exec(before)?.groups?.word?.toLowerCase();
  if (word === undefined) return period;
  const present = daysFrom(now).until;
  const after = (from: number) => (from < present ? { from, until: present } : null);
  if (word === "since") return after(period.from);
  if (word === "after" || word === "later than")
    return after(period.until) ?? { from: period.until, until: period.until + (period.until - period.from) };
  return { from: earliestMs, until: period.from };
}

// Owns periods: half-open intervals of time, in UTC. Must never read a clock or a text.

import { isDay } from "../time/timestamp.ts";
import { dayMs, mondayOf, seasonStarts, startOfDay } from "./calendar.ts";

/** Milliseconds since 1970; `until` is the first moment after the period. */
export interface Period {
  readonly from: number;
  readonly until: number;
}

export function daysFrom(time: number, count = 1): Period {
  const from = startOfDay(time);
  return { from, until: from + count * dayMs };
}

/** Null: there is no such day. @param month from 0 */
export function dayOf(year: number, month: number, day: number): Period | null {
  return isDay(year, month + 1, day) ? daysFrom(Date.UTC(year, month, day)) : null;
}

/** The week, from Monday to Sunday, so many weeks after that of the time. */
export function weekOf(time: number, later = 0): Period {
  return daysFrom(mondayOf(time) + later * 7 * dayMs, 7);
}

/** The Saturday and Sunday of that week. */
export function weekendOf(time: number, later = 0): Period {
  return daysFrom(mondayOf(time) + (later * 7 + 5) * dayMs, 2);
}

/** @param month from 0; months out of range are in another year */
export function monthsFrom(year: number, month: number, count = 1): Period {
  return { from: Date.UTC(year, month), until: Date.UTC(year, month + count) };
}

export function yearsFrom(year: number, count = 1): Period {
  return monthsFrom(year, 0, 12 * count);
}

/** Winter begins in the year and ends in the next one. */
export function seasonOf(name: string, year: number): Period {
  return monthsFrom(year, seasonStarts[name.toLowerCase()] ?? 0, 3);
}

export function hull(first: Period, second: Period): Period {
  return { from: Math.min(first.from, second.from), until: Math.max(first.until, second.until) };
}

/** Null: they have no moment in common. */
export function intersection(first: Period, second: Period): Period | null {
  const from = Math.max(first.from, second.from);
  const until = Math.min(first.until, second.until);
  return from < until ? { from, until } : null;
}

/** Which part of `part` is in the period, 0..1. */
export function shareIn(period: Period, part: Period): number {
  const common = intersection(period, part);
  return common === null ? 0 : (common.until - common.from) / (part.until - part.from);
}

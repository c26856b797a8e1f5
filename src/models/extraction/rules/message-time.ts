// Owns parsing the time in front of a message: "[2027-01-11 18:20] Ann:", "Date: Mon, 3 Nov 2026". Must not be used for running text.

import * as chrono from "chrono-node";

const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d))?)?/;
const longest = 60;

/** Parses times and caches them: chats repeat the same time in many lines, and the date parser is slow. */
export function timeReader(now: number): (words: string) => number | null {
  const known = new Map<string, number | null>();
  return (words) => {
    const before = known.get(words);
    if (before !== undefined) return before;
    const time = parseMessageTime(words, now);
    known.set(words, time);
    return time;
  };
}

/** Milliseconds since 1970; null without a day. A time without a day is ignored, because a chat may continue after midnight. */
function parseMessageTime(words: string, now: number): number | null {
  const match = iso.exec(words);
  if (match !== null) {
    const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = match
      .slice(1)
      .map((part) => Number(part ?? 0));
    return Date.UTC(year, month - 1, day, hour, minute, second);
  }
  const [result] = chrono.en.casual.parse(words.slice(0, longest), { instant: new Date(now), timezone: 0 });
  return result?.start.isCertain("day") === true ? result.start.date().getTime() : null;
}

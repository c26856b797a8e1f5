// Reads the questions about a time in this folder, and the memories that answer them. In a series, memories differ by their dates and by what
// is asked for. Dates are relative to the present where the questions are: "d-2" is the day before yesterday, "w-1" Wednesday of last week,
// "e-1" Saturday of last week, "m-1" the 15th of last month.

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dayMs, mondayOf, monthNames, startOfDay } from "../../../src/platform/dates/calendar.ts";

interface DatedMemory {
  readonly series: string;
  readonly content: string;
}

interface DatedQuestion {
  readonly series: string;
  readonly question: string;
  /** A text that only the right memory contains. */
  readonly answer: string;
}

export interface DatedQuestions {
  readonly memories: readonly DatedMemory[];
  readonly questions: readonly DatedQuestion[];
}

export function loadDatedQuestions(now: number): DatedQuestions {
  const memories: DatedMemory[] = [];
  const questions: DatedQuestion[] = [];
  const text = readFileSync(join(import.meta.dir, "questions.txt"), "utf8");
  let topics: readonly string[] = [];
  let series = "";
  const add = (content: string, when: string) =>
    memories.push({ series, content: filled(content, timeOf(when, now)) });
  for (const line of text.split("\n")) {
    const [first = "", second = "", third = ""] = line.split(" | ");
    if (first.trim() === "") continue;
    if (first.startsWith("# ")) series = first.slice(2);
    else if (first.startsWith("? ")) {
      const question = first
        .slice(2)
        .replace(/\{([^}]+)\}/g, (_, when: string) => inWords(timeOf(when, now)));
      const answer = second.replace(/^\*(\d+)$/, (_, day: string) => topics[Number(day)] ?? "");
      questions.push({ series, question, answer });
    } else if (first === "daily") {
      topics = third.split(" ");
      for (const [day, topic] of topics.entries()) add(second.replace("*", topic), `d-${day}`);
    } else add(second, first);
  }
  return { memories, questions };
}

/** @throws Error for a word of no known form */
function timeOf(word: string, now: number): number {
  if (/^\d{4}-\d\d-\d\d$/.test(word)) return Date.parse(word);
  const [, unit, count] = /^([dwem])([+-]\d+)$/.exec(word) ?? [];
  const amount = Number(count);
  const today = new Date(now);
  if (unit === "d") return startOfDay(now) + amount * dayMs;
  if (unit === "w") return mondayOf(now) + (7 * amount + 2) * dayMs;
  if (unit === "e") return mondayOf(now) + (7 * amount + 5) * dayMs;
  if (unit === "m") return Date.UTC(today.getUTCFullYear(), today.getUTCMonth() + amount, 15);
  throw new Error(`${word} is no date.`);
}

function filled(content: string, time: number): string {
  const [year, month, day] = new Date(time).toISOString().slice(0, 10).split("-").map(Number);
  const name = monthNames[(month ?? 1) - 1];
  return content
    .replace("{date}", `${day} ${name} ${year}`)
    .replace("{us}", `${name} ${day}, ${year}`)
    .replace("{iso}", new Date(time).toISOString().slice(0, 10))
    .replace("{month}", `${name} ${year}`);
}

function inWords(time: number): string {
  return filled("{date}", time);
}

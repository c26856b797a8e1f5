// Owns the forms in which sources write values: dates, lists, objects, numbers and switches, also as the texts of a table. What is none
// stays as it is, so that the check of the memory refuses it with the name of its field.

import { isInteroperable, isObject, type Json, readJson } from "../../platform/json/json.ts";
import { fromMoment } from "../../platform/time/iso8601.ts";
import { latestMs, toTimestamp } from "../../platform/time/timestamp.ts";
import type { FoundMemory } from "./entry.ts";

/** Larger numbers are milliseconds: in seconds, this is the year 5138. */
const secondsBelow = 1e11;
const unixTime = /^-?(?:\d{9,}|\d+\.\d+)$/;

export function isNothing(value: Json | undefined): value is null | undefined | "" {
  return value === null || value === undefined || (typeof value === "string" && value.trim() === "");
}

/** ISO 8601, UTC without a time zone, or the seconds or milliseconds since 1970. A date is its first moment. */
export function toTime(value: Json): Json {
  const seconds = typeof value === "string" && unixTime.test(value.trim()) ? Number(value) : value;
  if (typeof seconds === "string") {
    const ms = fromMoment(seconds.trim())?.firstMs;
    return ms === undefined ? value : toTimestamp(ms);
  }
  if (typeof seconds !== "number") return value;
  const ms = Math.round(Math.abs(seconds) < secondsBelow ? seconds * 1_000 : seconds);
  return Math.abs(ms) > latestMs ? value : toTimestamp(ms);
}

/** A date without a time is its last moment: what ends on a day is true on it. */
export function toEnd(value: Json): Json {
  const time = toTime(value);
  const isDay = typeof value === "string" && /^\d{4}-\d{2}-\d{2}$/.test(value.trim());
  return isDay && typeof time === "string" ? time.replace("T00:00:00.000Z", "T23:59:59Z") : time;
}

/** The first of the dates that there is. */
export function firstTime(...dates: readonly (Json | undefined)[]): Json | undefined {
  const date = dates.find((each) => !isNothing(each));
  return date === undefined ? undefined : toTime(date);
}

/** When a memory was said: the first of the dates that there is. */
export function saidAt(...dates: readonly (Json | undefined)[]): Pick<FoundMemory, "origins"> {
  const said_at = firstTime(...dates);
  return said_at === undefined ? {} : { origins: [{ said_at }] };
}

/** What expires is a context. */
export function until(end: Json | undefined): Pick<FoundMemory, "memory_type" | "expires_at"> {
  return isNothing(end) ? {} : { memory_type: "context", expires_at: toEnd(end) };
}

/** Undefined also for JSON so deep that nothing could write it again: it stays a text, which is refused. */
function readCell(text: string): Json | undefined {
  const parsed = readJson(text);
  return isInteroperable(parsed) ? parsed : undefined;
}

/** An array, JSON text of one, or a text with commas. */
export function toList(value: Json): Json {
  if (typeof value !== "string") return value;
  const parsed = readCell(value);
  if (Array.isArray(parsed)) return parsed;
  return value
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
}

/** Tags; none if the list is empty. */
export function tagged(...lists: readonly (Json | undefined)[]): Pick<FoundMemory, "tags"> {
  const given = lists
    .filter((each) => !isNothing(each))
    .map((each) => (each === undefined ? [] : toList(each)));
  const other = given.find((each) => !Array.isArray(each));
  const tags = other ?? given.flat();
  return Array.isArray(tags) && tags.length === 0 ? {} : { tags };
}

/** An object, or JSON text of one. */
export function toObject(value: Json): Json {
  const parsed = typeof value === "string" ? readCell(value) : value;
  return isObject(parsed) ? parsed : value;
}

export function described(metadata: Json | undefined): Pick<FoundMemory, "metadata"> {
  const object = isNothing(metadata) ? null : toObject(metadata);
  const isEmpty = object === null || (isObject(object) && Object.keys(object).length === 0);
  return isEmpty ? {} : { metadata: object };
}

export function toNumber(value: Json): Json {
  return typeof value === "string" && /^-?\d*\.?\d+$/.test(value.trim()) ? Number(value) : value;
}

export function toSwitch(value: Json): Json {
  if (typeof value === "object") return value;
  const text = String(value).trim().toLowerCase();
  if (["true", "1", "yes"].includes(text)) return true;
  return ["false", "0", "no"].includes(text) ? false : value;
}

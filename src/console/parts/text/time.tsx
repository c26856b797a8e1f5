// Shows times: local or in UTC, as the person has chosen, and the other one in the title.

import { now } from "../../clock.ts";
import { savedChoice } from "../saved-choice.ts";

export const zones = ["local", "UTC"] as const;
export type Zone = (typeof zones)[number];

export const zoneChoice = savedChoice("memledger.zone", zones, "local");

const parts = {
  year: "numeric",
  month: "2-digit",
  day: "2-digit",
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
} as const;
/** The format of Sweden is that of ISO 8601 with a space. */
const formats: Readonly<Record<Zone, Intl.DateTimeFormat>> = {
  local: new Intl.DateTimeFormat("sv-SE", parts),
  UTC: new Intl.DateTimeFormat("sv-SE", { ...parts, timeZone: "UTC" }),
};
const localZone = formats.local.resolvedOptions().timeZone;

/** `2026-11-22 19:24:01`, with `UTC` behind it in UTC. A text that is no time is returned as it is. */
export function timeText(at: string | number, zone: Zone): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return String(at);
  return zone === "UTC" ? `${formats.UTC.format(time)} UTC` : formats.local.format(time);
}

/** Of a column with such texts, in rem: they have 14 characters at most, such as "59 minutes ago". */
export const agoWidth = 8;

const agoFormat = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const units = [
  ["year", 31_536_000],
  ["month", 2_592_000],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;

/** Such as `3 hours ago` or `in 2 days`. */
export function agoText(at: string | number): string {
  const seconds = (new Date(at).getTime() - now()) / 1_000;
  const [unit, length] = units.find(([, each]) => Math.abs(seconds) >= each) ?? ["second", 1];
  return agoFormat.format(Math.trunc(seconds / length), unit);
}

interface TimeProps {
  /** ISO 8601, or milliseconds since 1970; null: `none` is shown. */
  readonly at: string | number | null;
  /** Such as "never". Default: – */
  readonly none?: string;
  /** Shows `3 hours ago`, and the time itself in the title. */
  readonly ago?: boolean;
}

export function Time({ at, none = "–", ago = false }: TimeProps) {
  if (at === null) return <span class="quiet">{none}</span>;
  const zone = zoneChoice.value;
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return <span>{String(at)}</span>;
  const [here, utc] = [`${timeText(at, "local")} (${localZone})`, timeText(at, "UTC")];
  const title = ago ? `${here}, ${utc}` : zone === "UTC" ? here : utc;
  return (
    <time class="time" dateTime={time.toISOString()} title={title}>
      {ago ? agoText(at) : timeText(at, zone)}
    </time>
  );
}

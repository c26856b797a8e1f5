// A span of time to choose: one of some usual ones, or two times in the zone that the person has chosen.

import { now } from "../../clock.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { timeText, type Zone, zoneChoice } from "./time.tsx";

/** ISO 8601 in UTC; null: no limit. Both are included */
export interface Span {
  readonly start: string | null;
  readonly end: string | null;
}

export const anyTime: Span = { start: null, end: null };
/** For calls that need both times: before every record, after every record. */
export const allTime = { start: "1970-01-01T00:00:00Z", end: "9999-12-31T00:00:00Z" };

const hourMs = 3_600_000;
const lastSpans = [
  ["Last hour", hourMs],
  ["Last 24 hours", 24 * hourMs],
  ["Last 7 days", 7 * 24 * hourMs],
  ["Last 30 days", 30 * 24 * hourMs],
] as const;

interface SpanProps {
  readonly span: Span;
  readonly onChange: (span: Span) => void;
}

export function SpanMenu({ span, onChange }: SpanProps) {
  const zone = zoneChoice.value;
  return (
    <Menu
      label={`Time: ${spanText(span, zone)}`}
      button={
        <>
          {spanText(span, zone)}
          <Icon name="down" />
        </>
      }
    >
      {(close) => {
        const choose = (chosen: Span) => {
          onChange(chosen);
          close();
        };
        return (
          <div class="menu-list">
            <button type="button" onClick={() => choose(anyTime)}>
              Any time
            </button>
            {lastSpans.map(([label, lengthMs]) => (
              <button
                key={label}
                type="button"
                onClick={() => choose({ start: new Date(now() - lengthMs).toISOString(), end: null })}
              >
                {label}
              </button>
            ))}
            <SpanFields span={span} onChange={onChange} />
          </div>
        );
      }}
    </Menu>
  );
}

/** Two fields for the times. */
export function SpanFields({ span, onChange }: SpanProps) {
  const zone = zoneChoice.value;
  const field = (name: keyof Span, label: string) => (
    <label>
      <span>{label}</span>
      <input
        type="datetime-local"
        step="1"
        value={toField(span[name], zone)}
        onChange={({ currentTarget }) => onChange({ ...span, [name]: fromField(currentTarget.value, zone) })}
      />
    </label>
  );
  return (
    <div class="span-fields">
      {field("start", "From")}
      {field("end", "Until")}
      <p class="quiet">{zone === "UTC" ? "UTC" : "Local time"}. Both are included</p>
    </div>
  );
}

/** Such as `Since 2026-11-22 19:24:01`. A time of `allTime` is no limit. */
export function spanText({ start, end }: Span, zone: Zone): string {
  const from = start === null || start < "1970-01-02" ? null : timeText(start, zone);
  const until = end === null || end > "9999" ? null : timeText(end, zone);
  if (from === null) return until === null ? "Any time" : `Until ${until}`;
  return until === null ? `Since ${from}` : `${from} to ${until}`;
}

/** `2026-11-22T19:24:01`, as the field has it; empty: no time. */
function toField(at: string | null, zone: Zone): string {
  const time = new Date(at ?? Number.NaN);
  if (Number.isNaN(time.getTime())) return "";
  return timeText(time.getTime(), zone).slice(0, 19).replace(" ", "T");
}

function fromField(text: string, zone: Zone): string | null {
  const time = new Date(zone === "UTC" ? `${text}Z` : text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

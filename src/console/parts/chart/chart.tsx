// Charts over time. A chart is as wide as its place. Its values at one time are read with the pointer or the arrow keys; for screen readers it
// is a slider over the times, whose text is the values.

import { useEffect, useRef, useState } from "preact/hooks";
import { timeText, zoneChoice } from "../text/time.tsx";
import type { ChartData } from "./data.ts";
import { Plot, plotLeft, plotRight } from "./plot.tsx";
import { nearestIndex } from "./scale.ts";

interface ChartProps extends ChartData {
  /** What the chart shows, in words, with its main figures. */
  readonly summary: string;
  /** In pixels. Default: 180 */
  readonly height?: number;
}

export function Chart({ summary, height = 180, ...data }: ChartProps) {
  const { times, series, format } = data;
  const place = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  const [chosen, setChosen] = useState<number | null>(null);
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    const observer = new ResizeObserver(() => setWidth(current.clientWidth));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const zone = zoneChoice.value;
  const last = times.length - 1;
  const read = chosen === null || last < 0 ? null : Math.min(chosen, last);
  const time = read === null ? null : timeText((times[read] ?? 0) * 1_000, zone);
  const textAt = (index: number | null, values: ChartData["series"][number]["values"]) => {
    const value = index === null ? null : (values[index] ?? null);
    return value === null ? "–" : format(value);
  };
  const timeAt = (pixels: number) => {
    const [first = 0, end = 0] = [times[0], times[last]];
    return first + ((pixels - plotLeft) / Math.max(1, width - plotLeft - plotRight)) * (end - first);
  };
  const step = (event: KeyboardEvent) => {
    const next = keySteps[event.key]?.(read ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    setChosen(Math.max(0, Math.min(next, last)));
  };
  return (
    <figure class="chart">
      <div
        ref={place}
        style={{ height: `${height}px` }}
        role="slider"
        aria-roledescription="chart"
        aria-label={summary}
        aria-valuemin={0}
        aria-valuemax={Math.max(last, 0)}
        aria-valuenow={read ?? Math.max(last, 0)}
        aria-valuetext={[
          timeText((times[read ?? last] ?? 0) * 1_000, zone),
          ...series.map(({ label, values }) => `${label} ${textAt(read ?? last, values)}`),
        ].join(", ")}
        tabIndex={0}
        onKeyDown={step}
        onFocus={() => setChosen((previous) => previous ?? last)}
        onBlur={() => setChosen(null)}
        onPointerMove={({ offsetX }) => setChosen(nearestIndex(times, timeAt(offsetX)))}
        onPointerLeave={({ currentTarget }) => {
          if (document.activeElement !== currentTarget) setChosen(null);
        }}
      >
        {width > 0 && <Plot {...data} width={width} height={height} zone={zone} read={read} />}
      </div>
      <figcaption>
        <span>{time ?? "Move the pointer or use the arrow keys to read values"}</span>
        {series.map(({ label, color, values }) => (
          <span key={label}>
            <i style={{ borderColor: `var(${color})` }} /> {label} <b>{textAt(read, values)}</b>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

const keySteps: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowLeft: (at) => at - 1,
  ArrowDown: (at) => at - 1,
  ArrowRight: (at) => at + 1,
  ArrowUp: (at) => at + 1,
  PageDown: (at) => at - 10,
  PageUp: (at) => at + 10,
  Home: () => 0,
  End: (_, last) => last,
};

// Draws a chart as SVG: axes, lines, and the marks at the time that is read. Colours are those of the style sheet, so it follows the theme.

import { timeText, type Zone } from "../text/time.tsx";
import type { ChartData } from "./data.ts";
import { linePath, timeScale, valueScale } from "./scale.ts";

interface PlotProps extends ChartData {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
  readonly zone: Zone;
  /** Index of the time that is read. */
  readonly read: number | null;
}

/** Space for the labels of the axes, in pixels. */
export const plotLeft = 56;
export const plotRight = 10;
const top = 8;
const bottom = 34;
const timeLabelWidth = 76;

export function Plot({ times, series, format, width, height, zone, read }: PlotProps) {
  const right = Math.max(width - plotRight, plotLeft + 1);
  const floor = height - bottom;
  const y = valueScale(
    Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0))),
    top,
    floor,
  );
  const room = Math.max(1, Math.floor((right - plotLeft) / timeLabelWidth));
  const offsetOf = (seconds: number) =>
    zone === "UTC" ? 0 : -60 * new Date(seconds * 1_000).getTimezoneOffset();
  const x = timeScale(times, [plotLeft, right], room, offsetOf);
  const placeOf = (index: number) => x.of(times[index] ?? 0);
  return (
    <svg width={width} height={height} aria-hidden="true">
      {y.ticks.map((tick) => {
        const label = format(tick);
        return (
          label !== "" && (
            <g key={tick}>
              <path class="grid" d={`M${plotLeft} ${y.of(tick)}H${right}`} />
              <text x={plotLeft - 8} y={y.of(tick) + 4} text-anchor="end">
                {label}
              </text>
            </g>
          )
        );
      })}
      {timeLabels(x.ticks, zone).map(({ tick, time, date }) => (
        <g key={tick} text-anchor="middle">
          <text x={x.of(tick)} y={floor + 16}>
            {time}
          </text>
          <text x={x.of(tick)} y={floor + 30}>
            {date}
          </text>
        </g>
      ))}
      {read !== null && <path class="reading" d={`M${placeOf(read)} ${top}V${floor}`} />}
      {series.map(({ label, color, values }) => (
        <path
          key={label}
          class="line"
          style={{ stroke: `var(${color})` }}
          d={linePath(values, placeOf, y.of)}
        />
      ))}
      {read !== null &&
        series.map(({ label, color, values }) => {
          const value = values[read] ?? null;
          return (
            value !== null && (
              <circle
                key={label}
                cx={placeOf(read)}
                cy={y.of(value)}
                r={3.5}
                style={{ fill: `var(${color})` }}
              />
            )
          );
        })}
    </svg>
  );
}

/** The time of the day, with the date below the first one and at each new day. */
function timeLabels(ticks: readonly number[], zone: Zone) {
  let previous = "";
  return ticks.map((tick) => {
    const text = timeText(tick * 1_000, zone);
    const day = text.slice(5, 10);
    const date = day === previous ? "" : day;
    previous = day;
    return { tick, time: text.slice(11, 16), date };
  });
}

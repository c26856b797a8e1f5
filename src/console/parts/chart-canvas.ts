// Draws a chart with uPlot, in the colours of the theme, and as wide as its place. Everything is set through the CSSOM, as the policy of the
// page demands.

import uPlot from "uplot";
import type { Canvas, ChartData, ChartOptions } from "./chart-data.ts";

export function drawChart(place: HTMLElement, options: ChartOptions): Canvas {
  const { height, format, isUtc } = options;
  const style = getComputedStyle(place);
  const color = (name: string) => style.getPropertyValue(name).trim();
  const font = `11px ${style.fontFamily}`;
  const axis: uPlot.Axis = {
    stroke: color("--text-quiet"),
    font,
    grid: { stroke: color("--line"), width: 1 },
    ticks: { show: false },
  };
  const chart = new uPlot(
    {
      width: Math.max(place.clientWidth, 1),
      height,
      ...(isUtc ? { tzDate: (seconds: number) => uPlot.tzDate(new Date(seconds * 1_000), "Etc/UTC") } : {}),
      legend: { live: true },
      cursor: { points: { size: 6 }, drag: { x: false, y: false } },
      axes: [
        { ...axis, values: timeLabels(isUtc) },
        { ...axis, size: 56, values: (_, values) => values.map(format) },
      ],
      series: [
        { value: isUtc ? "{YYYY}-{MM}-{DD} {HH}:{mm} UTC" : "{YYYY}-{MM}-{DD} {HH}:{mm}" },
        ...options.series.map(
          (each): uPlot.Series => ({
            label: each.label,
            stroke: color(each.color),
            width: 1.5,
            points: { show: true, size: 4, space: 0, filter: (drawn, index) => alone(drawn.data[index]) },
            value: (_, value) => (value === null ? "–" : format(value)),
          }),
        ),
      ],
    },
    aligned(options),
    place,
  );
  const observer = new ResizeObserver(() => {
    if (place.clientWidth > 0) chart.setSize({ width: place.clientWidth, height });
  });
  observer.observe(place);
  return {
    update: (data) => chart.setData(aligned(data)),
    end() {
      observer.disconnect();
      chart.destroy();
    },
  };
}

/** Indexes of values between gaps: no line leads to them. */
function alone(values: uPlot.AlignedData[number] | undefined): number[] {
  const isThere = (value: number | null | undefined) => value !== null && value !== undefined;
  return Array.from(values ?? []).flatMap((value, index, all) =>
    isThere(value) && !isThere(all[index - 1]) && !isThere(all[index + 1]) ? [index] : [],
  );
}

/** The time of the day, with the date below the first one and at midnight; for long periods the date only. */
function timeLabels(isUtc: boolean): uPlot.Axis.DynamicValues {
  const zone = isUtc ? { timeZone: "UTC" } : {};
  const day = new Intl.DateTimeFormat("sv-SE", { month: "2-digit", day: "2-digit", ...zone });
  const time = new Intl.DateTimeFormat("sv-SE", { hour: "2-digit", minute: "2-digit", ...zone });
  return (_, splits, __, ___, stepSeconds) => {
    let former = "";
    return splits.map((seconds) => {
      const at = seconds * 1_000;
      const date = day.format(at);
      const isNew = date !== former;
      former = date;
      if (stepSeconds >= daySeconds) return date;
      return isNew ? `${time.format(at)}\n${date}` : time.format(at);
    });
  };
}

const daySeconds = 86_400;

function aligned({ times, series }: ChartData): uPlot.AlignedData {
  return [[...times], ...series.map(({ values }) => [...values])];
}

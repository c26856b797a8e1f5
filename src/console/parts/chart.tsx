// Charts over time. uPlot is a chunk of its own, which is loaded with the first chart. Must be the only user of uPlot, with chart-canvas.ts.

import { useEffect, useRef } from "preact/hooks";
import type { Canvas, ChartData } from "./chart-data.ts";
import { isSystemDark, themeChoice } from "./theme-choice.ts";
import { zoneChoice } from "./time.tsx";

interface ChartProps extends ChartData {
  /** What the chart shows, in words, with its main figures: screen readers have nothing else. */
  readonly summary: string;
  /** In pixels. Default: 180 */
  readonly height?: number;
  /** Of the values on the axis and in the legend. */
  readonly format: (value: number) => string;
}

export function Chart({ summary, times, series, height = 180, format }: ChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const canvas = useRef<Canvas | null>(null);
  const shape = series.map(({ label, color }) => `${label} ${color}`).join("\n");
  const data = useRef({ times, series });
  data.current = { times, series };
  useEffect(() => {
    const { current } = place;
    if (current === null) return;
    let isGone = false;
    void import("./chart-canvas.ts").then(({ drawChart }) => {
      if (isGone) return;
      canvas.current = drawChart(current, {
        ...data.current,
        height,
        format,
        isUtc: zoneChoice.value === "UTC",
      });
    });
    return () => {
      isGone = true;
      canvas.current?.end();
      canvas.current = null;
    };
  }, [shape, height, themeChoice.value, isSystemDark.value, zoneChoice.value]);
  useEffect(() => canvas.current?.update({ times, series }), [times, series]);
  return (
    <figure class="chart">
      <div ref={place} style={{ minHeight: `${height}px` }} role="img" aria-label={summary} />
    </figure>
  );
}

// Owns where the lines of a chart and of its axes are. Pure; knows no element of the page.

/** Places of one axis: `of` a value, in pixels. */
export interface Scale {
  readonly ticks: readonly number[];
  readonly of: (value: number) => number;
}

/** From 0 to a round number that is not below `max`, in at most five steps of 1, 2 or 5 times a power of ten. `of(0)` is `bottom`. */
export function valueScale(max: number, top: number, bottom: number): Scale {
  const power = 10 ** Math.floor(Math.log10((max || 1) / 5));
  const step = power * ([1, 2, 5].find((each) => 5 * each * power >= max) ?? 10);
  const steps = Math.max(1, Math.ceil(max / step));
  return {
    // Rounded, because 3 times 0.1 is not 0.3.
    ticks: Array.from({ length: steps + 1 }, (_, index) => Number((index * step).toPrecision(12))),
    of: (value) => bottom - (value / (steps * step)) * (bottom - top),
  };
}

const timeSteps = [60, 300, 600, 900, 1_800, 3_600, 7_200, 10_800, 21_600, 43_200, 86_400];

/**
 * From the first to the last time, in round steps of the local time.
 * @param most how many ticks have room
 * @param offsetOf seconds from UTC to the local time; it changes with daylight saving time
 */
export function timeScale(
  times: readonly number[],
  [left, right]: readonly [number, number],
  most: number,
  offsetOf: (seconds: number) => number,
): Scale {
  const [first, last] = [times[0] ?? 0, times.at(-1) ?? 0];
  const length = last - first;
  const step = timeSteps.find((each) => length / each <= most) ?? Math.ceil(length / most / 86_400) * 86_400;
  const begin = Math.ceil((first + offsetOf(first)) / step) * step - offsetOf(first);
  const ticks: number[] = [];
  for (let at = begin; at <= last; at += step) ticks.push(at - (offsetOf(at) - offsetOf(first)));
  return {
    ticks: ticks.filter((tick) => tick >= first && tick <= last),
    of: (seconds) => left + (length === 0 ? 0.5 : (seconds - first) / length) * (right - left),
  };
}

/** Index of the time that is nearest to `at`; -1: there are no times. */
export function nearestIndex(times: readonly number[], at: number): number {
  const distances = times.map((time) => Math.abs(time - at));
  return distances.indexOf(Math.min(...distances));
}

const point = "m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0";

/** The path of a line, with a gap at each null. A value between gaps is a small circle: a line without length could not be seen. */
export function linePath(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: Scale["of"],
): string {
  let isDrawing = false;
  const parts = values.map((value, index) => {
    if (value === null) {
      isDrawing = false;
      return "";
    }
    const isPoint = !isDrawing && (values[index + 1] ?? null) === null;
    const part = `${isDrawing ? "L" : "M"}${x(index).toFixed(1)} ${y(value).toFixed(1)}${isPoint ? point : ""}`;
    isDrawing = true;
    return part;
  });
  return parts.join("");
}

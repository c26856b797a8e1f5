// Tests what the parts of the console compute, without a browser: rows by pages, selections, visible rows, differences of texts, times.

import { expect, test } from "bun:test";
import fc from "fast-check";
import { linePath, nearestIndex, timeScale, valueScale } from "../../src/console/parts/chart/scale.ts";
import { rowWindow, scrollToRow } from "../../src/console/parts/table/row-window.ts";
import { createRows, type LoadPage } from "../../src/console/parts/table/rows.ts";
import {
  allMatching,
  isSelected,
  nothingSelected,
  select,
  selectedCount,
} from "../../src/console/parts/table/selection.ts";
import { differenceOf } from "../../src/console/parts/text/text-difference.ts";

/** Pages of ten numbers. */
function numbers(count: number) {
  const loads: number[] = [];
  let failing = false;
  const load: LoadPage<number> = async (cursor) => {
    if (failing) throw new Error("no connection");
    const from = Number(cursor ?? 0);
    loads.push(from);
    const rows = Array.from({ length: Math.min(10, count - from) }, (_, offset) => from + offset);
    return { rows, next: from + 10 < count ? String(from + 10) : null, total: count };
  };
  return {
    loads,
    rows: createRows(load),
    fail: (fails: boolean) => {
      failing = fails;
    },
  };
}

/** Pages of ten rows of a list that changes: a cursor names the last row of the page before, as those of the API do. */
function changing(all: number[]) {
  const load: LoadPage<number> = async (cursor) => {
    const after = all.filter((row) => row > Number(cursor ?? -1));
    const rows = after.slice(0, 10);
    return { rows, next: after.length > 10 ? String(rows.at(-1)) : null, total: all.length };
  };
  return createRows(load);
}

/** What loads answers before the next turn of the event loop. */
const loaded = () => new Promise((resolve) => setImmediate(resolve));

test("rows are loaded page by page, as they are needed", async () => {
  const { rows, loads } = numbers(35);
  expect([rows.known(), rows.isComplete(), rows.total()]).toEqual([0, false, null]);
  rows.need(0, 8);
  expect(rows.isLoading()).toBe(true);
  await loaded();
  expect([rows.known(), rows.isComplete(), rows.total(), rows.at(9), rows.at(10)]).toEqual([
    10,
    false,
    35,
    9,
    undefined,
  ]);
  for (const last of [10, 20, 30]) {
    rows.need(last - 5, last);
    await loaded();
  }
  expect([rows.known(), rows.isComplete(), rows.at(34)]).toEqual([35, true, 34]);
  expect(loads).toEqual([0, 10, 20, 30]);
});

test("a list without rows is complete", async () => {
  const { rows } = numbers(0);
  rows.need(0, 0);
  await loaded();
  expect([rows.known(), rows.isComplete(), rows.total()]).toEqual([0, true, 0]);
});

test("after a change of many, the reader stays where the reader was", async () => {
  const all = Array.from({ length: 60 }, (_, row) => row);
  const rows = changing(all);
  for (let last = 0; last < 60; last += 10) {
    rows.need(last, last + 9);
    await loaded();
  }
  rows.need(30, 39);
  const gone = [12, 33, 34, 50];
  for (const row of gone) all.splice(all.indexOf(row), 1);
  rows.reload();
  expect([rows.known(), rows.at(30), rows.total()]).toEqual([60, 30, 60]);
  for (let round = 0; round < 3; round++) {
    rows.need(30, 39);
    await loaded();
  }
  expect(rows.total()).toBe(56);
  const shown = Array.from({ length: 10 }, (_, offset) => rows.at(30 + offset));
  expect(shown).toEqual([30, 31, 32, 35, 36, 37, 38, 39, 40, 41]);
  for (let round = 0; round < 8; round++) {
    rows.need(0, 70);
    await loaded();
  }
  expect([rows.known(), rows.isComplete()]).toEqual([56, true]);
  expect(await rows.collect(0, 70)).toEqual(all);
});

test("pages far away are dropped, and loaded again from their cursor", async () => {
  const { rows, loads } = numbers(1_000);
  for (let last = 0; last < 300; last += 10) {
    rows.need(Math.max(last - 5, 0), last);
    await loaded();
  }
  expect(rows.at(0)).toBeUndefined();
  expect(rows.at(290)).toBe(290);
  expect(rows.known()).toBe(300);
  loads.length = 0;
  rows.need(0, 5);
  await loaded();
  expect(rows.at(3)).toBe(3);
  expect(loads).toEqual([0]);
  expect(await rows.collect(8, 12)).toEqual([8, 9, 10, 11, 12]);
});

test("a failure is kept until it is tried again, and nothing that was loaded is lost", async () => {
  const { rows, fail } = numbers(30);
  rows.need(0, 5);
  await loaded();
  fail(true);
  rows.need(5, 10);
  await loaded();
  expect(rows.failure()).toEqual(new Error("no connection"));
  expect([rows.known(), rows.at(5)]).toEqual([10, 5]);
  await expect(rows.collect(0, 15)).rejects.toThrow("no connection");
  fail(false);
  rows.need(5, 10);
  expect(rows.isLoading()).toBe(false);
  rows.retry();
  rows.need(5, 10);
  await loaded();
  expect([rows.failure(), rows.known()]).toEqual([null, 20]);
});

test("a load of a previous list changes nothing", async () => {
  const { rows } = numbers(30);
  rows.need(0, 5);
  rows.reload();
  await loaded();
  expect(rows.known()).toBe(0);
  rows.need(0, 5);
  await loaded();
  expect(rows.known()).toBe(10);
  rows.replace((row) => row === 3, 33);
  expect(rows.at(3)).toBe(33);
});

test("a selection names rows, or all that match except some", () => {
  const some = select(nothingSelected, ["a", "b"], true);
  expect([isSelected(some, "a"), isSelected(some, "c"), selectedCount(some, 100)]).toEqual([true, false, 2]);
  expect(selectedCount(select(some, ["a"], false), 100)).toBe(1);
  const all = select(allMatching, ["a"], false);
  expect([isSelected(all, "a"), isSelected(all, "c"), selectedCount(all, 100)]).toEqual([false, true, 99]);
  expect(selectedCount(select(all, ["a"], true), 100)).toBe(100);
  expect(selectedCount(all, null)).toBeNull();
});

test("the window has every visible row, and few others, at any length and position", () => {
  const scrolls = fc.record({
    count: fc.integer({ min: 0, max: 2_000_000 }),
    rowHeight: fc.constantFrom(36, 60),
    viewHeight: fc.integer({ min: 50, max: 3_000 }),
    part: fc.double({ min: 0, max: 1, noNaN: true }),
  });
  fc.assert(
    fc.property(scrolls, ({ part, ...options }) => {
      const full = rowWindow({ ...options, scrollTop: 0 });
      const height = full.above + (full.end - full.first) * options.rowHeight + full.below;
      expect(height).toBeLessThanOrEqual(16_000_000);
      const scrollTop = part * Math.max(height - options.viewHeight, 0);
      const { first, end, above, below } = rowWindow({ ...options, scrollTop });
      expect(end - first).toBeLessThanOrEqual(Math.ceil(options.viewHeight / options.rowHeight) + 18);
      expect([first >= 0, end <= options.count, above >= 0, below >= 0]).toEqual([true, true, true, true]);
      // What is drawn covers the view, unless the list ends before.
      const drawnEnd = above + (end - first) * options.rowHeight;
      expect(above).toBeLessThanOrEqual(scrollTop + 0.5);
      expect(drawnEnd >= scrollTop + options.viewHeight - 0.5 || end === options.count).toBe(true);
    }),
  );
});

test("scrolling to a row shows it whole, also at the end of a million", () => {
  const options = { count: 1_000_000, rowHeight: 36, viewHeight: 600 };
  for (const index of [0, 17, 500_000, 999_999]) {
    const scrollTop = scrollToRow({ ...options, scrollTop: 0 }, index) ?? 0;
    const { first, end } = rowWindow({ ...options, scrollTop });
    expect([first <= index, index < end]).toEqual([true, true]);
    expect(scrollToRow({ ...options, scrollTop: scrollTop + 1e-6 }, index) ?? scrollTop).toBeCloseTo(
      scrollTop,
      3,
    );
  }
});

test("a difference has both texts in it, and the words that differ", () => {
  expect(differenceOf("I like tea.", "I like green tea!")).toEqual([
    { kind: "same", text: "I like " },
    { kind: "added", text: "green " },
    { kind: "same", text: "tea" },
    { kind: "removed", text: "." },
    { kind: "added", text: "!" },
  ]);
  const texts = fc
    .array(fc.constantFrom("a", "b", " ", "c d", "\u202Ee", ".", "日本"), { maxLength: 30 })
    .map((parts) => parts.join(""));
  fc.assert(
    fc.property(texts, texts, (before, after) => {
      const pieces = differenceOf(before, after);
      const without = (kind: string) =>
        pieces
          .filter((piece) => piece.kind !== kind)
          .map(({ text }) => text)
          .join("");
      expect([without("added"), without("removed")]).toEqual([before, after]);
      if (before === after) expect(pieces.every(({ kind }) => kind === "same")).toBe(true);
    }),
  );
});

test("texts that have nothing in common are replaced as a whole", () => {
  const long = (word: string) => Array.from({ length: 3_000 }, (_, index) => `${word}${index}`).join("\n");
  expect(differenceOf(long("a"), long("b")).map(({ kind }) => kind)).toEqual(["removed", "added"]);
});

test("values have an axis from 0 to a round number that is not below them", () => {
  expect(valueScale(23, 0, 100).ticks).toEqual([0, 5, 10, 15, 20, 25]);
  expect(valueScale(0, 0, 100).ticks[0]).toBe(0);
  expect(valueScale(0.3, 0, 100).ticks).toEqual([0, 0.1, 0.2, 0.3]);
  fc.assert(
    fc.property(fc.double({ min: 1e-6, max: 1e12, noNaN: true }), (max) => {
      const { ticks, of } = valueScale(max, 10, 110);
      const highest = ticks.at(-1) ?? 0;
      expect(ticks.length).toBeLessThanOrEqual(6);
      expect(highest).toBeGreaterThanOrEqual(max * (1 - 1e-9));
      expect([of(0), Math.round(of(highest))]).toEqual([110, 10]);
    }),
  );
});

test("times have round steps of the local time, also when daylight saving time ends", () => {
  const at = (text: string) => Date.parse(text) / 1_000;
  const hour = [at("2026-11-22T10:17:00Z"), at("2026-11-22T11:16:00Z")];
  const utc = timeScale(hour, [0, 590], 7, () => 0);
  expect(utc.ticks.map((tick) => new Date(tick * 1_000).toISOString().slice(11, 16))).toEqual([
    "10:20",
    "10:30",
    "10:40",
    "10:50",
    "11:00",
    "11:10",
  ]);
  expect([utc.of(hour[0] ?? 0), utc.of(hour[1] ?? 0)]).toEqual([0, 590]);
  const end = at("2026-10-25T01:00:00Z");
  const offsetOf = (seconds: number) => (seconds < end ? 3_600 : 0);
  const day = timeScale([at("2026-10-24T23:30:00Z"), at("2026-10-25T12:00:00Z")], [0, 1], 5, offsetOf);
  const local = day.ticks.map((tick) =>
    new Date((tick + offsetOf(tick)) * 1_000).toISOString().slice(11, 16),
  );
  expect(local).toEqual(["03:00", "06:00", "09:00", "12:00"]);
  expect(timeScale([], [0, 100], 5, () => 0).ticks.length).toBeLessThanOrEqual(1);
  expect(timeScale([60], [0, 100], 5, () => 0).of(60)).toBe(50);
});

test("a line has gaps, and a value between gaps is a point", () => {
  const path = (values: (number | null)[]) =>
    linePath(
      values,
      (index) => index,
      (value) => value,
    );
  expect(path([1, 2, null, 4, null])).toBe("M0.0 1.0L1.0 2.0M3.0 4.0m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0");
  expect(path([null, null])).toBe("");
  expect([nearestIndex([10, 20, 30], 24), nearestIndex([10, 20], -5), nearestIndex([], 1)]).toEqual([
    1, 0, -1,
  ]);
});

// Whether a long table of the console scrolls smoothly: frames while it scrolls, the page that follows at the end of what is loaded, and
// places far from each other. Must never count the time before a person scrolls.

import type { BrowserContext, Page } from "playwright-core";
import { numberIn } from "./console-page.ts";
import { median, ms, percent } from "./figures.ts";
import { type Measure, progress } from "./harness.ts";

const frameMaxMs = 50;
const scrolledFrames = 600;
/** Pages that are loaded one after another, at the end of the loaded ones. */
const nextPages = 200;
const jumps = 20;
/** A table that shows no row until then has failed. */
const rowLimitMs = 10_000;

export async function measureTableView(
  context: BrowserContext,
  path: string,
  name: string,
): Promise<Measure[]> {
  const page = await context.newPage();
  await page.goto(path);
  await page.locator("tbody tr[aria-rowindex]:not(.unknown)").first().waitFor();
  progress(`console: scrolling ${name}`);
  const atStart = await scrolled(page);
  const waits: number[] = [];
  for (let count = 0; count < nextPages; count++) {
    const wait: unknown = await page.evaluate(toEnd);
    if (typeof wait !== "number") break;
    waits.push(wait);
  }
  const places: number[] = [];
  // Far from each other, so that none of them is in memory.
  for (let count = 0; count < jumps; count++)
    places.push(await numberIn(page, toPlace(((count * 7 + 3) % jumps) / jumps)));
  await page.evaluate(toPlace(0.5));
  const deep = await scrolled(page);
  const empty = await framesOfEmptyPage(context);
  const rows = (await page.locator(".table-foot").textContent()) ?? "";
  await page.close();
  return [
    frameMeasure(`${name} (at the end: ${rows})`, atStart, empty),
    frameMeasure(`${name}, from the middle of what was loaded`, deep, empty),
    waitMeasure(`${name}: next page at the end, p50 of ${waits.length}`, waits),
    waitMeasure(`${name}: jump to a place that is not in memory, p50 of ${places.length}`, places),
  ];
}

/** @param empty frames of a page without content: what the machine takes */
function frameMeasure(table: string, frames: readonly number[], empty: readonly number[]): Measure {
  const slow = slowPart(frames);
  return {
    what: `${table}: frames above ${frameMaxMs} ms (longest of ${frames.length}: ${ms(Math.max(...frames))})`,
    figure: `${percent(slow)} %`,
    comparedTo: `an empty page: ${percent(slowPart(empty))} %, longest ${ms(Math.max(...empty))}`,
    bar: "≤ 1 %",
    reached: slow <= 0.01,
  };
}

function slowPart(frames: readonly number[]): number {
  return frames.filter((frame) => frame > frameMaxMs).length / frames.length;
}

async function framesOfEmptyPage(context: BrowserContext): Promise<readonly number[]> {
  const page = await context.newPage();
  await page.setContent('<div class="scroller"></div>');
  const frames = await scrolled(page);
  await page.close();
  return frames;
}

function waitMeasure(what: string, waits: readonly number[]): Measure {
  const isEmpty = waits.length === 0;
  return {
    what,
    figure: isEmpty ? "–" : ms(median(waits)),
    comparedTo: isEmpty ? "all is loaded" : `longest ${ms(Math.max(...waits))}`,
    bar: "",
    reached: null,
  };
}

/** Opens the record in the middle of the chain by its position, as a verdict names it. */
export async function deepRecord(context: BrowserContext, path: string, records: number): Promise<Measure> {
  const page = await context.newPage();
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    const seq = Math.max(1, Math.floor(records / 2) - round);
    const began = performance.now();
    await page.goto(`${path}?seq=${seq}`);
    await page.locator(".side-panel .chain .this").waitFor();
    if (round > 0) times.push(performance.now() - began);
  }
  await page.close();
  return waitMeasure(
    `ledger: record ${Math.floor(records / 2).toLocaleString("en")} by its position, p50`,
    times,
  );
}

/** The times between frames in milliseconds. */
async function scrolled(page: Page): Promise<readonly number[]> {
  const frames: unknown = await page.evaluate(`new Promise((resolve) => {
    const view = document.querySelector(".scroller");
    const frames = [];
    let former = performance.now();
    const step = (now) => {
      frames.push(now - former);
      former = now;
      view.scrollTop += 120;
      if (frames.length <= ${scrolledFrames}) requestAnimationFrame(step);
      else resolve(frames.slice(1));
    };
    requestAnimationFrame(step);
  })`);
  if (!Array.isArray(frames)) throw new Error("No frames were drawn.");
  return frames.map(Number);
}

/** Until a row of the page that follows is drawn; null: the list has ended. */
const toEnd = `new Promise((resolve) => {
  const view = document.querySelector(".scroller");
  const began = performance.now();
  const height = view.scrollHeight;
  view.scrollTop = height;
  const look = () => {
    if (view.scrollHeight > height) resolve(performance.now() - began);
    else if (performance.now() - began > 3000) resolve(null);
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
})`;

/** Until all visible rows are drawn. @param part of the height, 0 to 1 */
const toPlace = (part: number) => `new Promise((resolve, reject) => {
  const view = document.querySelector(".scroller");
  const began = performance.now();
  view.scrollTop = view.scrollHeight * ${part};
  const look = () => {
    const rows = [...view.querySelectorAll("tbody tr[aria-rowindex]")];
    const isThere = rows.length > 0 && rows.every((row) => !row.classList.contains("unknown"));
    if (isThere) resolve(performance.now() - began);
    else if (performance.now() - began > ${rowLimitMs}) reject(new Error("The rows did not come."));
    else requestAnimationFrame(look);
  };
  requestAnimationFrame(() => requestAnimationFrame(look));
})`;

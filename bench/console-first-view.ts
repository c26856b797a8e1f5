// How soon a view of the console is there, from the beginning of the navigation. Must never measure the first time, in which the browser
// loads the files.

import type { BrowserContext } from "playwright-core";
import { numberIn } from "./console-page.ts";
import { median, ms } from "./figures.ts";
import type { Measure } from "./harness.ts";

const firstViewMaxMs = 300;

export interface FirstView {
  readonly name: string;
  readonly path: string;
  /** What must be in the document: a figure of a tile, or a row of the table. */
  readonly isThere: keyof typeof signs;
}

const signs = {
  figure: `!["", "–"].includes(document.querySelector(".tile .figure")?.textContent ?? "")`,
  row: `document.querySelector("tbody tr[aria-rowindex]:not(.unknown)") !== null`,
};

/** Runs before the scripts of the page; `firstView` is set one frame after the sign is in the document. */
const watch = (sign: string) => `addEventListener("DOMContentLoaded", () => {
  const look = () => {
    if (!(${sign})) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => { globalThis.firstView = performance.now(); }));
  };
  const observer = new MutationObserver(look);
  observer.observe(document, { childList: true, subtree: true, characterData: true });
});`;

const firstViewTime = `new Promise((resolve) => {
  const look = () => (globalThis.firstView === undefined ? setTimeout(look, 5) : resolve(globalThis.firstView));
  look();
})`;

export async function measureFirstViews(
  context: BrowserContext,
  rounds: number,
  views: readonly FirstView[],
): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const { name, path, isThere } of views) {
    const page = await context.newPage();
    await page.addInitScript(watch(signs[isThere]));
    const times: number[] = [];
    for (let round = 0; round <= 2 * rounds; round++) {
      await page.goto(path);
      const time = await numberIn(page, firstViewTime);
      if (round > 0) times.push(time);
    }
    await page.close();
    const typical = median(times);
    measures.push({
      what: `${name}: first view, p50`,
      figure: ms(typical),
      comparedTo: `longest ${ms(Math.max(...times))}`,
      bar: `≤ ${ms(firstViewMaxMs)}`,
      reached: typical <= firstViewMaxMs,
    });
  }
  return measures;
}

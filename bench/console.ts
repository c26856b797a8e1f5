// What people notice of the console, in Chromium with the executable: how soon the first view is there, and whether long tables scroll smoothly.
// Must never replace anything of the console.

import { join } from "node:path";
import type { BrowserContext, Page } from "playwright-core";
import { consoleMinifier } from "../release/console-minifier.ts";
import { buildConsole } from "../src/native/console-build.ts";
import { chromiumPath, launchBrowser } from "../test/console/browser.ts";
import { median, ms, percent } from "./figures.ts";
import {
  type BenchOptions,
  copyAlone,
  type Measure,
  measureTable,
  progress,
  runCommand,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import { openScaleDirectory, projectNamed, projectOf } from "./scale-directory.ts";

const firstViewMaxMs = 300;
const frameMaxMs = 50;
const scriptsMaxBytes = 80_000;
const scrolledFrames = 600;
const jumps = 20;

/** Needs Chromium; without it there is no table. */
export async function consolePages(options: BenchOptions): Promise<readonly Table[]> {
  if (chromiumPath === null) {
    progress("console: skipped, because Chromium is not installed: apt-get install chromium");
    return [];
  }
  using folder = temporaryFolder();
  const executable = copyAlone(options.executable, folder.path);
  const size = Math.max(...options.sizes);
  const place = options.directory ?? join(folder.path, "filled");
  const filled = await openScaleDirectory(
    join(place, `sizes-${options.sizes.join("-")}`),
    options.sizes.map(projectNamed),
  );
  await using server = await startServer(executable, filled.dataDir);
  const url = `http://127.0.0.1:${server.port}`;
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1_280, height: 800 } });
    await signIn(context, executable, filled.dataDir, url);
    const project = await projectId(context, url, projectOf(filled, size).name);
    const measures = [
      ...(await sizes()),
      await firstView(context, url, options.rounds),
      ...(await scrolling(context, `${url}/console/projects/${project}/memories`, "memories")),
      ...(await scrolling(context, `${url}/console/projects/${project}/ledger`, "ledger")),
    ];
    const note = `An administrator in Chromium without a window, on a warm server with a project of ${size.toLocaleString("en")} memories. The first view is there when the overview shows its figures, counted from the beginning of the navigation; the browser has the files already. A table scrolls for ${scrolledFrames} frames by 120 pixels each, and then ${jumps} times to the end of what is loaded, which loads a page.`;
    return [measureTable("Console", note, measures)];
  } finally {
    await browser.close();
  }
}

async function signIn(context: BrowserContext, executable: string, dataDir: string, url: string) {
  const made = await runCommand(executable, "console", "--data-dir", dataDir);
  const link = typeof made === "object" && made !== null && "url" in made ? String(made.url) : "";
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL(`${url}/console/`);
  await page.close();
}

/** The address of the project in the table of all projects. */
async function projectId(context: BrowserContext, url: string, name: string): Promise<string> {
  const page = await context.newPage();
  const answer = page.waitForResponse((response) => response.url().endsWith("/project.list"));
  await page.goto(`${url}/console/projects`);
  const text = await (await answer).text();
  await page.close();
  const { data } = JSON.parse(text) as { data: unknown };
  const listed = (Array.isArray(data) ? data : Object.values(Object(data)).find(Array.isArray)) as
    | readonly { readonly id: string; readonly name: string }[]
    | undefined;
  const found = listed?.find((project) => project.name === name);
  if (found === undefined) throw new Error(`There is no project ${name}.`);
  return found.id;
}

async function sizes(): Promise<Measure[]> {
  const { files } = await buildConsole(consoleMinifier);
  const bytesOf = (end: string) =>
    files.filter(({ name }) => name.endsWith(end)).reduce((sum, { gzip }) => sum + gzip.length, 0);
  const scripts = bytesOf(".js");
  const figure = (bytes: number) => `${(bytes / 1_000).toFixed(1)} kB`;
  const style = { what: "styles, gzip", figure: figure(bytesOf(".css")), comparedTo: "", bar: "" };
  return [
    {
      what: "scripts, gzip",
      figure: figure(scripts),
      comparedTo: "",
      bar: figure(scriptsMaxBytes),
      reached: scripts <= scriptsMaxBytes,
    },
    { ...style, reached: null },
  ];
}

/** Runs before the scripts of the page; `firstView` is set one frame after the figures are in the document. */
const watchFirstView = `addEventListener("DOMContentLoaded", () => {
  const look = () => {
    const figure = document.querySelector(".tile .figure")?.textContent ?? "–";
    if (document.querySelector("h1")?.textContent?.includes("Overview") !== true || figure === "–") return;
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

async function firstView(context: BrowserContext, url: string, rounds: number): Promise<Measure> {
  const page = await context.newPage();
  await page.addInitScript(watchFirstView);
  const times: number[] = [];
  // The first one fills the cache of the browser.
  for (let round = 0; round <= 2 * rounds; round++) {
    await page.goto(`${url}/console/`);
    const time = await numberIn(page, firstViewTime);
    if (round > 0) times.push(time);
  }
  await page.close();
  const typical = median(times);
  return {
    what: "first view, p50",
    figure: ms(typical),
    comparedTo: `longest ${ms(Math.max(...times))}`,
    bar: ms(firstViewMaxMs),
    reached: typical <= firstViewMaxMs,
  };
}

async function numberIn(page: Page, expression: string): Promise<number> {
  const value: unknown = await page.evaluate(expression);
  if (typeof value !== "number") throw new Error(`${expression} is no number`);
  return value;
}

const scroll = `new Promise((resolve) => {
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
})`;

/** Until a row of the page that follows is drawn; null: the list has ended. */
const jump = `new Promise((resolve) => {
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

async function scrolling(context: BrowserContext, address: string, name: string): Promise<Measure[]> {
  const page = await context.newPage();
  await page.goto(address);
  await page.locator("tbody tr:visible").first().waitFor();
  progress(`console: scrolling ${name}`);
  const frames = ((await page.evaluate(scroll)) as unknown[]).map(Number);
  const waits: number[] = [];
  for (let count = 0; count < jumps; count++) {
    const wait: unknown = await page.evaluate(jump);
    if (typeof wait !== "number") break;
    waits.push(wait);
  }
  const rows = (await page.locator(".table-foot").textContent()) ?? "";
  await page.close();
  const slow = frames.filter((frame) => frame > frameMaxMs).length;
  const longest = Math.max(...frames);
  const table = `${name} (at the end: ${rows})`;
  return [
    {
      what: `${table}: frames above ${frameMaxMs} ms`,
      figure: `${percent(slow / frames.length)} %`,
      comparedTo: `longest ${ms(longest)}`,
      bar: "1 %",
      reached: slow / frames.length <= 0.01,
    },
    {
      what: `${table}: next page at the end, p50`,
      figure: waits.length === 0 ? "–" : ms(median(waits)),
      comparedTo: waits.length === 0 ? "all is loaded" : `longest ${ms(Math.max(...waits))}`,
      bar: "",
      reached: null,
    },
  ];
}

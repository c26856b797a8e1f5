// Measures the views with a table in Chromium at several widths, with and without an open panel: every column has room, nothing is wider
// than the screen, and a table that was empty or had no server has its rows again.

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { createKey } from "../../src/calls/operations/access/key-operations.ts";
import { isObject } from "../../src/platform/json/json.ts";
import { openAsAdministrator } from "./administration.ts";
import { browserTest, chromiumPath, launchBrowser, picture, type Watched } from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";
import { teamMemories } from "./team-memories.ts";

setDefaultTimeout(120_000);

const widths = [1_920, 1_536, 1_440, 1_366, 1_280, 1_100, 390];
const memoryCount = 263;
/** In pixels: a badge, a number or a short word fits. */
const columnMin = 64;
/** What a person recognises a row by. */
const titleMin = 150;

const longName = `tenant-7/${"W".repeat(191)}`;

let app: ConsoleApp;
let browser: Browser;
let watched: Watched;
let memory = "";
beforeAll(async () => {
  if (chromiumPath === null) return;
  [app, browser] = await Promise.all([startConsoleApp(), launchBrowser()]);
  for (let at = 0; at < memoryCount; at += 50) {
    const memories = Array.from({ length: Math.min(50, memoryCount - at) }, (_, index) => ({
      content: `Fact ${at + index}: ${index === 7 ? "W".repeat(300) : "the office is in Lisbon, and the keys are at the porter's desk."}`,
      memory_type: "fact",
      importance: 0.5,
      tags: ["user:dana", "office", "a-rather-long-tag-of-somebody"],
    }));
    const { data } = await app.call("POST", "/v1/memories/batch", { body: { memories } });
    if (Array.isArray(data.results) && isObject(data.results[0])) memory = String(data.results[0].id);
  }
  await app.administer(createKey, {
    project: app.projectId,
    name: "an assistant",
    permissions: ["memory.read", "memory.write", "audit.read"],
  });
  await app.administer(createKey, {
    project: app.projectId,
    name: "a key for one subject",
    permissions: ["memory.read", "memory.write"],
    subject: longName,
  });
  await app.call("POST", "/v1/memories/extract", {
    body: {
      messages: [{ role: "user", name: "W".repeat(40), content: "We meet at the mill.", id: "1" }],
      conversation: longName,
      detail: "verbatim",
    },
  });
  for (const subject of [longName, "user:42", "user:43"]) {
    const memories = teamMemories(Date.now()).slice(0, 12);
    await app.call("POST", "/v1/memories/batch", { body: { memories, subject } });
  }
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

interface Geometry {
  /** Null: the rows have two lines, without columns. */
  readonly columns: readonly { readonly name: string; readonly width: number }[] | null;
  readonly title: number;
  readonly isWide: boolean;
  readonly rows: number;
}

/** What is shown of the table, and whether anything is wider than its place. */
async function measure(page: Page): Promise<Geometry> {
  await settled(page);
  const found: Geometry = await page.evaluate(`({
    columns: document.querySelector(".table").dataset.isNarrow === "true" ? null
      : [...document.querySelectorAll("thead th[data-narrow]")].map((head) => ({ name: head.textContent, width: head.offsetWidth })),
    title: document.querySelector("td[data-narrow=title]").offsetWidth,
    isWide: [...document.querySelectorAll("main, .scroller, .side-panel .content")].some((each) => each.scrollWidth > each.clientWidth),
    rows: document.querySelectorAll("tbody:not([aria-hidden]) tr").length,
  })`);
  return found;
}

/** The page has been drawn after the last change. */
const settled = (page: Page) =>
  page.evaluate(
    "new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(drawn))))",
  );

browserTest("every column has room at every width, with and without an open panel", async () => {
  const inProject = `/console/projects/${app.projectId}`;
  const views = [
    ["memories", `${inProject}/memories`],
    ["memories-open", `${inProject}/memories?memory=${memory}`],
    ["ledger", `${inProject}/ledger`],
    ["ledger-open", `${inProject}/ledger?seq=3`],
    ["memories-of-subject", `${inProject}/memories?subject=${longName}`],
    ["memories-of-conversations", `${inProject}/memories?origin=conversation`],
    ["conversations", `${inProject}/conversations`],
    ["subjects", `${inProject}/subjects`],
    ["subjects-open", `${inProject}/subjects?open=${longName}`],
    ["keys", `${inProject}/keys`],
    ["projects", "/console/projects"],
    ["projects-open", `/console/projects?open=${app.projectId}`],
    ["sessions", "/console/sessions"],
  ] as const;
  watched = await openAsAdministrator(browser, app, "/console/");
  const { page } = watched;
  const narrow: string[] = [];
  const check = async (name: string) => {
    for (const width of widths) {
      await page.setViewportSize({ width, height: 900 });
      const { columns, title, isWide } = await measure(page);
      for (const column of columns ?? [])
        if (column.width < columnMin) narrow.push(`${name} at ${width}: ${column.name} has ${column.width}`);
      if (title < titleMin) narrow.push(`${name} at ${width}: the title has ${title}`);
      if (isWide) narrow.push(`${name} at ${width}: wider than its place`);
      await picture(page, `layout-${name}-${width}`);
    }
  };
  for (const [name, path] of views) {
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.goto(app.url + path);
    await page.locator("tbody tr td[data-narrow]").first().waitFor();
    if (name.endsWith("-open")) await page.locator(".side-panel .facts").first().waitFor();
    await check(name);
    if (name !== "keys") continue;
    await page.setViewportSize({ width: 1_440, height: 900 });
    await page.getByText("an assistant").click();
    await page.locator(".side-panel .facts").waitFor();
    await check("keys-open");
  }
  expect(narrow).toEqual([]);
  expect(watched.faults).toEqual([]);
  await watched.close();
});

browserTest("a table that was empty, or had no server, has its rows in full again", async () => {
  watched = await openAsAdministrator(browser, app, `/console/projects/${app.projectId}/memories`, {
    width: 1_440,
    height: 900,
  });
  const { page } = watched;
  const foot = page.locator(".table-foot", { hasText: `${memoryCount} memories` });
  await foot.waitFor();
  const whole = await measure(page);
  expect(whole.rows).toBeGreaterThan(20);
  // Empty, and not any more.
  await page.getByRole("searchbox").fill("xylophone");
  await page.getByText("No memory matches").waitFor();
  await page.getByRole("button", { name: "Remove the filters" }).click();
  await foot.waitFor();
  expect(await measure(page)).toEqual(whole);
  // No server, and then one.
  await page.route("**/v1/**", (route) => route.abort());
  await page.route("**/health/live", (route) => route.abort());
  await page.getByRole("searchbox").fill("porter");
  await page.getByText("cannot be reached").first().waitFor();
  await page.unroute("**/v1/**");
  await page.unroute("**/health/live");
  await page.getByText(/2\d\d memories/).waitFor();
  expect(await measure(page)).toEqual(whole);
  await watched.close();
});

browserTest("a tick box shows what is selected, however often it is clicked", async () => {
  watched = await openAsAdministrator(browser, app, `/console/projects/${app.projectId}/memories`, {
    width: 1_440,
    height: 900,
  });
  const { page } = watched;
  const boxes = page.locator("tbody input[type=checkbox]");
  await boxes.nth(10).waitFor();
  const shown = () =>
    page.evaluate(`[...document.querySelectorAll("tbody input[type=checkbox]")].flatMap((box, index) =>
      box.checked === (box.closest("tr").ariaSelected === "true") ? (box.checked ? [index] : []) : ["wrong " + index])`);
  const click = async (index: number, modifiers: "Shift"[] = []) => {
    await boxes.nth(index).click({ modifiers });
    await settled(page);
    return shown();
  };
  expect(await click(1)).toEqual([1]);
  expect(await click(3)).toEqual([1, 3]);
  expect(await click(1)).toEqual([3]);
  expect(await click(1)).toEqual([1, 3]);
  expect(await click(4, ["Shift"])).toEqual([1, 2, 3, 4]);
  expect(await click(2)).toEqual([1, 3, 4]);
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog", { name: "Delete 3 memories" }).waitFor();
  await page.keyboard.press("Escape");
  expect(watched.faults).toEqual([]);
  await watched.close();
});

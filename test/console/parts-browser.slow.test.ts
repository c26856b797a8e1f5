// Tests the parts of the console in Chromium, with the policy of the console: a table of a million rows, the keyboard, forms, messages.

import { afterAll, beforeAll, describe, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import {
  browserTest,
  chromiumPath,
  launchBrowser,
  obstacles,
  openPage,
  picture,
  type Watched,
} from "./browser.ts";
import { type Gallery, serveGallery } from "./gallery/serve.ts";

let gallery: Gallery;
let browser: Browser;
let watched: Watched;
beforeAll(async () => {
  if (chromiumPath === null) return;
  [gallery, browser] = await Promise.all([serveGallery(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await gallery?.stop();
});

async function open(hash = "", options = {}): Promise<Page> {
  watched = await openPage(browser, gallery.url, options);
  await watched.page.goto(`${gallery.url}/${hash}`);
  await watched.page.waitForSelector("h1");
  return watched.page;
}

async function close(): Promise<void> {
  expect(watched.faults).toEqual([]);
  await watched.close();
}

const scrollTo = (page: Page, where: "start" | "end") =>
  page.evaluate(
    `{ const view = document.querySelector(".scroller"); view.scrollTop = ${where === "end" ? "view.scrollHeight" : 0}; }`,
  );

const rowNamed = (page: Page, number: string) => page.locator("tbody tr", { hasText: `Memory ${number}:` });

describe("a table of a million rows", () => {
  browserTest("has only visible rows in the document, wherever one scrolls", async () => {
    const page = await open();
    await rowNamed(page, "0").waitFor();
    expect(await page.locator("tbody tr").count()).toBeLessThan(60);
    expect(await page.locator(".table-foot").textContent()).toBe("1,000,000 memories");
    for (let pages = 1; pages <= 12; pages++) {
      await scrollTo(page, "end");
      await rowNamed(page, String(pages * 100).replace(/(\d)(\d{3})$/, "$1,$2")).waitFor();
      expect(await page.locator("tbody tr").count()).toBeLessThan(60);
    }
    await scrollTo(page, "start");
    await rowNamed(page, "0").waitFor();
    const loads: unknown = await page.evaluate("galleryLoads");
    if (!Array.isArray(loads)) throw new Error("the gallery keeps no list of loads");
    // In order, each once; only the first page was dropped, and loaded again.
    expect(loads.slice(0, -1)).toEqual(Array.from(loads.slice(0, -1), (_, index) => index * 100));
    expect([loads.at(-1), loads.length < 20]).toEqual([0, true]);
    await close();
  });

  browserTest("is used with the keyboard alone", async () => {
    const page = await open();
    await rowNamed(page, "0").waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    const panel = page.locator(".side-panel");
    expect(await panel.locator("code").textContent()).toBe("row-1");
    await page.locator("table").focus();
    await page.keyboard.press("ArrowDown");
    expect(await panel.locator("code").textContent()).toBe("row-2");
    await page.keyboard.press("e");
    expect(await page.locator("#edited").textContent()).toBe("row-2");
    await page.keyboard.press("Space");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("3 selected").waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    expect(await panel.locator("code").textContent()).toBe("row-99");
    await panel.locator("h2").focus();
    await page.keyboard.press("Escape");
    expect(await panel.count()).toBe(0);
    await close();
  });

  browserTest("selects ranges with Shift, and says what is sorted", async () => {
    const page = await open();
    await rowNamed(page, "2").waitFor();
    await rowNamed(page, "2").locator("input").click();
    await rowNamed(page, "9")
      .locator("input")
      .click({ modifiers: ["Shift"] });
    await page.getByText("8 selected").waitFor();
    await rowNamed(page, "4").locator("input").click();
    await page.getByText("7 selected").waitFor();
    // A range becomes what the box that was clicked becomes.
    await rowNamed(page, "7")
      .locator("input")
      .click({ modifiers: ["Shift"] });
    await page.getByText("4 selected").waitFor();
    await page.getByRole("button", { name: "Importance" }).click();
    expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("ascending");
    await page.getByRole("button", { name: "Importance" }).click();
    expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("descending");
    await close();
  });

  browserTest("begins a range at the row where one is, not where one was before", async () => {
    const page = await open();
    await rowNamed(page, "5").waitFor();
    await page.locator("table").focus();
    for (let row = 0; row < 5; row++) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("2 selected").waitFor();
    await rowNamed(page, "9").locator("input").click();
    await page.getByText("3 selected").waitFor();
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByText("4 selected").waitFor();
    expect(await rowNamed(page, "10").locator("input").isChecked()).toBe(true);
    await close();
  });

  browserTest("shows a failure with a way to try again, and keeps what it has", async () => {
    const page = await open();
    await rowNamed(page, "0").waitFor();
    await page.evaluate("failNextLoads(1)");
    await scrollTo(page, "end");
    await page.getByText("the gallery fails on purpose").waitFor();
    await page.getByRole("button", { name: "Try again" }).click();
    await rowNamed(page, "100").waitFor();
    await close();
  });
});

describe("texts of others", () => {
  browserTest("are shown as texts", async () => {
    const page = await open();
    await page.getByText("<img src=x onerror=alert(1)>").first().waitFor();
    expect(await page.locator("tbody img, tbody b").count()).toBe(0);
    await page.goto(`${gallery.url}/#parts`);
    await page.reload();
    await page.locator(".tag", { hasText: "<script>" }).waitFor();
    await close();
  });
});

describe("a chart", () => {
  browserTest("is read with the arrow keys and with the pointer, in the zone that was chosen", async () => {
    const page = await open("#parts");
    const chart = page.getByRole("slider", { name: "Calls by minute: 10 to 30" });
    await chart.focus();
    await page.keyboard.press("Home");
    const first = await chart.getAttribute("aria-valuetext");
    expect(first).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d, Calls 20, Errors 4$/);
    await page.keyboard.press("ArrowRight");
    expect(await chart.getAttribute("aria-valuetext")).toMatch(/, Calls 21, Errors 0$/);
    expect(await page.locator(".chart figcaption").textContent()).toMatch(/:\d\d Calls 21 Errors 0$/);
    await page.keyboard.press("End");
    await page.keyboard.press("ArrowRight");
    const last = await chart.getAttribute("aria-valuemax");
    expect(await chart.getAttribute("aria-valuenow")).toBe(last ?? "");
    const box = await chart.boundingBox();
    if (box === null) throw new Error("the chart is not visible");
    await page.mouse.move(box.x + 56, box.y + 40);
    expect(await chart.getAttribute("aria-valuenow")).toBe("0");
    expect(await page.locator(".chart .reading").count()).toBe(1);
    await page.evaluate(`localStorage.setItem("memledger.zone", "UTC")`);
    await page.reload();
    await chart.focus();
    expect(await chart.getAttribute("aria-valuetext")).toContain(" UTC, Calls ");
    await close();
  });

  browserTest("is as wide as its place, and has the colours of the theme", async () => {
    const page = await open("#parts");
    await page.locator(".chart .line").first().waitFor();
    const stroke = (): Promise<unknown> =>
      page.evaluate(`getComputedStyle(document.querySelector(".chart .line")).stroke`);
    const light = await stroke();
    expect(light).toMatch(/^rgb/);
    await page.setViewportSize({ width: 360, height: 800 });
    // Not `waitForFunction`, which evaluates texts in the page: its policy forbids that.
    await page.evaluate(`new Promise((resolve) => {
        const isNarrow = () => document.querySelector(".chart svg").getBoundingClientRect().right <= 360;
        const look = () => (isNarrow() ? resolve() : requestAnimationFrame(look));
        look();
      })`);
    await page.emulateMedia({ colorScheme: "dark" });
    const dark = await stroke();
    expect(dark).toMatch(/^rgb/);
    expect(dark).not.toBe(light);
    await close();
  });
});

describe("the other parts", () => {
  browserTest("answer the keyboard: tags, tabs, a question by name, the list of shortcuts", async () => {
    const page = await open("#parts");
    await page.getByLabel("Tags").fill("new, other");
    await page.getByLabel("Tags").press("Enter");
    expect(await page.locator(".tag-input .tag").count()).toBe(4);
    await page.getByLabel("Tags").press("Backspace");
    expect(await page.locator(".tag-input .tag").count()).toBe(3);
    await page.getByRole("tab", { name: "Text" }).press("ArrowRight");
    expect(await page.getByRole("tabpanel").textContent()).toBe("json");
    await page.getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByRole("button", { name: "Revoke the key" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Type production to confirm").fill("production");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await page.locator("h1").focus();
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.getByLabel("Use single keys as shortcuts").click();
    await page.keyboard.press("Escape");
    await page.keyboard.press("?");
    expect(await page.getByRole("dialog").count()).toBe(0);
    await close();
  });

  browserTest("keep what was typed: a draft survives a reload", async () => {
    const page = await open("#parts");
    await page.getByLabel("Name").fill("half a sentence");
    await page.reload();
    expect(await page.getByLabel("Name").inputValue()).toBe("half a sentence");
    await close();
  });

  for (const theme of ["light", "dark"] as const)
    for (const width of [1_280, 360])
      browserTest(`put no obstacle in the way of anyone: ${theme}, ${width} pixels`, async () => {
        const page = await open("", { theme, width });
        await rowNamed(page, "0").waitFor();
        await picture(page, `table-${theme}-${width}`);
        expect(await obstacles(page)).toEqual([]);
        for (const hash of ["#parts", "#empty"]) {
          await page.goto(`${gallery.url}/${hash}`);
          await page.reload();
          await page.waitForSelector("h1");
          if (hash === "#parts") await page.locator(".chart svg .line").first().waitFor();
          await picture(page, `${hash.slice(1)}-${theme}-${width}`);
          expect(await obstacles(page)).toEqual([]);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
        }
        await close();
      });
});

describe("a message", () => {
  browserTest("with an action stays until it is closed or three newer ones are there", async () => {
    const page = await open("#parts");
    const shown = page.locator(".message");
    await page.clock.install();
    await page.getByRole("button", { name: "Show a message" }).click();
    await page.clock.fastForward(3_600_000);
    await shown.getByRole("button", { name: "Undo" }).waitFor();
    for (let more = 0; more < 3; more++) await page.getByRole("button", { name: "Show a message" }).click();
    expect(await shown.count()).toBe(3);
    await shown.first().getByRole("button", { name: "Close the message" }).click();
    expect(await shown.count()).toBe(2);
    await close();
  });
});

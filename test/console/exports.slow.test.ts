// Begins an export in Chromium, waits for it on the event stream, and saves the file and its manifest.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { signInAt } from "./administration.ts";
import { browserTest, chromiumPath, launchBrowser, obstacles, openPage, picture } from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";

let app: ConsoleApp;
let browser: Browser;

beforeAll(async () => {
  if (chromiumPath === null) return;
  [app, browser] = await Promise.all([startConsoleApp(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

async function saved(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  return Bun.file(await download.path()).text();
}

for (const [theme, width] of [
  ["light", 1_280],
  ["dark", 360],
] as const)
  browserTest(`an export is begun, written and saved: ${theme}, ${width} pixels`, async () => {
    const { id: project, key } = await app.createProject("business");
    await app.call("POST", "/v1/memories", {
      key,
      body: { content: "The sky is blue.", memory_type: "fact" },
    });
    const { page, faults, close } = await openPage(browser, app.url, { theme, width });
    const to = `/console/projects/${project}/exports`;
    await signInAt(page, app, to);
    await page.getByRole("heading", { name: "No exports" }).waitFor();
    // The event stream has the list, so looking at it adds no record.
    expect(app.countRecords(project)).toBe(1);
    await page.getByRole("button", { name: "New export" }).first().click();
    await page.getByLabel("Format").selectOption("json");
    await picture(page, `exports-new-${theme}-${width}`);
    expect(await obstacles(page)).toEqual([]);
    await page.getByRole("button", { name: "Export", exact: true }).click();
    await page.locator('.export[data-status="completed"]').waitFor();
    expect(await saved(page, "Download")).toContain("The sky is blue.");
    expect(await saved(page, "Manifest")).toStartWith("memledger-export/v2\n");
    await page.getByText("What the manifest states").click();
    await page.getByText('"first_seq": 1').waitFor();
    await picture(page, `exports-${theme}-${width}`);
    expect(await obstacles(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
    expect(faults).toEqual([]);
    await close();
  });

// Last, because it moves the clock of the server.
browserTest("the span of the ledger becomes that of an export, which its address keeps", async () => {
  const { id: project, key } = await app.createProject("business");
  for (const content of ["Before.", "Within.", "After."]) {
    await app.call("POST", "/v1/memories", { key, body: { content, memory_type: "fact" } });
    await app.letTimePass();
  }
  const [, within] = (await app.call("GET", "/v1/memories", { key })).data.memories as JsonObject[];
  const time = String(within?.created_at);
  const span = new URLSearchParams({ start_time: time, end_time: time });
  const { page, faults, close } = await openPage(browser, app.url);
  await signInAt(page, app, `/console/projects/${project}/ledger?${span}`);
  await page.getByRole("link", { name: "Export", exact: true }).click();
  await page.getByRole("dialog").waitFor();
  await page.reload();
  const before = app.countRecords(project);
  await page.getByRole("dialog").getByRole("button", { name: "Export", exact: true }).click();
  await page.locator('.export[data-status="completed"]').waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  expect(new URL(page.url()).search).toBe("");
  // The event stream tells of the export, so nothing but its creation is recorded.
  const since = app.records(project, before).map(({ action }) => action);
  // The list of the ledger, which was open before, may be recorded late.
  expect(since.filter((action) => action !== "audit.list")).toEqual(["audit.export"]);
  const file = await saved(page, "Download");
  expect([file.includes("Within."), file.includes("Before."), file.includes("After.")]).toEqual([
    true,
    false,
    false,
  ]);
  expect(faults).toEqual([]);
  await close();
});

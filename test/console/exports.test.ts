// Begins an export in Chromium, waits for it on the event stream, and saves the file and its manifest.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { startTestApp, type TestApp } from "../fixture.ts";
import { signInAt } from "./administration.ts";
import { browserTest, chromiumPath, launchBrowser, obstacles, openPage, picture } from "./browser.ts";

let app: TestApp;
let browser: Browser;

beforeAll(async () => {
  if (chromiumPath === null) return;
  [app, browser] = await Promise.all([startTestApp(), launchBrowser()]);
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
  browserTest(
    `an export is begun, written and saved: ${theme}, ${width} pixels`,
    async () => {
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
      expect(await saved(page, "Manifest")).toStartWith("memledger-export/v1\n");
      await picture(page, `exports-${theme}-${width}`);
      expect(await obstacles(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      expect(faults).toEqual([]);
      await close();
    },
    60_000,
  );

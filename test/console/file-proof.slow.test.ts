// Verifies dropped exports on the page of the console, from a real server and without a session.

import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { buildBase, type Specimen } from "../audit/forge.ts";
import { forgeExports } from "../audit/forge-export.ts";
import { browserTest, chromiumPath, launchBrowser, obstacles, openPage, picture } from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-file-proof-"));
let specimens: readonly Specimen[] = [];
let app: ConsoleApp;
let browser: Browser | null = null;

beforeAll(async () => {
  if (chromiumPath === null) return;
  specimens = forgeExports(buildBase(join(folder, "honest")), folder);
  app = await startConsoleApp();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
  rmSync(folder, { recursive: true, force: true });
});

for (const [theme, width, name, verdict, words] of [
  ["light", 1_280, "export-honest.json", "intact", "INTACT"],
  ["dark", 360, "export-deletion.csv", "broken", "Record 15 of chain"],
] as const)
  browserTest(`in the ${theme} theme, ${width} pixels wide: ${name} is ${verdict}`, async () => {
    const specimen = specimens.find((each) => each.name === name);
    if (browser === null || specimen === undefined) throw new Error(`no ${name}`);
    const { path, checkpoints, publicKey } = specimen;
    const { page, faults, close } = await openPage(browser, app.url, { theme, width });
    try {
      await page.goto(`${app.url}/console/proof`);
      await page.setInputFiles("input[type=file]", [
        path,
        `${path}.manifest`,
        ...checkpoints,
        publicKey ?? "",
      ]);
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      await page.locator(`.outcome[data-verdict="${verdict}"]`).waitFor();
      expect(await page.textContent(".outcome")).toContain(words);
      expect(await obstacles(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
      await picture(page, `file-proof-${theme}-${width}`);
      // Nobody is signed in, which the browser reports as a failed request of the frame.
      expect(faults.filter((fault) => !/^console: Failed to load resource: .* 40[14]/.test(fault))).toEqual(
        [],
      );
    } finally {
      await close();
    }
  });

// Opens the dialogs of the console in Chromium with the keyboard, and types: the text goes into the first field, and nothing else happens.

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { Browser } from "playwright-core";
import { openAsAdministrator } from "./administration.ts";
import { browserTest, chromiumPath, launchBrowser, openPage } from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";

setDefaultTimeout(60_000);

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

const words = "go n x ? gm";

browserTest("what is typed after a dialog was opened with a key goes into its first field", async () => {
  const inProject = `/console/projects/${app.projectId}`;
  for (const [path, heading, field] of [
    [`${inProject}/memories`, "New memory", "Text"],
    [`${inProject}/keys`, "New key", "Name"],
    ["/console/projects", "New project", "Name"],
  ] as const) {
    const { page, faults, close } = await openAsAdministrator(browser, app, path);
    await page.getByRole("button", { name: heading }).first().waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: heading });
    await dialog.waitFor();
    await page.keyboard.type(words);
    expect(await dialog.getByLabel(field).inputValue()).toBe(words);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // The focus goes back to the button that opened it.
    await page.getByRole("button", { name: heading }).first().focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe(heading);
    expect(faults).toEqual([]);
    await close();
  }
});

browserTest("a refusal for a missing permission says so, and does not ask for another sign-in", async () => {
  const { key } = await app.createKey(app.projectId, ["memory.read"]);
  const { page, close } = await openPage(browser, app.url);
  await page.goto(`${app.url}/console/projects/${app.projectId}/ledger`);
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "audit.read" }).first().waitFor();
  expect(await page.getByRole("dialog").count()).toBe(0);
  await close();
});

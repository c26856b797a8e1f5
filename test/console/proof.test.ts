// Verifies the ledger of a project on a real server in the browser, twice: the second time it is compared with the checkpoint of the first.

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { Browser } from "playwright-core";
import { startTestApp, type TestApp } from "../fixture.ts";
import { browserTest, chromiumPath, launchBrowser, obstacles, openPage, picture } from "./browser.ts";

setDefaultTimeout(60_000);

let app: TestApp;
let browser: Browser | null = null;

beforeAll(async () => {
  if (chromiumPath === null) return;
  app = await startTestApp();
  browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

browserTest("a project's ledger verifies, and is compared with the last time", async () => {
  if (browser === null) throw new Error("no browser");
  const { id: project, key } = await app.createProject("business");
  const { page, close } = await openPage(browser, app.url);
  try {
    await page.goto(`${app.url}/console/proof`);
    const signedIn: unknown = await page.evaluate(
      `fetch("/console/api/session", { method: "POST", headers: { "Content-Type": "application/json" }, body: ${JSON.stringify(JSON.stringify({ key }))} }).then((answer) => answer.json())`,
    );
    expect(signedIn).toMatchObject({ success: true });
    await page.goto(`${app.url}/console/projects/${project}/proof`);
    for (const verdict of ["unattested", "intact"]) {
      await page.getByRole("button", { name: "Verify the ledger" }).click();
      await page.locator(`.outcome[data-verdict="${verdict}"]`).waitFor();
      await page.reload();
    }
    await page.getByRole("button", { name: "Verify the ledger" }).click();
    await page.locator(".outcome").waitFor();
    expect(await obstacles(page)).toEqual([]);
    await picture(page, "proof");
  } finally {
    await close();
  }
});

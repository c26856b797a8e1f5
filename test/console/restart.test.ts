// Stops a real server while the console is open in Chromium, and starts it again: the page says so, and goes on by itself.

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { Browser } from "playwright-core";
import { browserTest, chromiumPath, launchBrowser, openPage } from "./browser.ts";
import { type ConsoleServer, startConsoleServer } from "./console-server.ts";

setDefaultTimeout(120_000);

let browser: Browser;
let server: ConsoleServer;
beforeAll(async () => {
  if (chromiumPath === null) return;
  [server, browser] = await Promise.all([startConsoleServer(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

browserTest("a server that ends and starts again is followed without a click", async () => {
  const { page, close } = await openPage(browser, server.url, { width: 1_440 });
  const [link = ""] = /http\S+/.exec(await server.run("console", "--no-open")) ?? [];
  const inProject = `${server.url}/console/projects/${server.projectId}`;
  await page.goto(link);
  await page.getByText("Live", { exact: true }).waitFor();
  const away = page.locator(".connection").getByText("cannot be reached");
  // The overview has no calls: only its event stream ends.
  await server.restart(async () => {
    await away.waitFor();
  });
  await page.getByText("Live", { exact: true }).waitFor();
  await away.waitFor({ state: "detached" });
  // A table that is asked for something while there is no server has its rows when there is one.
  await page.goto(`${inProject}/ledger`);
  const rows = page.locator("tbody tr[data-opens]");
  await page.getByText("No records yet").or(rows.first()).waitFor();
  await server.restart(async () => {
    await page.getByLabel("Reads in the console").click();
    await page.getByRole("alert").first().waitFor();
  });
  await rows.filter({ hasText: "audit.list" }).first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.evaluate("document.querySelector('tbody tr[data-opens]').offsetHeight")).toBeLessThan(40);
  await close();
});

// Opens the sessions and the settings in Chromium: revokes the session of another person, ends all, and finds a setting with its source.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { signIn } from "../transports/http/console/signed-in.ts";
import { faultsInOtherForms, openAsAdministrator } from "./administration.ts";
import { browserTest, chromiumPath, launchBrowser } from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";

let app: ConsoleApp;
let browser: Browser;
beforeAll(async () => {
  if (chromiumPath === null) return;
  [app, browser] = await Promise.all([startConsoleApp({ "log-level": "error" }), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

browserTest("an administrator revokes the session of another person, and then signs out all", async () => {
  const { id } = await app.createProject("business");
  const { key } = await app.createKey(id, ["memory.read"], { name: "Ana" });
  const ana = await signIn(app, { key }, { "User-Agent": "<b>Browser</b>" });
  const other = await signIn(app);
  const { page, faults, close } = await openAsAdministrator(browser, app, "/console/sessions");
  await page.getByText("This session").waitFor();
  expect(await page.locator("tr", { hasText: "Administrator" }).count()).toBe(2);
  await page.getByText("Ana").click();
  const panel = page.getByRole("complementary", { name: "Ana" });
  await panel.getByText("<b>Browser</b>").waitFor();
  expect(await faultsInOtherForms(page, "sessions")).toEqual([]);
  await panel.getByRole("button", { name: "Revoke the session" }).click();
  await page.getByText("The session of Ana is revoked.").waitFor();
  expect((await ana.send("GET", "/console/api/session")).status).toBe(401);
  expect((await other.send("GET", "/console/api/session")).status).toBe(200);
  await page.getByRole("button", { name: "Sign out all" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Sign out all" }).click();
  await page.waitForURL(/sign-in/);
  expect((await other.send("GET", "/console/api/session")).status).toBe(401);
  expect(faults.filter((fault) => !/401/.test(fault))).toEqual([]);
  await close();
});

browserTest("settings show their value and their source", async () => {
  const { page, faults, close } = await openAsAdministrator(browser, app, "/console/settings");
  const level = page.getByRole("listitem").filter({ hasText: "MEMLEDGER_LOG_LEVEL" });
  await level.getByText("from --log-level").waitFor();
  expect(await level.locator(".value").textContent()).toBe("error");
  expect(await faultsInOtherForms(page, "settings")).toEqual([]);
  await page.locator("body").press("/");
  await page.keyboard.type("log-level");
  await page.getByText("1 setting", { exact: true }).waitFor();
  await page.reload();
  await page.getByText("1 setting", { exact: true }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

// Signs in to the console of a real server in Chromium, and tests what is shown over every view: the navigation, the menus, the keyboard, and what
// happens when the session ends or the server cannot be reached.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { revokeSessions } from "../../src/calls/operations/access/session-operations.ts";
import { newLink } from "../transports/http/console/signed-in.ts";
import { signInAt } from "./administration.ts";
import {
  browserTest,
  chromiumPath,
  launchBrowser,
  obstacles,
  openPage,
  type PageOptions,
  picture,
  type Watched,
} from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";

let app: ConsoleApp;
let browser: Browser;
beforeAll(async () => {
  if (chromiumPath === null) return;
  [app, browser] = await Promise.all([startConsoleApp(), launchBrowser()]);
  await app.createProject("business", { name: "customer-support" });
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

/** The page of an administrator who has opened a sign-in link. */
async function signedIn(options: PageOptions = {}): Promise<Watched> {
  const watched = await openPage(browser, app.url, options);
  await openLink(watched.page);
  return watched;
}

async function openLink(page: Page): Promise<void> {
  await page.goto(`${app.url}/console/sign-in#${await newLink(app)}`);
  await page.getByRole("button", { name: "Choose a project" }).or(page.locator("button.project")).waitFor();
}

/** A refusal that a test provokes is in the console of the browser, too. */
const without = (faults: readonly string[], expected: RegExp) =>
  faults.filter((fault) => !expected.test(fault));

browserTest("a sign-in link signs in, and its secret does not stay in the address", async () => {
  const { page, faults, close } = await signedIn();
  expect(page.url()).toBe(`${app.url}/console/`);
  await page.goBack();
  expect(page.url()).not.toContain("mlk_");
  expect(faults).toEqual([]);
  await close();
});

browserTest("a link that was used says so, and what to do", async () => {
  const link = await newLink(app);
  const first = await openPage(browser, app.url);
  await first.page.goto(`${app.url}/console/sign-in#${link}`);
  await first.page.locator("button.project").waitFor();
  const second = await openPage(browser, app.url);
  await second.page.goto(`${app.url}/console/sign-in#${link}`);
  await second.page.getByText("The sign-in link was used already").waitFor();
  expect(await second.page.getByText("Code 1401").count()).toBe(1);
  expect(without(second.faults, /401/)).toEqual([]);
  await Promise.all([first.close(), second.close()]);
});

browserTest("an API key signs in and leads back to the address; another key is refused", async () => {
  const { page, faults, close } = await openPage(browser, app.url);
  const wanted = `/console/projects/${app.projectId}/memories?tag=a`;
  await page.goto(app.url + wanted);
  await page.getByLabel("API key").fill("ml_nothing");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("alert").waitFor();
  expect(await page.getByLabel("API key").getAttribute("type")).toBe("password");
  await page.getByLabel("API key").fill(app.apiKey);
  await page.keyboard.press("Enter");
  await page.locator("div.project", { hasText: "default" }).waitFor();
  expect(page.url()).toBe(app.url + wanted);
  expect(without(faults, /401/)).toEqual([]);
  await page.goto(`${app.url}/console/settings`);
  await page.getByText("The API key of this session cannot open this page").waitFor();
  await close();
});

browserTest("no link leads elsewhere after the sign-in", async () => {
  for (const to of ["https://evil.example/", "//evil.example/", "/v1/memories", "javascript:alert(1)"]) {
    const { page, close } = await openPage(browser, app.url);
    await signInAt(page, app, to);
    await page.locator("button.project").waitFor();
    expect(page.url()).toBe(`${app.url}/console/`);
    await close();
  }
});

browserTest("a session that ends asks for another sign-in, and the action is tried again", async () => {
  const { page, context, faults, close } = await signedIn();
  // The page has asked for everything that it shows.
  await page.getByRole("row").filter({ hasText: "default" }).waitFor();
  await app.administer(revokeSessions, { all: true });
  await page.locator("button.project").click();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  expect(await obstacles(page)).toEqual([]);
  const again = page.waitForResponse(
    (response) => response.url().endsWith("/project.list") && response.status() === 200,
  );
  const other = await context.newPage();
  await other.goto(`${app.url}/console/sign-in#${await newLink(app)}`);
  await other.locator("button.project").waitFor();
  // The list of projects, which met the end of the session, is asked for again.
  await again;
  expect(await page.getByRole("dialog", { name: "Your session has ended" }).count()).toBe(0);
  expect(without(faults, /401/)).toEqual([]);
  await close();
});

browserTest("signing out ends the session in every tab", async () => {
  const { page, context, faults, close } = await signedIn();
  const other = await context.newPage();
  await other.goto(`${app.url}/console/`);
  await other.locator("button.person").waitFor();
  await page.locator("button.person").click();
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.getByLabel("API key").waitFor();
  await other.getByLabel("API key").waitFor();
  expect(without(faults, /401/)).toEqual([]);
  await close();
});

browserTest("a choice of theme and of times is kept", async () => {
  const { page, faults, close } = await signedIn();
  await page.locator("button.person").click();
  await page.getByLabel("Theme").selectOption("dark");
  await page.getByLabel("Times").selectOption("UTC");
  await page.reload();
  expect(await page.evaluate("document.documentElement.dataset.theme")).toBe("dark");
  await page.locator("button.person").click();
  await page.locator(".person-menu time", { hasText: "UTC" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

browserTest("a server that cannot be reached is said to be so, and asked again", async () => {
  const { page, context, close } = await signedIn();
  await context.setOffline(true);
  await page.locator("button.project").click();
  await page.getByText("The server cannot be reached. The console tries again").waitFor();
  await context.setOffline(false);
  await page
    .getByText("The server cannot be reached. The console tries again")
    .waitFor({ state: "detached" });
  await close();
});

for (const theme of ["light", "dark"] as const)
  for (const width of [1_280, 360])
    browserTest(`the frame puts no obstacle in the way of anyone: ${theme}, ${width} pixels`, async () => {
      const { page, faults, close } = await openPage(browser, app.url, { theme, width });
      await page.goto(`${app.url}/console/sign-in`);
      await page.getByLabel("API key").waitFor();
      await picture(page, `sign-in-${theme}-${width}`);
      expect(await obstacles(page)).toEqual([]);
      await page.goto("about:blank");
      await page.goto(`${app.url}/console/sign-in#${await newLink(app)}`);
      await page.locator("button.project").waitFor({ state: "attached" });
      if (width === 360) await page.getByRole("button", { name: "Open the navigation" }).click();
      await page.locator("button.person").click();
      await page.locator(".person-menu").waitFor();
      await picture(page, `person-${theme}-${width}`);
      expect(await obstacles(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.locator("button.project").click();
      await page.locator(".project-list").getByRole("link", { name: "customer-support" }).waitFor();
      await picture(page, `projects-menu-${theme}-${width}`);
      expect(await obstacles(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      expect(without(faults, /about:blank/)).toEqual([]);
      await close();
    });

// What the tests of the views for administrators need: a page that is signed in, and pictures of it in each theme and width.

import type { Browser, Page } from "playwright-core";
import { newLink } from "../transports/http/console/signed-in.ts";
import { obstacles, openPage, type PageOptions, picture, type Watched } from "./browser.ts";
import type { ConsoleApp } from "./console-app.ts";

/** Opens a new sign-in link of an administrator, which leads to an address of the console. */
export async function signInAt(page: Page, app: ConsoleApp, to: string): Promise<void> {
  await page.goto(`${app.url}/console/sign-in?${new URLSearchParams({ to })}#${await newLink(app)}`);
}

/** A page of an administrator. */
export async function openAsAdministrator(
  browser: Browser,
  app: ConsoleApp,
  path: string,
  options: PageOptions = {},
): Promise<Watched> {
  const watched = await openPage(browser, app.url, options);
  await watched.page.goto(`${app.url}/console/sign-in#${await newLink(app)}`);
  await watched.page.waitForURL(`${app.url}/console/`);
  await watched.page.goto(app.url + path);
  return watched;
}

/** What is wrong with the view in the dark theme and on a phone: axe-core, and content that is wider than the screen. */
export async function faultsInOtherForms(page: Page, name: string): Promise<string[]> {
  const found: string[] = [];
  for (const [form, colorScheme, width] of [
    ["light", "light", 1_280],
    ["dark", "dark", 1_280],
    ["phone", "light", 360],
  ] as const) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize({ width, height: 800 });
    await page.waitForTimeout(100);
    found.push(...(await obstacles(page)).map((fault) => `${form}: ${fault}`));
    const isWide: unknown = await page.evaluate(
      "[...document.querySelectorAll('main, dialog')].some((each) => each.scrollWidth > each.clientWidth)",
    );
    if (isWide) found.push(`${form}: wider than the screen`);
    await picture(page, `${name}-${form}`);
  }
  await page.setViewportSize({ width: 1_280, height: 800 });
  return found;
}

// Drives the console in Debian's Chromium, and watches each page: errors, violations of the policy, requests to other machines. Must never
// replace anything of the console.

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { program, testWith } from "../needs.ts";

/** What the server builds the pages from. `bun run test --changed` follows it as it follows an import. */
require.resolve("../../src/console/main.tsx");
require.resolve("../../src/console/styles/console.css");
require.resolve("../../src/console/verification/saved-page.tsx");

export const chromiumPath = Bun.which("chromium");

/** A test that needs Chromium; without it, the test is skipped by name. */
export const browserTest = testWith(program("chromium"));

export type Theme = "light" | "dark";

export interface PageOptions {
  readonly theme?: Theme;
  /** In pixels. Default: 1280 by 800. 360 is a phone. */
  readonly width?: number;
  readonly height?: number;
}

export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What is wrong with the page so far, each once. */
  readonly faults: readonly string[];
  readonly close: () => Promise<void>;
}

export function launchBrowser(): Promise<Browser> {
  if (chromiumPath === null) throw new Error("Chromium is not installed: apt-get install chromium");
  const args = [
    "--no-sandbox",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
  ];
  return chromium.launch({ executablePath: chromiumPath, args });
}

/** @param origin of the server; a request to any other one is a fault */
export async function openPage(
  browser: Browser,
  origin: string,
  options: PageOptions = {},
): Promise<Watched> {
  const { theme = "light", width = 1_280, height = 800 } = options;
  const context = await browser.newContext({
    colorScheme: theme,
    viewport: { width, height },
    hasTouch: width < 640,
    timezoneId: "Europe/Lisbon",
    locale: "en-GB",
    reducedMotion: "reduce",
  });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => {
    const { url } = message.location();
    // An export that is asked for before the retention of the plan is known is refused with it, and asked for again.
    const isRetention = url === `${origin}/v1/audit/logs/export` && message.text().includes(" 400 ");
    if ((message.type() === "error" || message.type() === "warning") && !isRetention)
      faults.push(`console: ${message.text()} (${url})`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:"))
      faults.push(`request: ${request.url()}`);
  });
  await page.exposeFunction("reportViolation", (text: string) => faults.push(`policy: ${text}`));
  await page.addInitScript(`addEventListener("securitypolicyviolation", (event) =>
    reportViolation(event.violatedDirective + " " + event.blockedURI + " " + event.sample));`);
  page.setDefaultTimeout(15_000);
  return { page, context, faults, close: () => context.close() };
}

/** What axe-core finds wrong with the page, by WCAG 2.2 AA and best practices. Its script is no part of the page. */
export async function obstacles(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: unknown =
    await page.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) => id + ": " + help + " at " + target.join(" ") + " " + failureSummary)))`);
  if (!Array.isArray(found)) throw new Error("axe-core returned no list");
  return found.map(String);
}

/** Keeps a picture of the page in the folder of the variable MEMLEDGER_SCREENSHOTS; without it, none is made. */
export async function picture(page: Page, name: string): Promise<void> {
  const folder = process.env.MEMLEDGER_SCREENSHOTS;
  if (folder === undefined) return;
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`) });
}

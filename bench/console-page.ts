// Pages of the console for its bench: signed in, and asked for numbers; and what all parts of that bench need. Must never replace anything of the console.

import type { Browser, BrowserContext, Page } from "playwright-core";
import { type BenchOptions, runCommand } from "./harness.ts";

/** What all parts of the bench need. */
export interface Run {
  readonly browser: Browser;
  readonly executable: string;
  /** For files that are removed at the end. */
  readonly folder: string;
  readonly options: BenchOptions;
}

/** A context in which an administrator is signed in; its pages have addresses relative to the server. */
export async function signedInContext(
  { browser, executable }: Pick<Run, "browser" | "executable">,
  dataDir: string,
  port: number,
): Promise<BrowserContext> {
  const baseURL = `http://127.0.0.1:${port}`;
  const context = await browser.newContext({ baseURL, viewport: { width: 1_280, height: 800 } });
  const made = await runCommand(executable, "console", "--data-dir", dataDir);
  const link = typeof made === "object" && made !== null && "url" in made ? String(made.url) : "";
  const page = await context.newPage();
  await page.goto(link);
  await page.waitForURL(`${baseURL}/console/`);
  await page.close();
  return context;
}

/** @throws Error when the value of the expression is no number */
export async function numberIn(page: Page, expression: string): Promise<number> {
  const value: unknown = await page.evaluate(expression);
  if (typeof value !== "number") throw new Error(`${expression} is no number`);
  return value;
}

// Opens the saved page in a browser as an auditor does: as a file, on a machine without a network. Must never replace anything of the page.

import { expect } from "bun:test";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { verifierFileName } from "../../src/transports/http/console/console-files.ts";
import { run } from "../cli/command.ts";
import { launchBrowser, type Theme } from "./browser.ts";
import type { Supplied } from "./differential.ts";

export interface SavedPage {
  /** The file. */
  readonly path: string;
  /** Opens the page, and expects afterwards that it has broken no rule. */
  open(work: (page: Page) => Promise<void>, options?: OpenOptions): Promise<void>;
  close(): Promise<void>;
}

interface OpenOptions {
  /** In pixels. Default: 1,000. */
  readonly width?: number;
  readonly theme?: Theme;
}

/** @param folder in which the command writes the page */
export async function startSavedPage(folder: string): Promise<SavedPage> {
  const path = join(folder, verifierFileName);
  expect((await run(["audit", "verifier", "--out", path])).exitCode).toBe(0);
  const browser = await launchBrowser();
  return {
    path,
    open: (work, options = {}) => openPage(browser, path, work, options),
    close: () => browser.close(),
  };
}

async function openPage(
  browser: Browser,
  path: string,
  work: (page: Page) => Promise<void>,
  { width = 1_000, theme = "light" }: OpenOptions,
): Promise<void> {
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ colorScheme: theme, viewport, offline: true });
  const page = await context.newPage();
  const faults: string[] = [];
  page.on("console", (message) => message.type() === "error" && faults.push(message.text()));
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("request", (request) => !/^(file|blob):/.test(request.url()) && faults.push(request.url()));
  try {
    await page.goto(pathToFileURL(path).href);
    await work(page);
    expect(faults).toEqual([]);
  } finally {
    await context.close();
  }
}

/** Chooses the files as a person does, and waits for the verdict. @returns what the page shows of it */
export async function verifyFiles(
  page: Page,
  specimen: Supplied,
): Promise<{ verdict: string | null; text: string }> {
  const { path, checkpoints, publicKey } = specimen;
  const files = [path, `${path}.manifest`, ...checkpoints].concat(publicKey ?? []);
  await page.setInputFiles("input[type=file]", files);
  await page.getByRole("button", { name: "Verify", exact: true }).click();
  // It names the file, so it is not the outcome of another one.
  const outcome = page.locator(".outcome", { hasText: basename(path) });
  await outcome.waitFor();
  return { verdict: await outcome.getAttribute("data-verdict"), text: (await outcome.textContent()) ?? "" };
}

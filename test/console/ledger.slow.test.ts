// Reads the ledger of a project in Chromium: the list, filters, one record in its chain, texts that try to be more, new records.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import type { Browser, Locator, Page } from "playwright-core";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { projectOperations } from "../../src/calls/operations.ts";
import { actions } from "../../src/console/views/ledger/actions.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { reportOf } from "../audit/receipts/ask-receipt.ts";
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

const hostile = `<img src=x onerror=alert(1)> \u202Eright to left\u202C ${"long".repeat(300)}`;

let app: ConsoleApp;
let browser: Browser;
let project: string;
let key: string;
let memory: string;
/** Of the last record that no test has added. */
let preparedAt: string;

beforeAll(async () => {
  if (chromiumPath === null) return;
  [app, browser] = await Promise.all([startConsoleApp(), launchBrowser()]);
  ({ id: project, key } = await app.createProject("business", { name: "customer-support" }));
  const contents = ["The customer prefers answers in German.", "The contract ends in March 2027.", hostile];
  for (const content of contents) {
    const made = await call("POST", "/v1/memories", { content, memory_type: "fact" });
    memory ??= String(made.data.id);
  }
  await call("POST", "/v1/memories/search", { query: "Which language does the customer prefer?" });
  await call("POST", "/v1/memories/inject", { query: "When does the contract end?" });
  await call("PUT", `/v1/memories/${memory}`, { content: "The customer prefers answers in French." });
  await call("POST", "/v1/memories/search", {});
  await call("POST", "/v1/audit/logs", {
    action: "gateway.chat",
    http_status: 502,
    model_id: "llama-3.3-70b",
    balance_consumed_usd: 0.0123,
    error_code: 502,
    error_msg: hostile,
    metadata: { ticket: hostile },
    tokens: { prompt_tokens: 812, completion_tokens: 0, total_tokens: 812 },
  });
  preparedAt = new Date().toISOString();
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

const call = (method: string, path: string, body: unknown) => app.call(method, path, { key, body });

/** The view as an administrator sees it. */
async function openLedger(query = "", options: PageOptions = {}): Promise<Watched> {
  const watched = await openPage(browser, app.url, options);
  const to = `/console/projects/${project}/ledger${query}`;
  await signInAt(watched.page, app, to);
  await watched.page.locator("tbody tr[data-opens]").first().waitFor();
  return watched;
}

const rowsOf = (page: Page) => page.locator("tbody tr[data-opens]");
const row = (page: Page, action: string) => rowsOf(page).filter({ hasText: action }).first();

test("the filter suggests the actions of all operations of a project", () => {
  const operations = projectOperations.map(({ name }) => name);
  expect(actions).toEqual(expect.arrayContaining(operations));
  expect(actions.filter((action) => !operations.includes(action))).toEqual(["session.close", "session.open"]);
});

browserTest(
  "a record is read with the keyboard, in its chain, with its question and the memories it found",
  async () => {
    const { page, faults, close } = await openLedger();
    expect(await rowsOf(page).count()).toBeGreaterThan(6);
    await page.getByLabel("Action").fill("memory.inject");
    await page.keyboard.press("Enter");
    await row(page, "memory.create").waitFor({ state: "detached" });
    await row(page, "memory.inject").waitFor();
    await page.locator("h1").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    const panel = page.locator(".side-panel");
    await panel.getByText("When does the contract end?").first().waitFor();
    await panel.getByText("Prompt given").waitFor();
    await panel.locator(".results li", { hasText: "The contract ends in March 2027." }).waitFor();
    // The list has one action only, so the record before is another one.
    await panel.locator(".chain button.link").first().click();
    await panel.getByRole("heading", { name: "memory.search" }).waitFor();
    expect(await panel.locator(".chain .link").count()).toBe(3);
    const hashes = await panel.locator(".chain code").allTextContents();
    expect(hashes.length).toBeGreaterThanOrEqual(2);
    await page.keyboard.press("Escape");
    expect(await panel.count()).toBe(0);
    expect(page.url()).not.toContain("record=");
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest("a memory leads to its records, and a record to its memory", async () => {
  const { page, faults, close } = await openLedger(`?memory_id=${memory}`);
  await row(page, "memory.update").waitFor();
  expect(await rowsOf(page).count()).toBe(2);
  await row(page, "memory.update").click();
  const panel = page.locator(".side-panel");
  await panel.getByText("The customer prefers answers in French.").first().waitFor();
  const [link] = await panel.locator(".facts a").all();
  expect(await link?.getAttribute("href")).toBe(`/console/projects/${project}/memories?memory=${memory}`);
  await page.reload();
  await panel.getByText("The customer prefers answers in French.").first().waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await row(page, "memory.search").waitFor();
  expect(faults).toEqual([]);
  await close();
});

for (const width of [1_280, 390])
  browserTest(
    `records of a subject and of memories with a tag are found, and exported: ${width} pixels`,
    async () => {
      const { id, key: own } = await app.createProject("business");
      const create = (content: string, fields: JsonObject) =>
        app.call("POST", "/v1/memories", { key: own, body: { content, memory_type: "fact", ...fields } });
      await create("Ana drinks tea.", { subject: "user:ana", tags: ["drinks"] });
      await create("Ana has a dog.", { subject: "user:ana" });
      await create("The shop sells tea.", { tags: ["drinks"] });
      const { page, faults, close } = await openPage(browser, app.url, { width });
      await signInAt(page, app, `/console/projects/${id}/ledger?subject=user:ana`);
      const rows = page.locator("tbody tr:has(.rail)");
      await waitForCount(rows, 2);
      expect(await page.getByLabel("Subject").inputValue()).toBe("user:ana");
      expect(await page.locator(".ledger").getAttribute("data-gapless")).toBe("false");
      await page.getByRole("button", { name: "Tags" }).click();
      await page.locator(".tag-list button", { hasText: "drinks" }).click();
      await waitForCount(rows, 1);
      expect(new URL(page.url()).searchParams.getAll("tag")).toEqual(["drinks"]);
      expect(await page.locator(".new-records").count()).toBe(0);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      expect(await obstacles(page)).toEqual([]);
      await picture(page, `ledger-filtered-${width}`);

      await page.getByRole("link", { name: "Export", exact: true }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByText("subject user:ana; tag drinks").waitFor();
      await dialog.getByRole("button", { name: "Export", exact: true }).click();
      await page.locator('.export[data-status="completed"]', { hasText: "some records" }).waitFor();
      await page.getByText("1 record ·").waitFor();
      await page.goBack();
      await page.getByRole("button", { name: "Remove the filter for the tag drinks" }).click();
      await waitForCount(rows, 2);
      await page.getByRole("button", { name: "Clear" }).click();
      // How many calls the browser sends for an export depends on how long it takes.
      await waitForCount(rows.filter({ hasText: "memory.create" }), 3);
      expect(new URL(page.url()).search).toBe("");
      expect(faults).toEqual([]);
      await close();
    },
  );

async function waitForCount(found: Locator, count: number): Promise<void> {
  for (let waited = 0; waited < 10_000 && (await found.count()) !== count; waited += 50) await Bun.sleep(50);
  expect(await found.count()).toBe(count);
}

browserTest("the records of a person are found, and say that nobody has checked the name", async () => {
  const person = "Zo\u00eb <b>M\u00fcller</b>";
  const headers = { "Memledger-On-Behalf-Of": Buffer.from(person).toString("latin1") };
  await app.call("POST", "/v1/memories/search", { key, body: { query: "German?" }, headers });
  const { page, faults, close } = await openLedger();
  await page.getByLabel("On behalf of").fill(person);
  await page.keyboard.press("Enter");
  await row(page, "memory.create").waitFor({ state: "detached" });
  await row(page, "memory.search").click();
  expect(await rowsOf(page).count()).toBe(1);
  const panel = page.locator(".side-panel");
  await panel.getByText(person, { exact: true }).waitFor();
  await panel.getByText("as the client said; not checked").waitFor();
  expect(faults).toEqual([]);
  await close();
});

browserTest("a record saves its receipt, which is valid", async () => {
  const { page, close } = await openLedger("?action=memory.inject");
  try {
    await page.locator("tbody tr[data-opens]").first().click();
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Save the receipt" }).click(),
    ]);
    expect(download.suggestedFilename()).toMatch(/^record-[0-9a-f]{32}\.tlog-proof$/);
    const receipt = await Bun.file(await download.path()).bytes();
    const key = await Bun.file(join(app.config.dataDir, "audit.pub")).text();
    expect(reportOf(receipt, [key.trim()], [])).toMatchObject({
      verdict: "unattested",
      facts: { action: "memory.inject", project },
    });
  } finally {
    await close();
  }
});

browserTest("records of others are counted while the view is open, and its own calls are not", async () => {
  const { page, faults, close } = await openLedger();
  await row(page, "memory.create").click();
  await page.locator(".side-panel .results").waitFor();
  await call("POST", "/v1/memories/search", { query: "French" });
  await call("POST", "/v1/memories/search", { query: "German" });
  await page.getByRole("button", { name: "2 new records" }).click();
  await page.getByRole("button", { name: "2 new records" }).waitFor({ state: "detached" });
  const shown = await page.locator(".table-foot").textContent();
  expect(shown).toMatch(/^\d+ records$/);
  expect(faults).toEqual([]);
  await close();
});

browserTest("what administrators read in the console is hidden until it is asked for", async () => {
  const { page, faults, close } = await openLedger();
  // The list itself, and what the tests before have read.
  await row(page, "memory.create").waitFor();
  expect(await row(page, "audit.list").count()).toBe(0);
  await page.getByLabel("Reads in the console").click();
  await row(page, "audit.list").waitFor();
  expect(page.url()).toContain("console_reads=shown");
  await page.getByLabel("Reads in the console").click();
  await row(page, "audit.list").waitFor({ state: "detached" });
  // The same for the uses of a memory: the console has read it, and others have found it.
  await page.goto(`${app.url}/console/projects/${project}/memories?memory=${memory}&tab=uses`);
  const events = page.locator(".history > ol > li");
  await events.first().waitFor();
  const found = await events.count();
  expect(await events.filter({ hasText: "Read" }).count()).toBe(0);
  await page.getByLabel("Reads in the console").click();
  await events.filter({ hasText: "Read" }).first().waitFor();
  expect(await events.count()).toBeGreaterThan(found);
  expect(faults).toEqual([]);
  await close();
});

browserTest("a call that cost money says how much", async () => {
  const { page, faults, close } = await openLedger("?action=gateway.chat");
  await row(page, "gateway.chat").click();
  await page.locator(".side-panel dd", { hasText: "$0.0123" }).waitFor();
  expect(faults).toEqual([]);
  await close();
});

for (const theme of ["light", "dark"] as const)
  for (const width of [1_280, 360])
    browserTest(
      `texts of others are texts, and nothing is in the way: ${theme}, ${width} pixels`,
      async () => {
        const { page, faults, close } = await openLedger(`?end_time=${preparedAt}`, { theme, width });
        await picture(page, `ledger-${theme}-${width}`);
        expect(await obstacles(page)).toEqual([]);
        for (const action of ["gateway.chat", "memory.inject"]) {
          await row(page, action).click();
          await page.locator(".side-panel details").first().waitFor();
          expect(await page.locator("main img").count()).toBe(0);
          expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
          await picture(page, `ledger-${action}-${theme}-${width}`);
          expect(await obstacles(page)).toEqual([]);
          await page.getByRole("button", { name: "Close the panel" }).click();
        }
        expect(faults).toEqual([]);
        await close();
      },
    );

browserTest("an erasure is seen in its own record and in a record that lost a part", async () => {
  const { id, key: own } = await app.createProject("business");
  const body = { content: "Dana drinks tea.", memory_type: "fact" };
  const { data } = await app.call("POST", "/v1/memories", { key: own, body });
  await app.call("POST", "/v1/memories", { key: own, body: { ...body, content: "Emil drinks coffee." } });
  await app.call("POST", "/v1/memories/search", { key: own, body: { query: "Who drinks what?" } });
  await app.administer(eraseRecords, { memory: String(data.id) });
  const { page, faults, close } = await openPage(browser, app.url);
  await signInAt(page, app, `/console/projects/${id}/ledger`);
  await page.locator("tbody tr", { hasText: "audit.redact" }).click();
  const panel = page.locator(".side-panel");
  await panel.getByText(`"memory": "${data.id}"`).waitFor();
  await panel.getByText('"redacted": 2').waitFor();
  await page.locator("tbody tr", { hasText: "memory.search" }).click();
  await panel.getByText("The operator has erased 1 text of this call.").waitFor();
  await panel.getByText("Emil drinks coffee.").waitFor();
  expect(await panel.getByText("Dana").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

// Extracts memories from a text in the console of a real server: the person decides about each before it is stored.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { revokeSessions } from "../../src/calls/operations/access/session-operations.ts";
import { toPassages } from "../../src/console/views/extract/passages.ts";
import { signInAt } from "./administration.ts";
import {
  browserTest,
  chromiumPath,
  launchBrowser,
  obstacles,
  openPage,
  type PageOptions,
  picture,
} from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";

const decision = (whose: string) =>
  `We decided to move ${whose} database of the harbour office with all of its archives to PostgreSQL 17.`;
const text = `Ana: Good morning! How was your weekend?
Ben: Great, thanks! ${decision("the")}
Ana: <img src=x onerror=alert(1)>
Ana: Never deploy on Fridays, please.
Ben: I live in Porto.`;

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

async function open(project: string, options: PageOptions = {}) {
  const watched = await openPage(browser, app.url, options);
  const to = `/console/projects/${project}/extract`;
  await signInAt(watched.page, app, to);
  await watched.page.getByLabel("Text", { exact: true }).fill(text);
  return watched;
}

/** @returns the id of what Ben has said before */
async function say(key: string, sentence: string): Promise<string> {
  const { data } = await app.call("POST", "/v1/memories/extract", {
    key,
    body: { text: `Ben: ${sentence}` },
  });
  const [item] = data.extracted as unknown as { id: string }[];
  if (item === undefined) throw new Error("nothing was extracted");
  return item.id;
}

browserTest("each item is accepted, edited or refused, and only accepted ones are stored", async () => {
  const { id: project, key } = await app.createProject("business");
  const { page, faults, close } = await open(project);
  const stored = async () => {
    const { data } = await app.call("GET", "/v1/memories", { key });
    return (data.memories as unknown as { content: string }[]).map(({ content }) => content).toSorted();
  };
  await page.getByLabel("Tags of the new memories").fill("team");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Find memories" }).click();
  const cards = page.locator(".proposal");
  await cards.first().waitFor();
  expect(await cards.count()).toBe(3);
  expect(await page.locator(".passage mark").first().textContent()).toContain("PostgreSQL 17");
  expect(await page.locator(".passage img").count()).toBe(0);
  expect(await stored()).toEqual([]);
  await cards.nth(0).getByRole("button", { name: "Accept" }).click();
  await cards.nth(0).getByLabel("Content").fill("The database is PostgreSQL 17.");
  await cards.nth(1).getByRole("button", { name: "Refuse" }).click();
  await page.reload();
  await page.getByRole("button", { name: "Accept all that are open" }).click();
  await page.getByRole("button", { name: "Store 2 memories" }).click();
  await page.getByText("2 memories stored").waitFor();
  expect(await stored()).toEqual([expect.stringContaining("Porto"), "The database is PostgreSQL 17."]);
  const { data } = await app.call("GET", "/v1/memories", { key });
  const said = data.memories as unknown as { content: string; origins?: unknown }[];
  const originsOf = (words: string) => said.find(({ content }) => content.includes(words))?.origins;
  // What a person has written instead was said by nobody.
  expect([originsOf("Porto"), originsOf("PostgreSQL")]).toEqual([[{ name: "Ben" }], undefined]);
  await page.getByRole("button", { name: "Back to the text" }).click();
  await page.getByRole("button", { name: "Find memories" }).click();
  await page.getByText("duplicate, similarity 1.000").waitFor();
  expect(faults).toEqual([]);
  await close();
});

browserTest("an update shows the difference, and changes the memory only when it is accepted", async () => {
  const { id: project, key } = await app.createProject("business");
  const content = decision("our");
  const known = await say(key, content);
  await app.call("PUT", `/v1/memories/${known}`, { key, body: { importance: 0.9, tags: ["kept"] } });
  const { page, faults, close } = await open(project);
  const path = `/v1/memories/${known}`;
  await page.getByRole("button", { name: "Find memories" }).click();
  const card = page.locator(".proposal", { hasText: "updates a memory" });
  await card.waitFor();
  expect(await card.locator("del").allTextContents()).toEqual(["our"]);
  expect(await card.locator("ins").allTextContents()).toEqual(["the"]);
  expect((await app.call("GET", path, { key })).data.content).toBe(content);
  await card.getByRole("button", { name: "Accept" }).click();
  await page.getByRole("button", { name: "Store 1 memory" }).click();
  await page.getByText("1 memory stored").waitFor();
  expect((await app.call("GET", path, { key })).data).toMatchObject({
    content: decision("the"),
    importance: 0.9,
    tags: ["kept"],
  });
  const updates = app.records(project).filter(({ action }) => action.startsWith("memory.update"));
  expect(updates.map(({ action }) => action).toSorted()).toEqual(["memory.update", "memory.update_batch"]);
  expect(faults).toEqual([]);
  await close();
});

browserTest("every decision is possible with the keyboard, and kept when the session ends", async () => {
  const { id: project, key } = await app.createProject("business");
  const { page, faults, close } = await open(project);
  await page.keyboard.press("Control+Enter");
  const cards = page.locator(".proposal");
  await cards.nth(2).waitFor();
  await page.locator("h1").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("y");
  await page.keyboard.press("j");
  await page.keyboard.press("n");
  await page.keyboard.press("j");
  await page.keyboard.press("e");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("Ben lives in Porto.");
  await page.keyboard.press("Escape");
  await page.keyboard.press("k");
  await page.keyboard.press("j");
  await page.keyboard.press("y");
  expect(await cards.nth(1).getAttribute("data-decision")).toBe("refused");
  await app.administer(revokeSessions, { all: true });
  await page.getByRole("button", { name: "Store 2 memories" }).click();
  await page.getByRole("dialog", { name: "Your session has ended" }).waitFor();
  expect((await app.call("GET", "/v1/memories", { key })).data.pagination).toMatchObject({ total: 0 });
  await signInAt(page, app, `/console/projects/${project}/extract`);
  await page.getByRole("button", { name: "Store 2 memories" }).click();
  await page.getByText("2 memories stored").waitFor();
  const { memories } = (await app.call("GET", "/v1/memories?text=porto", { key })).data;
  expect(memories).toMatchObject([{ content: "Ben lives in Porto." }]);
  expect(faults.filter((fault) => !/401/.test(fault))).toEqual([]);
  await close();
});

browserTest("a memory that somebody else has changed meanwhile is not updated", async () => {
  const { id: project, key } = await app.createProject("business");
  const path = `/v1/memories/${await say(key, decision("our"))}`;
  const { page, faults, close } = await open(project);
  await page.getByRole("button", { name: "Find memories" }).click();
  await page.locator(".proposal").nth(2).waitFor();
  await app.call("PUT", path, { key, body: { content: "The database is SQLite." } });
  await page.getByRole("button", { name: "Accept all that are open" }).click();
  await page.getByText("2 new, 1 update", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Store 3 memories" }).click();
  await page.locator(".proposal .fault", { hasText: "changed meanwhile" }).waitFor();
  await page.getByRole("button", { name: "Store 1 memory" }).waitFor();
  expect((await app.call("GET", path, { key })).data.content).toBe("The database is SQLite.");
  const { pagination } = (await app.call("GET", "/v1/memories", { key })).data;
  expect(pagination).toMatchObject({ total: 3 });
  expect(faults).toEqual([]);
  await close();
});

for (const theme of ["light", "dark"] as const)
  for (const width of [1_280, 360])
    browserTest(`the extraction puts no obstacle in the way: ${theme}, ${width} pixels`, async () => {
      const { page, faults, close } = await open(app.projectId, { theme, width });
      expect(await obstacles(page)).toEqual([]);
      await page.getByRole("button", { name: "Find memories" }).click();
      await page.locator(".proposal").first().getByRole("button", { name: "Accept" }).click();
      await picture(page, `extract-${theme}-${width}`);
      expect(await obstacles(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      expect(faults).toEqual([]);
      await close();
    });

browserTest("a text is cut after each sentence, and no character of it is lost", async () => {
  const sentences = ["We use Bun.", "Not in the text.", "We use Bun. And SQLite.", "And SQLite."];
  const whole = "Hello. We use Bun. And SQLite. Bye.";
  const passages = toPassages(whole, sentences);
  const inText = passages.slice(0, -1);
  expect(inText.map(({ before, evidence }) => before + evidence).join("")).toBe(whole);
  expect(passages.flatMap(({ items }) => items).toSorted()).toEqual([0, 1, 2, 3]);
});

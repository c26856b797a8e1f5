// Searches in the console of a real server: both modes, what was just missed, and the injected prompt with its budget.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { Injection } from "../../clients/typescript/src/index.ts";
import { withBudget } from "../../src/console/views/search/prompt-budget.ts";
import { isObject } from "../../src/platform/json/json.ts";
import { signIn } from "../transports/http/console/signed-in.ts";
import { faultsInOtherForms, signInAt } from "./administration.ts";
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

const hostile = "<img src=x onerror=alert(1)> deploys \u202e only on Tuesdays";
const memories = [
  { content: "Releases go out on Tuesdays, after the tests of the night have passed.", importance: 0.6 },
  { content: "The release manager of the billing team is Ana.", importance: 0.5, tags: ["billing"] },
  { content: "Version 2.4.1 was released on 3 November and broke the import of invoices.", importance: 0.4 },
  { content: "The staging server is rebuilt every night at two.", importance: 0.3 },
  { content: hostile, importance: 0.2, tags: ["<b>tag</b>"] },
  { content: "We released on Mondays until last summer.", importance: 0.7, is_active: false },
  { content: "The office in Porto has a coffee machine that only Rui can repair.", importance: 0.9 },
  { content: "The next release is on the last Tuesday of the month.", importance: 0.8, tags: ["plans"] },
  { content: "Customers are told about a release one day before.", importance: 0.4 },
].map((memory) => ({ ...memory, memory_type: "fact" }));
const rule = {
  content: "Never release on a Friday.",
  memory_type: "rule",
  importance: 0.9,
};
const dayMs = 86_400_000;

let app: ConsoleApp;
let browser: Browser;
beforeAll(async () => {
  app = await startConsoleApp();
  const expiring = {
    content: "The release of this week is delayed by a day.",
    memory_type: "context",
    expires_at: new Date(Date.now() + dayMs).toISOString(),
  };
  await app.call("POST", "/v1/memories/batch", { body: { memories: [...memories, rule, expiring] } });
  if (chromiumPath !== null) browser = await launchBrowser();
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

const path = () => `${app.url}/console/projects/${app.projectId}/search`;

async function open(address: string, options: PageOptions = {}) {
  const watched = await openPage(browser, app.url, options);
  const { page } = watched;
  await signInAt(page, app, address);
  await page.locator("h1", { hasText: "Search lab" }).waitFor();
  return watched;
}

const column = (page: Page, title: string) =>
  page.locator(".hits", { has: page.getByRole("heading", { name: title }) });

browserTest("a query shows both modes, the parts of each score, and what was just missed", async () => {
  const { page, faults, close } = await open(`${new URL(path()).pathname}?rerank=off`);
  await page.locator("h1").focus();
  await page.keyboard.press("/");
  await page.keyboard.type("When do we release?");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Hybrid" }).waitFor();
  expect(new URL(page.url()).searchParams.get("q")).toBe("When do we release?");
  const answer = await app.call("POST", "/v1/memories/search", {
    body: { query: "When do we release?", mode: "hybrid", rerank: "off" },
  });
  const found = answer.data.results as unknown as { memory: { content: string }; final_score: number }[];
  const shown = column(page, "Hybrid").locator("ol > li");
  expect(await shown.locator(".content").allTextContents()).toEqual(
    found.map(({ memory }) => memory.content),
  );
  expect(await shown.locator(".score").allTextContents()).toEqual(
    found.map(({ final_score }) => final_score.toFixed(3)),
  );
  const missed = column(page, "Semantic").locator("ul > li", { hasText: "Mondays" });
  expect(await missed.locator(".badge").allTextContents()).toContain("inactive");
  const unprompted = page.locator(".injected ul > li", { hasText: "Mondays" });
  expect(await unprompted.locator(".badge").allTextContents()).toContain("inactive");
  const actions = app.records(app.projectId).map(({ action }) => action);
  expect(actions.filter((action) => action === "memory.search")).toHaveLength(3);
  expect(actions.filter((action) => action === "memory.inject")).toHaveLength(1);
  expect(await page.locator(".lab img").count()).toBe(0);
  await page.keyboard.press("Escape");
  await page.locator("h1").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  expect(await page.locator("li:has(:focus) .place").textContent()).toBe("2");
  const opened = await page.locator("li:has(:focus) .content").textContent();
  await page.keyboard.press("e");
  await page.locator(".side-panel").getByRole("button", { name: "Save" }).waitFor();
  expect(await page.locator(".side-panel").getByLabel("Text").inputValue()).toBe(opened ?? "");
  await page.goBack();
  await column(page, "Hybrid").waitFor();
  await page.reload();
  await column(page, "Hybrid").waitFor();
  expect(faults).toEqual([]);
  await close();
});

browserTest("the calls are those of other callers, unless reranking is switched off", async () => {
  const { page, faults, close } = await open(`${new URL(path()).pathname}?q=release`);
  const asked = () =>
    app
      .records(app.projectId)
      .slice(-3)
      .map(({ payload }) => (isObject(payload.request_body) ? (payload.request_body.rerank ?? null) : ""));
  const [about, place] = [
    column(page, "Hybrid").locator("header span"),
    column(page, "Hybrid").locator("ol .score"),
  ];
  await place.first().waitFor();
  expect(asked()).toEqual([null, null, null]);
  expect(await about.textContent()).toMatch(/reranked$/);
  // Each bar is as long as its score, whatever the score is made of.
  const sums = await page.evaluate(`[...document.querySelectorAll("li.hit:not(ul *)")].map((hit) =>
    [...hit.querySelectorAll(".score-bar span")].reduce((sum, part) => sum + parseFloat(part.style.width), 0) / 100 - Number(hit.querySelector(".score").textContent))`);
  for (const difference of [sums].flat()) expect(Math.abs(Number(difference))).toBeLessThan(0.001);
  const again = page.waitForResponse((response) => response.url().endsWith("/inject"));
  await page.getByLabel("Reranking").selectOption("off");
  await again;
  await column(page, "Hybrid").getByText("not reranked").waitFor();
  expect(asked()).toEqual(["off", "off", "off"]);
  expect(faults).toEqual([]);
  await close();
});

browserTest("filters are in the address, and say why a memory was missed", async () => {
  const address = `${new URL(path()).pathname}?q=release&type=fact&tag=billing&count=3&floor=0.3`;
  const { page, faults, close } = await open(address);
  await column(page, "Semantic").locator("ol > li", { hasText: "Ana" }).waitFor();
  const reasons = await column(page, "Hybrid").locator("ul .badge").allTextContents();
  expect(reasons).toContain("a rule");
  expect(reasons).toContain("without the tag billing");
  expect(await page.getByLabel("Lowest similarity").inputValue()).toBe("0.3");
  expect(faults).toEqual([]);
  await close();
});

browserTest("a query is saved as a check, and what fails is found again in the lab", async () => {
  const { id, key } = await app.createProject("custom");
  const create = async (content: string, fields: object = {}) =>
    (await app.call("POST", "/v1/memories", { key, body: { content, memory_type: "fact", ...fields } })).data;
  const { id: office } = await create("The office opens at nine.", { tags: ["a", "b"] });
  await create("Bananas are yellow.");
  const address = `/console/projects/${id}/search?q=When+does+the+office+open%3F&tag=a&tag=x&match=any`;
  const { page, faults, close } = await open(address);
  const hit = column(page, "Hybrid").locator("ol > li", { hasText: "at nine" });
  await hit.locator("a").focus();
  await page.keyboard.press("c");
  await page.getByRole("dialog").getByText("hybrid search").waitFor();
  await page.keyboard.press("Escape");
  await hit.getByRole("button", { name: "Save as a check" }).click();
  await page.getByRole("dialog").getByText("The office opens at nine.").waitFor();
  expect(await page.getByLabel("Among the first").inputValue()).toBe("3");
  expect(await faultsInOtherForms(page, "search-save-check")).toEqual([]);
  await page.getByLabel("Among the first").fill("1");
  await page.getByRole("button", { name: "Save the check" }).click();
  await page.getByRole("button", { name: "Show the checks" }).click();
  const row = page.locator("tbody tr", { hasText: "When does the office open?" });
  await row.getByText("The office opens at nine.").waitFor();
  expect((await app.call("GET", "/v1/checks", { key })).data.checks).toMatchObject([
    {
      mode: "hybrid",
      within: 1,
      expected_memory_id: office,
      tags: ["a", "x"],
      tags_match: "any",
      memory: { content: "The office opens at nine." },
    },
  ]);
  await page.getByRole("button", { name: "Run all checks" }).click();
  await row.getByText("passed").waitFor();
  await create("The office opens, the office opens, when does the office open?", {
    importance: 1,
    tags: ["x"],
  });
  await page.locator("h1").focus();
  await page.keyboard.press("r");
  await page.getByText("1 failed").waitFor();
  await row.getByText("place 2").waitFor();
  expect(await faultsInOtherForms(page, "search-checks")).toEqual([]);
  await page.keyboard.press("Enter");
  const expected = column(page, "Hybrid").locator("li[data-expected=true]");
  await expected.getByText("expected").waitFor();
  expect(await expected.locator(".place").textContent()).toBe("2");
  expect(await page.getByLabel("How many of the tags").inputValue()).toBe("any");
  await page.getByRole("tab", { name: "Checks" }).click();
  await row.getByRole("button", { name: "Delete the check" }).click();
  await page.getByText("No checks yet").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await row.waitFor();
  expect((await app.call("GET", "/v1/checks", { key })).data.checks).toMatchObject([{ within: 1 }]);
  await app.call("DELETE", `/v1/memories/${office}`, { key });
  await page.goto(`${app.url}/console/projects/${id}/search?tab=checks&run=1`);
  await page.getByText("a deleted memory").waitFor();
  await row.getByText("deleted", { exact: true }).waitFor();
  expect(new URL(page.url()).search).toBe("?tab=checks");
  expect(faults).toEqual([]);
  await close();
});

browserTest("a session that may only read saves and deletes no check", async () => {
  const { id, key } = await app.createProject("custom");
  const body = { content: "The office opens at nine.", memory_type: "fact" };
  const { data } = await app.call("POST", "/v1/memories", { key, body });
  const check = { query: "office", expected_memory_id: data.id };
  await app.call("POST", "/v1/checks", { key, body: check });
  const reader = await app.createKey(id, ["memory.read"]);
  const { page, context, faults, close } = await openPage(browser, app.url);
  const [name = "", value = ""] = (await signIn(app, { key: reader.key })).cookie.split("=");
  await context.addCookies([{ name, value, url: app.url }]);
  await page.goto(`${app.url}/console/projects/${id}/search?q=office`);
  await column(page, "Hybrid").locator("ol > li").waitFor();
  expect(await page.getByRole("button", { name: "Save as a check" }).count()).toBe(0);
  await page.getByRole("tab", { name: "Checks" }).click();
  await page.getByRole("button", { name: "Run all checks" }).click();
  await page.getByText("1 passed").waitFor();
  expect(await page.getByRole("button", { name: "Delete the check" }).count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

browserTest("a smaller budget leaves the prompt that the server would return", async () => {
  const inject = async (budget: object) => {
    const { data } = await app.call("POST", "/v1/memories/inject", {
      body: { query: "When do we release?", ...budget },
    });
    return data as unknown as Injection;
  };
  const whole = await inject({});
  expect(whole.results.length).toBeGreaterThan(3);
  for (const budget of [0, 90, 150, 260, 400, whole.characters - 1, whole.characters]) {
    const { characters, results } = await inject({ max_characters: budget });
    const left = withBudget(whole, budget);
    expect(left.characters).toBe(characters);
    const kept = left.lines.filter(({ result, isOmitted }) => result !== null && !isOmitted);
    expect(kept.map(({ result }) => whole.results[result ?? -1]?.memory.id).toSorted()).toEqual(
      results.map(({ memory }) => memory.id).toSorted(),
    );
  }
  const { page, faults, close } = await open(`${new URL(path()).pathname}?q=When+do+we+release%3F`);
  await page.getByLabel("Budget").focus();
  await page.keyboard.press("Home");
  await page.getByText("0 of 0 characters").waitFor();
  expect(await page.locator(".prompt del").count()).toBe(whole.results.length);
  expect(new URL(page.url()).searchParams.get("budget")).toBe("0");
  expect(faults).toEqual([]);
  await close();
});

for (const theme of ["light", "dark"] as const)
  for (const width of [1_280, 360])
    browserTest(`the search lab puts no obstacle in the way: ${theme}, ${width} pixels`, async () => {
      const address = `${new URL(path()).pathname}?q=When+do+we+release%3F&count=5&budget=260`;
      const { page, faults, close } = await open(address, { theme, width });
      await page.getByRole("heading", { name: "Injected prompt" }).waitFor();
      await picture(page, `search-${theme}-${width}`);
      expect(await obstacles(page)).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
      await page.locator(".injected").scrollIntoViewIfNeeded();
      await picture(page, `search-prompt-${theme}-${width}`);
      expect(faults).toEqual([]);
      await close();
    });

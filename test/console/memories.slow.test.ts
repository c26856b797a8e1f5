// Uses the view of memories in Chromium on a real server: find, open, change, undo, restore from the ledger, create, delete, many at once.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { signIn } from "../transports/http/console/signed-in.ts";
import { faultsInOtherForms } from "./administration.ts";
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
});
afterAll(async () => {
  await browser?.close();
  await app?.stop();
});

const hostile = '<img src=x onerror=alert(1)> \u202Egnp.exe <b>bold</b> <script>alert("1")</script>';
const texts = [
  "Dana prefers tea in the morning, and coffee after lunch.",
  "Never use npm in this project; use bun.",
  "The office is in Lisbon, on the fourth floor.",
  "The staging server is down for maintenance until Friday.",
  "Releases go out on Tuesdays, after the review of the change list.",
  hostile,
  `${"W".repeat(300)} ${"long ".repeat(1_900)}`,
];

interface Place {
  readonly project: string;
  readonly key: string;
  readonly ids: readonly string[];
}

async function newPlace(): Promise<Place> {
  const { id: project, key } = await app.createProject("business");
  const memories = texts.map((content, index) => ({
    content,
    memory_type: index === 1 ? "rule" : index === 3 ? "context" : "fact",
    importance: (index % 5) / 4,
    tags: index % 2 === 0 ? ["user:dana", "office"] : ["<script>", "\u202Eshop"],
    ...(index === 3 ? { expires_at: "2026-01-01T00:00:00Z" } : {}),
  }));
  const ids: string[] = [];
  for (const body of memories) {
    const { data } = await app.call("POST", "/v1/memories", { key, body });
    ids.push(String(data.id));
  }
  return { project, key, ids };
}

const addressOf = ({ project }: Place, query = "") =>
  `${app.url}/console/projects/${project}/memories${query}`;

async function open(place: Place, query = "", options: PageOptions = {}): Promise<Watched> {
  const watched = await openPage(browser, app.url, options);
  const { page } = watched;
  const [name = "", value = ""] = (await signIn(app, { key: place.key })).cookie.split("=");
  await watched.context.addCookies([{ name, value, url: app.url }]);
  await page.goto(addressOf(place, query));
  await page.locator("h1", { hasText: "Memories" }).waitFor();
  return watched;
}

const rowWith = (page: Page, text: string) => page.locator("tbody tr", { hasText: text });
const panel = (page: Page) => page.locator(".side-panel");
const message = (page: Page, text: string) => page.locator(".message", { hasText: text });

async function stored({ key }: Place, id = ""): Promise<JsonObject> {
  return (await app.call("GET", `/v1/memories/${id}`, { key })).data;
}

browserTest("a memory is found, changed, undone and restored from the ledger", async () => {
  const place = await newPlace();
  const [dana = ""] = place.ids;
  const { page, faults, close } = await open(place);
  await rowWith(page, "Dana prefers").waitFor();
  expect(await page.locator(".table-foot").textContent()).toBe("7 memories");
  await picture(page, "memories-table");
  await page.getByLabel("Words in memories").fill("tea lun");
  await page.getByText("1 memory", { exact: true }).waitFor();
  expect(page.url()).toContain("text=tea+lun");
  await rowWith(page, "Dana prefers").click();
  await panel(page).getByText("user:dana").waitFor();
  await picture(page, "memories-panel");
  await panel(page).getByRole("button", { name: "Edit" }).click();
  await panel(page).getByLabel("Text").fill("Dana prefers green tea in the morning.");
  await panel(page).getByLabel("Importance").fill("0.9");
  await panel(page).locator("ins", { hasText: "green" }).waitFor();
  await picture(page, "memories-edit");
  // What was typed is there after a reload, and nothing is stored yet.
  await page.reload();
  expect(await panel(page).getByLabel("Text").inputValue()).toBe("Dana prefers green tea in the morning.");
  expect((await stored(place, dana)).content).toBe(texts[0] ?? "");
  await panel(page).getByRole("button", { name: "Save" }).click();
  await message(page, "The memory was changed.").waitFor();
  expect(await stored(place, dana)).toMatchObject({
    content: "Dana prefers green tea in the morning.",
    importance: 0.9,
  });
  expect(await message(page, "The memory was changed.").getByRole("link").getAttribute("href")).toBe(
    `${new URL(addressOf(place)).pathname.replace("memories", "search")}?tab=checks&run=1`,
  );
  await panel(page).getByRole("tab", { name: "History" }).click();
  await panel(page).locator("summary", { hasText: "Changed" }).click();
  await panel(page).locator("del", { hasText: "coffee" }).waitFor();
  await picture(page, "memories-history");
  await message(page, "The memory was changed.").getByRole("button", { name: "Undo" }).click();
  await message(page, "The previous values were restored.").waitFor();
  expect(await stored(place, dana)).toMatchObject({ content: texts[0], importance: 0 });
  await panel(page).locator("summary", { hasText: "Changed" }).nth(1).click();
  await panel(page).getByRole("button", { name: "Restore this version" }).click();
  await message(page, "The version was restored.").waitFor();
  await app.call("POST", "/v1/memories/search", { key: place.key, body: { query: "What does Dana drink?" } });
  await panel(page).getByRole("tab", { name: "Uses" }).click();
  await panel(page).locator("summary", { hasText: "What does Dana drink?" }).click();
  await panel(page).getByText("memory.search").waitFor();
  await picture(page, "memories-uses");
  expect(await stored(place, dana)).toMatchObject({
    content: "Dana prefers green tea in the morning.",
    importance: 0.9,
  });
  expect(faults).toEqual([]);
  await close();
});

browserTest("everything works with the keyboard alone", async () => {
  const place = await newPlace();
  const { page, faults, close } = await open(place);
  await rowWith(page, "Dana prefers").waitFor();
  await page.keyboard.press("n");
  await page.getByRole("dialog").getByLabel("Text").fill("The web shop is written in Go.");
  await page.keyboard.press("Control+Enter");
  await message(page, "The memory was stored.").waitFor();
  await panel(page).getByText("The web shop is written in Go.").waitFor();
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });
  await page.locator("h1").focus();
  await rowWith(page, "The web shop").waitFor();
  await page.keyboard.press("j");
  await page.keyboard.press("j");
  await page.keyboard.press("k");
  await page.keyboard.press("Enter");
  await panel(page).getByRole("tab", { name: "History" }).waitFor();
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });
  await page.locator("table").focus();
  await page.keyboard.press("e");
  await panel(page).getByRole("heading", { name: "Edit the memory" }).waitFor();
  await panel(page).locator("textarea:focus").waitFor();
  await page.keyboard.press("Escape");
  await panel(page).getByRole("button", { name: "Edit" }).waitFor();
  await page.keyboard.press("Escape");
  await panel(page).waitFor({ state: "detached" });
  await page.locator("table").focus();
  await page.keyboard.press("Space");
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("/");
  await page.keyboard.type("bun");
  await rowWith(page, "The office").waitFor({ state: "detached" });
  expect(await page.locator(".bulk-bar").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

browserTest(
  "many are changed at once, those that were never loaded included, and all of it is undone",
  async () => {
    const place = await newPlace();
    const { page, faults, close } = await open(place, "?tag=office&sort=importance");
    await page.getByText("4 memories", { exact: true }).waitFor();
    await rowWith(page, "The office").locator("input").click();
    await page.getByRole("button", { name: "Select all 4" }).click();
    await page.getByText("4 selected").waitFor();
    await picture(page, "memories-selected");
    await page.getByRole("button", { name: "Deactivate" }).click();
    await message(page, "4 memories deactivated.").waitFor();
    await page.locator("tbody .badge", { hasText: "inactive" }).nth(3).waitFor();
    const inactive = (await app.call("GET", "/v1/memories?is_active=false", { key: place.key })).data;
    expect(inactive).toMatchObject({ pagination: { total: 4 } });
    const { logs } = (await app.call("GET", "/v1/audit/logs?action=memory.update_batch", { key: place.key }))
      .data;
    expect(logs).toHaveLength(1);
    await message(page, "4 memories deactivated.").getByRole("button", { name: "Undo" }).click();
    await message(page, "4 memories restored.").waitFor();
    const active = (await app.call("GET", "/v1/memories?is_active=false", { key: place.key })).data;
    expect(active).toMatchObject({ pagination: { total: 0 } });
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest(
  "deleting and undoing many leave what somebody else has changed meanwhile, and say so",
  async () => {
    const place = await newPlace();
    const { page, faults, close } = await open(place, "?tag=office&sort=importance");
    const office = await stored(place, place.ids[2]);
    const change = (body: JsonObject) =>
      app.call("PUT", `/v1/memories/${place.ids[2]}`, { key: place.key, body });
    const selectAll = async () => {
      await page.getByText("4 memories", { exact: true }).waitFor();
      for (const text of ["Dana prefers", "The office", "Releases", "WWWW"])
        await rowWith(page, text).locator("input").click();
      await page.getByText("4 selected").waitFor();
    };
    await selectAll();
    await page.getByRole("button", { name: "Deactivate" }).click();
    await message(page, "4 memories deactivated.").waitFor();
    await change({ is_active: true });
    await change({ is_active: false });
    await message(page, "4 memories deactivated.").getByRole("button", { name: "Undo" }).click();
    await message(page, "3 memories restored, 1 refused: The memory was changed meanwhile").waitFor();
    expect(await stored(place, place.ids[2])).toMatchObject({ is_active: false });

    await page.reload();
    await selectAll();
    await change({ content: `${office.content} It has a lift.` });
    await page.getByRole("button", { name: "Delete…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("4");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await message(page, "3 memories deleted, 1 refused: The memory was changed meanwhile").waitFor();
    expect(await stored(place, place.ids[2])).toMatchObject({ content: `${office.content} It has a lift.` });
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest("an undo shows what was undone, and leaves what was opened meanwhile", async () => {
  const place = await newPlace();
  const { page, faults, close } = await open(place, `?memory=${place.ids[1]}`);
  await panel(page).getByRole("button", { name: "More" }).click();
  await page.keyboard.press("Escape");
  await panel(page).getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Deactivate" }).click();
  await message(page, "inactive now").waitFor();
  await page.getByLabel("Expiry").selectOption("Not expired");
  await rowWith(page, "The office").click();
  await panel(page).getByText("The office").waitFor();
  await rowWith(page, "Never use npm").locator(".badge").waitFor();
  await message(page, "inactive now").getByRole("button", { name: "Undo" }).click();
  await message(page, "restored").waitFor();
  await rowWith(page, "Never use npm").locator(".badge").waitFor({ state: "detached" });
  await panel(page).getByText("The office").waitFor();
  expect(faults).toEqual([]);
  await close();
});

browserTest(
  "of two people who change one memory, the second one sees what the first one has changed",
  async () => {
    const place = await newPlace();
    const [dana = ""] = place.ids;
    const path = `/v1/memories/${dana}`;
    const { page, faults, close } = await open(place, `?memory=${dana}&edit=yes`);
    await panel(page).getByLabel("Text").fill("Dana prefers green tea.");
    const put = (body: JsonObject) => app.call("PUT", path, { key: place.key, body });
    await put({ importance: 1, tags: ["by another person"] });
    await panel(page).getByRole("button", { name: "Save" }).click();
    await panel(page).getByText("Somebody else has changed the memory").waitFor();
    const meanwhile = panel(page).locator(".meanwhile");
    expect(await meanwhile.locator("ins").allTextContents()).toEqual(["1", "by another person"]);
    await rowWith(page, "Dana prefers").getByText("by another person").waitFor();
    expect((await stored(place, dana)).content).toBe(texts[0] ?? "");
    expect(await faultsInOtherForms(page, "memories-conflict")).toEqual([]);
    // What was typed is kept in this tab, and a change that comes while nobody looks is seen, too.
    await page.goto(addressOf(place));
    await put({ content: "Dana prefers water." });
    await page.goto(addressOf(place, `?memory=${dana}&edit=yes`));
    await meanwhile.locator("ins", { hasText: "water" }).waitFor();
    expect(await panel(page).getByLabel("Text").inputValue()).toBe("Dana prefers green tea.");
    await panel(page).getByRole("button", { name: "Save" }).click();
    await message(page, "The memory was changed.").waitFor();
    expect(await stored(place, dana)).toMatchObject({
      content: "Dana prefers green tea.",
      importance: 1,
      tags: ["by another person"],
    });
    await put({ importance: 0.25 });
    await message(page, "The memory was changed.").getByRole("button", { name: "Undo" }).click();
    await message(page, "was changed meanwhile").waitFor();
    expect((await stored(place, dana)).importance).toBe(0.25);
    expect(faults.filter((fault) => !/409/.test(fault))).toEqual([]);
    await close();
  },
);

/** @returns code that says whether the row is at the top of the table now */
const scrollTo = (row: number) =>
  `{ const view = document.querySelector(".scroller"); view.scrollTo(0, ${36 * row}); view.scrollTop === ${36 * row}; }`;

browserTest("after a change of many, the table stays where the reader was, and cuts no time", async () => {
  const { id: project, key } = await app.createProject("business");
  const memories = Array.from({ length: 350 }, (_, row) => ({
    content: `Note ${row}.`,
    memory_type: "fact",
  }));
  await app.call("POST", "/v1/memories/batch", { key, body: { memories } });
  const { page, faults, close } = await open({ project, key, ids: [] }, "?direction=asc");
  await rowWith(page, "Note 5.").waitFor();
  for (const row of [50, 110, 170, 230, 250]) {
    // The table is as long as the pages that are loaded.
    while (!(await page.evaluate(scrollTo(row)))) await page.waitForTimeout(20);
    await rowWith(page, `Note ${row + 3}.`).waitFor();
  }
  const scrolled = () => page.evaluate("document.querySelector('.scroller').scrollTop");
  const before = await scrolled();
  // The bar of the selection moves the table. A click meanwhile would miss the box, and Playwright would scroll to it.
  const tick = async () => {
    for (const row of [252, 254]) {
      await rowWith(page, `Note ${row}.`).locator("input").click();
      await page.getByRole("button", { name: "Delete…" }).waitFor();
    }
  };
  await tick();
  await page.getByRole("button", { name: "Deactivate" }).click();
  await message(page, "2 memories deactivated.").waitFor();
  await rowWith(page, "Note 254.").locator(".badge", { hasText: "inactive" }).waitFor();
  expect(await scrolled()).toBe(before);
  await tick();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByLabel("Type 2 to confirm").fill("2");
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("348 memories", { exact: true }).waitFor();
  await rowWith(page, "Note 254.").waitFor({ state: "detached" });
  await rowWith(page, "Note 255.").waitFor();
  expect(await scrolled()).toBe(before);
  const cut = await page.evaluate(`["59 minutes ago", "in 59 seconds"].flatMap((text) =>
    [...document.querySelectorAll("tbody time")].filter((time) => {
      time.textContent = text;
      return time.closest("td").scrollWidth > time.closest("td").clientWidth;
    }).map(() => text))`);
  expect(cut).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

browserTest("a deleted memory can be created again", async () => {
  const place = await newPlace();
  const [, bun = ""] = place.ids;
  const { page, faults, close } = await open(place, `?memory=${bun}`);
  await panel(page).getByRole("button", { name: "More" }).click();
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await message(page, "The memory was deleted.").getByRole("button", { name: "Undo" }).click();
  await message(page, "created again").waitFor();
  await panel(page).getByText("Never use npm").waitFor();
  const { memories } = (await app.call("GET", "/v1/memories?text=npm", { key: place.key })).data;
  expect(memories).toMatchObject([
    { content: texts[1], memory_type: "rule", tags: ["<script>", "\u202Eshop"] },
  ]);
  expect(faults).toEqual([]);
  await close();
});

browserTest("a key that may only read cannot change anything", async () => {
  const place = await newPlace();
  const { key } = await app.createKey(place.project, ["memory.read", "audit.read"]);
  const { page, faults, close } = await open({ ...place, key }, `?memory=${place.ids[2]}&edit=yes&new=yes`);
  await panel(page).getByRole("tab", { name: "History" }).waitFor();
  for (const name of ["Edit", "More", "New memory", "Save"])
    expect(await page.getByRole("button", { name, exact: true }).count()).toBe(0);
  // Nothing can be done with a selection.
  await rowWith(page, "Dana prefers").waitFor();
  expect(await page.getByRole("checkbox").count()).toBe(0);
  expect(faults).toEqual([]);
  await close();
});

for (const theme of ["light", "dark"] as const)
  for (const width of [1_280, 360])
    browserTest(
      `texts of others are texts, and nobody meets an obstacle: ${theme}, ${width} pixels`,
      async () => {
        const place = await newPlace();
        const { page, faults, close } = await open(place, "", { theme, width });
        await rowWith(page, "<img src=x").waitFor();
        expect(await page.locator("main img, main script, tbody b").count()).toBe(0);
        await picture(page, `memories-${theme}-${width}`);
        expect(await obstacles(page)).toEqual([]);
        await rowWith(page, "WWWWWWWW").click();
        await panel(page).getByText("long long").waitFor();
        await picture(page, `memories-panel-${theme}-${width}`);
        expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
        await panel(page).getByRole("button", { name: "Edit" }).click();
        await panel(page).getByLabel("Importance").fill("0.75");
        expect(await obstacles(page)).toEqual([]);
        await picture(page, `memories-edit-${theme}-${width}`);
        expect(faults).toEqual([]);
        await close();
      },
    );

// Decides about suggestions in the console in Chromium on a real server: with the keyboard, with buttons, many at once, and undoes what was decided.

import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { faultsInOtherForms } from "./administration.ts";
import { browserTest, obstacles } from "./browser.ts";
import { type Place, useConsole } from "./use-console.ts";

const tools = useConsole();

async function remember({ key }: Place, content: string): Promise<string> {
  const { data } = await tools.app.call("POST", "/v1/memories", {
    key,
    body: { content, memory_type: "fact" },
  });
  return String(data.id);
}

async function propose({ key }: Place, body: JsonObject): Promise<void> {
  expect((await tools.app.call("POST", "/v1/suggestions", { key, body })).status).toBe(201);
}

async function memory({ key }: Place, id: string): Promise<JsonObject> {
  return (await tools.app.call("GET", `/v1/memories/${id}`, { key })).data;
}

async function waiting({ key }: Place): Promise<JsonObject[]> {
  return [(await tools.app.call("GET", "/v1/suggestions", { key })).data.suggestions].flat().filter(isObject);
}

const card = (page: Page, text: string) => page.locator(".suggestion", { hasText: text });
const message = (page: Page, text: string) => page.locator(".message", { hasText: text }).last();

browserTest("an empty queue says where suggestions come from", async () => {
  const { page, faults, close } = await tools.open(await tools.newPlace(), "suggestions");
  await page.getByRole("heading", { name: "No suggestion waits" }).waitFor();
  expect(await faultsInOtherForms(page, "suggestions-empty")).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

browserTest(
  "what an extraction has found stands side by side, and accepting it is undone with a key",
  async () => {
    const place = await tools.newPlace();
    const older = await remember(place, "The standup of the team is at nine.");
    const { data } = await tools.app.call("POST", "/v1/memories/extract", {
      key: place.key,
      body: {
        messages: [{ role: "user", content: "The standup of the team is at ten." }],
        conversation: "chat-1",
        detail: "essential",
      },
    });
    if ((await waiting(place)).length === 0)
      throw new Error(`nothing was suggested: ${JSON.stringify(data)}`);
    const { page, faults, close } = await tools.open(place, "suggestions");
    await page.locator(".suggestion del", { hasText: "nine" }).waitFor();
    await page.locator(".suggestion ins", { hasText: "ten" }).waitFor();
    expect(await page.locator(".side-by-side time").count()).toBe(2);
    expect(await faultsInOtherForms(page, "suggestions-contradiction")).toEqual([]);
    // Without the focus in the list, the keys decide nothing.
    await page.keyboard.press("a");
    await page.keyboard.press("r");
    expect((await waiting(place)).length).toBe(1);
    await page.keyboard.press("j");
    await page.keyboard.press("a");
    await message(page, "1 suggestion accepted.").waitFor();
    expect(await memory(place, older)).toMatchObject({ is_active: false });
    await page.getByRole("heading", { name: "No suggestion waits" }).waitFor();
    await page.locator(".suggestions").focus();
    await page.keyboard.press("u");
    await message(page, "The decision was undone.").waitFor();
    expect(await memory(place, older)).toMatchObject({ is_active: true });
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest("proposals are read, edited, merged and refused, and each decision is undone", async () => {
  const place = await tools.newPlace();
  const [tea, key, desk, van] = await Promise.all(
    ["Ana likes tea.", "The key is at the porter's desk.", "The desk is oak.", "The van is white."].map(
      (text) => remember(place, text),
    ),
  );
  await propose(place, {
    kind: "change",
    memory_id: tea ?? "",
    importance: 0.9,
    reason: "<b>Ana</b> said so",
  });
  await propose(place, { kind: "replace", memory_id: key ?? "", content: "The key is at the gate." });
  await propose(place, { kind: "replace", memory_id: desk ?? "", content: "The desk is ash." });
  await propose(place, { kind: "delete", memory_id: van ?? "" });
  await propose(place, {
    kind: "create",
    content: "<img src=x onerror=alert(1)>",
    memory_type: "rule",
    quotes: ["何も言わない"],
  });
  const { page, faults, close } = await tools.open(place, "suggestions");
  await card(page, "The van is white.").waitFor();
  expect(await page.locator(".suggestion").count()).toBe(5);
  await card(page, "Ana likes tea.").locator("ins", { hasText: "0.9" }).waitFor();
  await card(page, "Ana likes tea.").getByText("<b>Ana</b> said so").waitFor();
  expect(await faultsInOtherForms(page, "suggestions")).toEqual([]);
  for (const width of [1_366, 1_440, 1_536, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(
      await page.evaluate(
        "document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth",
      ),
    ).toBe(true);
    await tools.picture(page, `suggestions-${width}`);
  }
  await page.setViewportSize({ width: 1_440, height: 900 });
  // Edited with the keyboard: what is typed is no shortcut.
  await card(page, "at the gate.").focus();
  await page.keyboard.press("e");
  await page.getByLabel("Text of the memory").fill("The key is at the main gate.");
  await page.keyboard.press("Escape");
  expect(await waiting(place)).toHaveLength(5);
  await page.keyboard.press("e");
  await page.getByLabel("Text of the memory").fill("The key is at the main gate.");
  await page.getByRole("button", { name: "Accept with this text" }).click();
  await message(page, "1 suggestion accepted.").waitFor();
  expect(await memory(place, key ?? "")).toMatchObject({ is_active: false });
  await message(page, "1 suggestion accepted.").getByRole("button", { name: "Undo" }).click();
  await message(page, "The decision was undone.").waitFor();
  expect(await memory(place, key ?? "")).toMatchObject({ is_active: true });
  // Merged.
  await card(page, "The desk is ash.").getByRole("button", { name: "Merge…" }).click();
  await page.getByLabel("Text of both memories").fill("The desk is ash and oak.");
  await page.getByRole("button", { name: "Merge", exact: true }).click();
  await card(page, "The desk is ash.").waitFor({ state: "detached" });
  const { data } = await tools.app.call("GET", "/v1/memories?text=ash", { key: place.key });
  expect(data.memories).toMatchObject([{ content: "The desk is ash and oak." }]);
  // Refused, and proposed again.
  for (const text of ["The van is white.", "<img src=x"]) {
    await card(page, text).getByRole("button", { name: "Refuse" }).click();
    await message(page, "1 suggestion refused.").waitFor();
    await card(page, text).waitFor({ state: "detached" });
    await message(page, "1 suggestion refused.").getByRole("button", { name: "Undo" }).click();
    await card(page, text).waitFor();
  }
  expect(faults).toEqual([]);
  await close();
});

browserTest("many are decided at once, and one that is outdated is named", async () => {
  const place = await tools.newPlace();
  const id = await remember(place, "The office has a tap.");
  await propose(place, { kind: "change", memory_id: id, importance: 0.9 });
  for (const at of [1, 2, 3])
    await propose(place, { kind: "create", content: `Room ${at} is free.`, memory_type: "fact" });
  await tools.app.call("PUT", `/v1/memories/${id}`, { key: place.key, body: { importance: 0.2 } });
  const { page, faults, close } = await tools.open(place, "suggestions");
  await card(page, "The office has a tap.").getByText("outdated").waitFor();
  await page.getByRole("button", { name: "Select all 4" }).click();
  await page.getByRole("button", { name: "Accept 4 selected" }).click();
  await message(page, "3 suggestions accepted, 1 failed").waitFor();
  expect(await page.locator(".suggestion").count()).toBe(1);
  await message(page, "3 suggestions accepted").getByRole("button", { name: "Undo" }).click();
  await message(page, "The decision was undone.").waitFor();
  const { data } = await tools.app.call("GET", "/v1/memories", { key: place.key });
  expect(data.memories).toMatchObject([{ content: "The office has a tap." }]);
  expect(faults).toEqual([]);
  await close();
});

browserTest("a key that may only read sees suggestions and cannot decide", async () => {
  const place = await tools.newPlace();
  await propose(place, { kind: "create", content: "Room 1 is free.", memory_type: "fact" });
  const { page, faults, close } = await tools.openWithKey(place, ["memory.read"], "suggestions");
  await card(page, "Room 1 is free.").waitFor();
  for (const name of ["Accept", "Refuse", "Edit…"])
    expect(await page.getByRole("button", { name }).count()).toBe(0);
  await page.keyboard.press("j");
  await page.keyboard.press("a");
  expect(await waiting(place)).toHaveLength(1);
  expect(await obstacles(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

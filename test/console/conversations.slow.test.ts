// Reads conversations in the console in Chromium on a real server: what was said in its order, what was kept of it, the ways from a memory to its
// conversation and its records and back, and an erasure with everything that was made of it.

import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { verifyErasureReceipt } from "../../src/audit/verify/receipts/erasure-receipt.ts";
import { isObject } from "../../src/platform/json/json.ts";
import { faultsInOtherForms } from "./administration.ts";
import { browserTest, obstacles } from "./browser.ts";
import { useConsole } from "./use-console.ts";

const tools = useConsole();
const day = "2026-03-12T";

async function say(key: string, conversation: string, messages: readonly object[], fields: object = {}) {
  const { code } = await tools.app.call("POST", "/v1/memories/extract", {
    key,
    body: { messages, conversation, detail: "verbatim", ...fields },
  });
  expect(code).toBe(1000);
}

/** A conversation with a rule that was kept of it, and words in three languages. */
async function talk(key: string, conversation: string, fields: object = {}) {
  const decided = "We decided that releases go out on Tuesdays.";
  const messages = [
    {
      role: "user",
      name: "Ana",
      id: "m1",
      content: "Where do we meet on Friday?",
      said_at: `${day}09:00:00Z`,
    },
    { role: "assistant", id: "m2", content: "Am alten Bahnhof, um neun.", said_at: `${day}09:00:05Z` },
    { role: "user", name: "Ana", id: "m3", content: `了解しました。 ${decided}`, said_at: `${day}09:01:00Z` },
    {
      role: "user",
      name: "<b>Eve</b>",
      id: "m4",
      content: "<img src=x onerror=alert(1)>",
      said_at: `${day}09:02:00Z`,
    },
  ];
  await say(key, conversation, messages, fields);
  await say(
    key,
    conversation,
    [{ role: "user", name: "Ana", id: "m3", content: decided, said_at: `${day}09:01:00Z` }],
    {
      ...fields,
      detail: "essential",
    },
  );
}

const turns = (page: Page) => page.locator(".turns > li");
const panel = (page: Page) => page.getByRole("complementary");

browserTest("an empty project says where conversations come from", async () => {
  const place = await tools.newPlace();
  const { page, faults, close } = await tools.open(place, "conversations");
  await page.getByRole("heading", { name: "No conversations yet" }).waitFor();
  expect(await faultsInOtherForms(page, "conversations-empty")).toEqual([]);
  await page.getByLabel("Exact id of a conversation").fill("chat-99");
  await page.keyboard.press("Enter");
  await page.getByText("There is no such conversation").waitFor();
  await page.getByRole("button", { name: "All conversations" }).click();
  await page.getByRole("heading", { name: "No conversations yet" }).waitFor();
  expect(faults.filter((fault) => !fault.includes("404"))).toEqual([]);
  await close();
});

browserTest("a conversation is read as it was, with links to its memories and records and back", async () => {
  const place = await tools.newPlace();
  const name = "a/b c?d=e&f";
  await talk(place.key, name);
  await say(place.key, "other", [
    { role: "user", content: "Nothing in common.", said_at: `${day}08:00:00Z` },
  ]);
  const { page, faults, close } = await tools.open(place, "conversations");
  await page.getByText("2 conversations").waitFor();
  expect(await page.locator("tbody td[data-narrow=title]").allTextContents()).toEqual([name, "other"]);
  expect(await faultsInOtherForms(page, "conversations")).toEqual([]);
  await page.locator("tbody tr", { hasText: name }).click();
  await turns(page).nth(3).waitFor();
  expect(await page.locator(".said > header bdi").allTextContents()).toEqual([
    "Ana",
    "Assistant",
    "Ana",
    "<b>Eve</b>",
  ]);
  expect((await page.locator(".said-text p[dir]").allTextContents()).join("\n")).toContain(
    "Am alten Bahnhof, um neun.",
  );
  // What was kept stands beside its words, which are marked.
  const kept = turns(page).nth(2).locator(".kept-memory");
  expect(await kept.textContent()).toContain("releases go out on Tuesdays.");
  expect(await turns(page).nth(2).locator("mark").textContent()).toContain("releases go out on Tuesdays.");
  expect(await page.locator(".kept-memory").count()).toBe(1);
  expect(await faultsInOtherForms(page, "conversation")).toEqual([]);
  for (const width of [1_366, 1_440, 1_536, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(
      await page.evaluate(
        "document.querySelector('main').scrollWidth <= document.querySelector('main').clientWidth",
      ),
    ).toBe(true);
    await tools.picture(page, `conversation-${width}`);
  }
  await page.setViewportSize({ width: 1_440, height: 900 });
  // To the memory, and back to its place.
  await kept.click();
  await panel(page).getByText("by Ana").waitFor();
  expect(await faultsInOtherForms(page, "memory-origins")).toEqual([]);
  expect(
    await panel(page).locator("dt", { hasText: "Records" }).locator("+ dd a").getAttribute("href"),
  ).toContain("ledger?memory_id=");
  await panel(page).getByRole("link", { name }).click();
  await page.locator(".kept-memory[aria-current]").waitFor();
  await page.getByRole("link", { name: "Records", exact: true }).click();
  await page.locator("tbody tr", { hasText: "memory.extract" }).first().click();
  await panel(page).getByText("releases go out on Tuesdays").first().waitFor();
  await page.goBack();
  await page.goBack();
  await turns(page).nth(3).waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("2 conversations").waitFor();
  expect(faults).toEqual([]);
  await close();
});

browserTest("a long conversation is read in pages, and up to the place of a memory", async () => {
  const place = await tools.newPlace();
  const messages = Array.from({ length: 450 }, (_, number) => ({
    role: number % 2 === 0 ? "user" : "assistant",
    id: String(number),
    content: `Sentence number ${number} of this talk.`,
    said_at: new Date(Date.parse(`${day}09:00:00Z`) + number * 1_000).toISOString(),
  }));
  for (let at = 0; at < messages.length; at += 90) await say(place.key, "long", messages.slice(at, at + 90));
  const { page, faults, close } = await tools.open(place, "conversations", { open: "long" });
  await turns(page).nth(199).waitFor();
  expect(await turns(page).count()).toBe(200);
  await page.getByRole("button", { name: "Show what was said next" }).click();
  await turns(page).nth(399).waitFor();
  const { data } = await tools.app.call("GET", "/v1/memories?text=449", { key: place.key });
  const [last] = [data.memories].flat().filter(isObject);
  await page.goto(
    `${tools.app.url}/console/projects/${place.project}/conversations?open=long&at=${last?.id}`,
  );
  const marked = page.locator(".said-text[aria-current]", { hasText: "number 449" });
  await marked.waitFor();
  expect(await turns(page).count()).toBe(450);
  expect(await page.getByRole("button", { name: "Show what was said next" }).count()).toBe(0);
  const box = await marked.boundingBox();
  expect(box !== null && box.y > 0 && box.y < 800).toBe(true);
  expect(faults).toEqual([]);
  await close();
});

browserTest("memories that were kept and those of conversations are shown apart", async () => {
  const place = await tools.newPlace();
  await talk(place.key, "chat-1");
  const { page, faults, close } = await tools.open(place, "memories");
  await page.getByText("1 memory").waitFor();
  await page.getByLabel("Origin").selectOption("From conversations");
  await page.getByText("4 memories").waitFor();
  await page.locator("tbody tr", { hasText: "Assistant" }).getByText("chat-1").waitFor();
  expect(await faultsInOtherForms(page, "memories-from-conversations")).toEqual([]);
  await page.getByLabel("Origin").selectOption("All memories");
  await page.getByText("5 memories").waitFor();
  await page.goto(
    `${tools.app.url}/console/projects/${place.project}/memories?origin=all&conversation=nothing`,
  );
  await page.getByText("No memory matches").waitFor();
  await page.getByRole("button", { name: "Remove the filter for the conversation nothing" }).click();
  await page.getByText("5 memories").waitFor();
  expect(faults).toEqual([]);
  await close();
});

browserTest(
  "a conversation of a subject is erased with all that was made of it, and the receipt verifies",
  async () => {
    const place = await tools.newPlace();
    await talk(place.key, "chat-secret", { subject: "user:42" });
    await talk(place.key, "chat-secret");
    const { page, faults, close } = await tools.open(place, "conversations", {
      subject: "user:42",
      open: "chat-secret",
    });
    await turns(page).nth(3).waitFor();
    await page.getByRole("button", { name: "Erase…" }).click();
    const question = page.getByRole("dialog", { name: "Erase the conversation?" });
    await question.getByText("5 memories with its words are deleted").waitFor();
    expect(await faultsInOtherForms(page, "conversation-erase")).toEqual([]);
    await question.getByRole("textbox", { name: /^Type/ }).fill("4");
    expect(
      await question.getByRole("button", { name: "Erase the conversation" }).getAttribute("aria-disabled"),
    ).toBe("true");
    await question.getByRole("textbox", { name: /^Reason/ }).fill("Order 17");
    await question.getByRole("textbox", { name: /^Type/ }).fill("5");
    await page.keyboard.press("Enter");
    await page.getByText("The conversation is erased").waitFor();
    await page.getByText("No conversations yet").waitFor();
    expect(await page.content()).not.toContain("chat-secret");
    const { name: file, data: receipt } = await tools.downloaded(page, "Save the receipt");
    expect(file).toBe(`receipt-${receipt.subject}.json`);
    expect(receipt.payload).toContain("Order 17");
    expect(verifyErasureReceipt(receipt, [String(receipt.verifier_key)], runtimeCryptography)).toMatchObject({
      project: place.project,
    });
    const left = await tools.app.call("GET", "/v1/memories?subject=user:42", { key: place.key });
    expect(left.data.memories).toEqual([]);
    // That of the project has the same id, and stays.
    const own = await tools.app.call("GET", "/v1/memories/conversations", { key: place.key });
    expect(own.data.conversations).toMatchObject([{ conversation: "chat-secret", passages: 4, kept: 1 }]);
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest("a key that may only read sees no way to erase and no records", async () => {
  const place = await tools.newPlace();
  await talk(place.key, "chat-1");
  const { page, faults, close } = await tools.openWithKey(place, ["memory.read"], "conversations", {
    open: "chat-1",
  });
  await turns(page).nth(3).waitFor();
  expect(await page.getByRole("button", { name: "Erase…" }).count()).toBe(0);
  expect(await page.getByRole("link", { name: "Records" }).count()).toBe(0);
  expect(await obstacles(page)).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

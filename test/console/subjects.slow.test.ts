// Uses subjects in the console in Chromium on a real server: finds one, opens its memories, exports it, and erases it with a receipt that
// the command verifies.

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { runtimeCryptography } from "../../src/audit/runtime-cryptography.ts";
import { verifyErasureReceipt } from "../../src/audit/verify/receipts/erasure-receipt.ts";
import { isObject, type JsonObject } from "../../src/platform/json/json.ts";
import { signIn } from "../transports/http/console/signed-in.ts";
import { faultsInOtherForms, openAsAdministrator } from "./administration.ts";
import {
  browserTest,
  chromiumPath,
  launchBrowser,
  obstacles,
  openPage,
  picture,
  type Watched,
} from "./browser.ts";
import { type ConsoleApp, startConsoleApp } from "./console-app.ts";

setDefaultTimeout(120_000);

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

/** What applications may call a subject. */
const names = [
  "user:42",
  "a/b?c=d#e%2Ff&g",
  "two  spaces and + plus",
  "\u202Emoc.elpmaxe <b>bold</b>",
  "東京 🗼 Ünïcode",
  `tenant-7/${"W".repeat(191)}`,
];

interface Place {
  readonly project: string;
  readonly key: string;
}

async function newPlace(): Promise<Place> {
  const { id: project, key } = await app.createProject("business");
  return { project, key };
}

async function remember({ key }: Place, content: string, subject?: string): Promise<string> {
  const body = { content, memory_type: "fact", ...(subject === undefined ? {} : { subject }) };
  const { status, data } = await app.call("POST", "/v1/memories", { key, body });
  expect(status).toBe(201);
  return String(data.id);
}

const addressOf = ({ project }: Place, view: string, query: Readonly<Record<string, string>> = {}) =>
  `/console/projects/${project}/${view}?${new URLSearchParams(query)}`;

const open = (place: Place, view: string, query: Readonly<Record<string, string>> = {}) =>
  openAsAdministrator(browser, app, addressOf(place, view, query));

const panel = (page: Page) => page.getByRole("complementary", { name: "Subject" });
const fact = (page: Page, name: string) => panel(page).locator("dt", { hasText: name }).locator("+ dd");
const row = (page: Page, text: string) => page.locator("tbody tr", { hasText: text });

async function downloaded(
  page: Page,
  button: string,
): Promise<{ readonly name: string; readonly data: JsonObject }> {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: button, exact: true }).click(),
  ]);
  const data: unknown = JSON.parse(await Bun.file(await file.path()).text());
  if (!isObject(data as JsonObject)) throw new Error("the file is no JSON object");
  return { name: file.suggestedFilename(), data: data as JsonObject };
}

browserTest("an empty project says what a subject is, and its command makes one", async () => {
  const place = await newPlace();
  const { page, faults, close } = await open(place, "subjects");
  await page.getByRole("heading", { name: "No subjects yet" }).waitFor();
  expect(await faultsInOtherForms(page, "subjects-empty")).toEqual([]);
  const command = (await page.locator(".empty pre").textContent()) ?? "";
  const child = Bun.spawn(["sh", "-c", command], {
    env: { ...process.env, KEY: place.key },
    stderr: "ignore",
  });
  expect(await child.stdout.text()).toContain('"subject":"user:42"');
  await page.reload();
  await row(page, "user:42").waitFor();
  expect(faults).toEqual([]);
  await close();
});

browserTest("every name is opened from the list and by itself, and survives in the address", async () => {
  const place = await newPlace();
  for (const name of names) await remember(place, `Prefers tea: ${name.slice(0, 20)}.`, name);
  await remember(place, "The office is in Lisbon.");
  const { page, faults, close } = await open(place, "subjects");
  await page.getByText(`${names.length} subjects`).waitFor();
  expect(await page.locator("tbody td[data-narrow=title]").allTextContents()).toEqual(
    names.toSorted((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right))),
  );
  for (const name of names) {
    await page.getByLabel("Exact name of a subject").fill(name);
    await page.keyboard.press("Enter");
    expect(await fact(page, "Name").locator("code").textContent()).toBe(name);
    await fact(page, "Memories").getByText("1", { exact: true }).waitFor();
    await page.reload();
    expect(await fact(page, "Name").locator("code").textContent()).toBe(name);
    await panel(page).getByRole("link", { name: "Memories" }).click();
    await row(page, "Prefers tea").waitFor();
    expect(await page.locator(".table-foot").textContent()).toBe("1 memory");
    expect(await page.locator(".subject-line bdi").textContent()).toBe(name);
    await page.reload();
    await row(page, "Prefers tea").waitFor();
    await page.locator(".subject-line a").first().click();
    expect(await panel(page).getByRole("link", { name: "Records" }).getAttribute("href")).toBe(
      addressOf(place, "ledger", { subject: name }),
    );
    const { data } = await downloaded(page, "Export");
    expect(data).toMatchObject({
      subject: name,
      memories: [{ content: `Prefers tea: ${name.slice(0, 20)}.` }],
    });
  }
  // The last one is the longest.
  expect(await faultsInOtherForms(page, "subjects-panel")).toEqual([]);
  await panel(page).getByRole("button", { name: "Close" }).click();
  expect(await faultsInOtherForms(page, "subjects")).toEqual([]);
  await page.goto(app.url + addressOf(place, "memories", { subject: names.at(-1) ?? "" }));
  await row(page, "Prefers tea").waitFor();
  expect(await faultsInOtherForms(page, "subjects-memories")).toEqual([]);
  expect(faults).toEqual([]);
  await close();
});

browserTest(
  "a list of many subjects is read in pages, also after one of a page's end was erased",
  async () => {
    const place = await newPlace();
    for (let at = 0; at < 230; at += 1) {
      const subject = `user:${String(at).padStart(3, "0")}`;
      const { status } = await app.call("POST", "/v1/audit/logs", {
        key: place.key,
        body: { action: "app.seen", http_status: 200, subject },
      });
      expect(status).toBe(201);
    }
    const { page, faults, close } = await open(place, "subjects");
    const toEnd = async () => {
      await page.locator("table").focus();
      for (let round = 0; round < 4; round++) {
        await page.keyboard.press("End");
        await page.waitForTimeout(200);
      }
      await row(page, "user:229").waitFor();
    };
    await row(page, "user:000").waitFor();
    await toEnd();
    await page.getByText("230 subjects").waitFor();
    await page.getByLabel("Exact name of a subject").fill("user:099");
    await page.keyboard.press("Enter");
    await panel(page).getByRole("button", { name: "Erase…" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: /^Type/ }).fill("user:099");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Close without the receipt" }).click();
    await row(page, "user:000").waitFor();
    await toEnd();
    await page.getByText("229 subjects").waitFor();
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest(
  "memories of a subject are created, searched, changed and deleted apart from others",
  async () => {
    const place = await newPlace();
    const other = await remember(place, "The other user likes coffee.", "user:1");
    await remember(place, "The shop opens at nine.");
    const { page, faults, close } = await open(place, "memories", { subject: "user:2" });
    await page.getByText("No memories yet").waitFor();
    await page.keyboard.press("n");
    const form = page.getByRole("dialog", { name: "New memory" });
    await form.locator(".subject-line", { hasText: "user:2" }).waitFor();
    await form.getByLabel("Text").fill("This user likes green tea.");
    await form.getByRole("button", { name: "Store" }).click();
    await page.locator(".message", { hasText: "The memory was stored." }).waitFor();
    const listOf = async (subject: string) => {
      const { data } = await app.call("GET", `/v1/memories?${new URLSearchParams({ subject })}`, {
        key: place.key,
      });
      return data.memories as JsonObject[];
    };
    expect(await listOf("user:2")).toMatchObject([
      { content: "This user likes green tea.", subject: "user:2" },
    ]);
    const side = page.locator(".side-panel");
    await side.getByRole("button", { name: "Edit" }).click();
    await side.getByLabel("Text").fill("This user likes white tea.");
    await side.getByRole("button", { name: "Save" }).click();
    const changed = page.locator(".message", { hasText: "The memory was changed." });
    await changed.waitFor();
    expect(await changed.getByRole("link").getAttribute("href")).toContain("subject=user%3A2&tab=checks");
    await side.getByRole("tab", { name: "History" }).click();
    await side.locator("summary", { hasText: "Changed" }).waitFor();
    // A draft of one subject is not that of another one.
    await page.keyboard.press("Escape");
    await page.keyboard.press("n");
    await form.getByLabel("Text").fill("A draft.");
    await page.goto(app.url + addressOf(place, "memories", { subject: "user:1", new: "yes" }));
    expect(await form.getByLabel("Text").inputValue()).toBe("");
    await page.keyboard.press("Escape");
    await row(page, "coffee").waitFor();
    expect(await page.locator(".table-foot").textContent()).toBe("1 memory");
    // The search lab also finds memories of the project, and says so; their links lead to their own list.
    await page.goto(
      app.url + addressOf(place, "search", { subject: "user:2", q: "What does the user like?" }),
    );
    const hybrid = page.locator(".hits", { has: page.getByRole("heading", { name: "Hybrid" }) });
    const [own, projects] = ["white tea", "opens at nine"].map((text) =>
      hybrid.locator(".hit", { hasText: text }),
    );
    await own?.waitFor();
    expect(await hybrid.getByText("coffee").count()).toBe(0);
    await projects?.getByText("of the project").waitFor();
    expect(await projects?.getByRole("button", { name: /check/i }).count()).toBe(0);
    expect(await projects?.getByRole("link").getAttribute("href")).not.toContain("subject");
    await own?.getByRole("button", { name: /check/i }).click();
    await page.getByRole("button", { name: "Save the check" }).click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(await faultsInOtherForms(page, "subjects-search")).toEqual([]);
    await own?.getByRole("link").click();
    await side.getByText("white tea").waitFor();
    await page.goto(app.url + addressOf(place, "search", { subject: "user:2", tab: "checks", run: "1" }));
    await page.getByText("1 passed").waitFor();
    await row(page, "What does").click();
    await page.waitForURL(/subject=user%3A2.*q=What|q=What.*subject=user%3A2/);
    // Extraction, too.
    await page.goto(app.url + addressOf(place, "extract", { subject: "user:2" }));
    await page.getByLabel("Text", { exact: true }).fill("My sister lives in Braga. I never eat meat.");
    await page.getByRole("button", { name: "Find memories" }).click();
    await page.getByRole("button", { name: "Accept all that are open" }).click();
    await page.getByRole("button", { name: /^Store [1-9]/ }).click();
    await page.locator(".message", { hasText: "stored." }).waitFor();
    expect((await listOf("user:2")).length).toBeGreaterThan(1);
    // All of one subject are deleted, and no others.
    await page.goto(app.url + addressOf(place, "memories", { subject: "user:2" }));
    await row(page, "white tea").waitFor();
    await page.locator("table").focus();
    await page.keyboard.press("x");
    await page.getByRole("button", { name: /^Select all/ }).click();
    await page.getByRole("button", { name: "Delete…" }).click();
    const question = page.getByRole("dialog");
    await question
      .getByRole("textbox", { name: /^Type/ })
      .fill((await question.locator("label strong").textContent()) ?? "");
    await page.keyboard.press("Enter");
    await page.getByText("No memories yet").waitFor();
    expect(await listOf("user:2")).toEqual([]);
    expect(await listOf("user:1")).toMatchObject([{ id: other }]);
    const own1 = await app.call("GET", "/v1/memories", { key: place.key });
    expect(own1.data.memories).toMatchObject([{ content: "The shop opens at nine." }]);
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest("a subject is erased after its name was typed, and the receipt proves it", async () => {
  const place = await newPlace();
  const name = names[2] ?? "";
  await remember(place, "Likes tea.", name);
  await remember(place, "Likes jazz.", name);
  await remember(place, "The office is in Lisbon.");
  const { page, faults, close } = await open(place, "subjects", { open: name });
  await fact(page, "Memories").getByText("2", { exact: true }).waitFor();
  expect(await fact(page, "Checks").textContent()).toBe("0");
  expect(await fact(page, "Records").textContent()).toBe("2");
  await panel(page).getByRole("button", { name: "Erase…" }).click();
  const question = page.getByRole("dialog", { name: "Erase the subject?" });
  await question.getByText("2 memories and 0 checks").waitFor();
  const erase = question.getByRole("button", { name: "Erase the subject" });
  expect(await faultsInOtherForms(page, "subjects-erase")).toEqual([]);
  await question.getByRole("textbox", { name: /^Type/ }).fill("two spaces and + plus");
  expect(await erase.isDisabled()).toBe(true);
  await question.getByRole("textbox", { name: /^Type/ }).fill(name);
  await page.keyboard.press("Enter");
  const result = page.locator(".card", { hasText: "The subject is erased" });
  await result.getByText("2 memories").waitFor();
  expect(page.url()).not.toContain("open=");
  // The name is nowhere any more, also not in what the tab keeps.
  await page.getByText("No subjects yet").waitFor();
  expect(await page.content()).not.toContain(name);
  expect(await page.evaluate("JSON.stringify({ ...sessionStorage, ...localStorage })")).not.toContain(
    "two  spaces",
  );
  await page.reload();
  expect(await faultsInOtherForms(page, "subjects-erased")).toEqual([]);
  const { name: file, data: receipt } = await downloaded(page, "Save the receipt");
  expect(file).toBe(`receipt-${receipt.subject}.json`);
  expect(verifyErasureReceipt(receipt, [String(receipt.verifier_key)], runtimeCryptography)).toMatchObject({
    project: place.project,
    subject: receipt.subject,
  });
  await result.getByRole("button", { name: "Close", exact: true }).click();
  await result.waitFor({ state: "detached" });
  await page.reload();
  await page.getByText("No subjects yet").waitFor();
  expect(await result.count()).toBe(0);
  const rest = await app.call("GET", "/v1/memories", { key: place.key });
  expect(rest.data.memories).toMatchObject([{ content: "The office is in Lisbon." }]);
  expect(faults).toEqual([]);
  await close();
});

browserTest(
  "a session that may only read sees how many memories there are, and no way to erase",
  async () => {
    const place = await newPlace();
    await remember(place, "Likes tea.", "user:42");
    const { key } = await app.createKey(place.project, ["memory.read"]);
    const watched: Watched = await openPage(browser, app.url);
    const { page } = watched;
    const [cookie = "", value = ""] = (await signIn(app, { key })).cookie.split("=");
    await watched.context.addCookies([{ name: cookie, value, url: app.url }]);
    const before = app.countRecords(place.project);
    await page.goto(app.url + addressOf(place, "subjects", { open: "user:42" }));
    await fact(page, "Memories").getByText("1", { exact: true }).waitFor();
    expect(await panel(page).getByRole("button", { name: "Erase…" }).count()).toBe(0);
    expect(await panel(page).getByRole("button", { name: "Export" }).count()).toBe(0);
    expect(await panel(page).getByText("Records").count()).toBe(0);
    expect(
      app
        .records(place.project, before)
        .map(({ action }) => action)
        .toSorted(),
    ).toEqual(["memory.statistics", "subject.list"]);
    await panel(page).getByRole("link", { name: "Memories" }).click();
    await row(page, "Likes tea.").waitFor();
    expect(await page.getByRole("button", { name: "New memory" }).count()).toBe(0);
    expect(await obstacles(page)).toEqual([]);
    await picture(page, "subjects-reader");
    expect(watched.faults).toEqual([]);
    await watched.close();
  },
);

browserTest(
  "a key for a subject is created, and what it cannot have is refused with the reason",
  async () => {
    const place = await newPlace();
    await remember(place, "Likes tea.", "user:42");
    await remember(place, "Likes jazz.", "user:43");
    const { page, faults, close } = await open(place, "keys", { new: "key" });
    const form = page.getByRole("dialog", { name: "New key" });
    await form.getByLabel("Name").fill("the app of Ana");
    await form.getByLabel("Only for the subject").fill("user:42");
    await form.getByLabel("Erase subjects").check();
    expect(await faultsInOtherForms(page, "key-subject")).toEqual([]);
    await form.getByRole("button", { name: "Create the key" }).click();
    await form.getByText("which is for the whole project").waitFor();
    await form.getByLabel("Erase subjects").uncheck();
    await form.getByRole("button", { name: "Create the key" }).click();
    const shown = page.getByRole("dialog", { name: "The key is created" });
    const secret = (await shown.locator("pre").first().textContent()) ?? "";
    const { data } = await app.call("GET", "/v1/memories", { key: secret });
    expect(data.memories).toMatchObject([{ content: "Likes tea." }]);
    await shown.getByRole("button", { name: "I have copied the key" }).click();
    await row(page, "the app of Ana").getByText("user:42").waitFor();
    await row(page, "the app of Ana").click();
    await page.locator(".side-panel dt", { hasText: "Subject" }).waitFor();
    expect(
      await page.locator(".side-panel dt", { hasText: "Subject" }).locator("+ dd code").textContent(),
    ).toBe("user:42");
    expect(await faultsInOtherForms(page, "keys-subject")).toEqual([]);
    expect(faults.filter((fault) => !fault.includes("400 (Bad Request)"))).toEqual([]);
    await close();
  },
);

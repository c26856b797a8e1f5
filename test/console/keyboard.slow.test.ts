// Opens the dialogs of the console in Chromium with the keyboard, and types: the text goes into the first field, and nothing else happens.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { openAsAdministrator } from "./administration.ts";
import { browserTest, chromiumPath, launchBrowser, openPage } from "./browser.ts";
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

const words = "go n x ? gm";

browserTest("what is typed after a dialog was opened with a key goes into its first field", async () => {
  const inProject = `/console/projects/${app.projectId}`;
  for (const [path, heading, field] of [
    [`${inProject}/memories`, "New memory", "Text"],
    [`${inProject}/keys`, "New key", "Name"],
    ["/console/projects", "New project", "Name"],
  ] as const) {
    const { page, faults, close } = await openAsAdministrator(browser, app, path);
    await page.getByRole("button", { name: heading }).first().waitFor();
    await page.keyboard.press("n");
    const dialog = page.getByRole("dialog", { name: heading });
    await dialog.waitFor();
    await page.keyboard.type(words);
    expect(await dialog.getByLabel(field).inputValue()).toBe(words);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    // The focus goes back to the button that opened it.
    await page.getByRole("button", { name: heading }).first().focus();
    await page.keyboard.press("Enter");
    await dialog.waitFor();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.textContent")).toBe(heading);
    expect(faults).toEqual([]);
    await close();
  }
});

browserTest(
  "views that a key may not read are not offered, and say which permission is missing",
  async () => {
    const { key } = await app.createKey(app.projectId, ["memory.read"]);
    const { page, faults, close } = await openPage(browser, app.url);
    await page.goto(`${app.url}/console/projects/${app.projectId}/ledger`);
    await page.getByLabel("API key").fill(key);
    await page.keyboard.press("Enter");
    await page.getByText("a key that has the permission audit.read").waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
    expect(
      await page.getByRole("navigation", { name: "Console" }).getByRole("listitem").allInnerTexts(),
    ).toEqual(["Overview", "Memories", "Conversations", "Suggestions", "Subjects", "Search lab"]);
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await page.keyboard.press("g");
    await page.keyboard.press("m");
    await page.getByRole("heading", { name: "Memories", level: 1 }).waitFor();
    // Before the sign-in, nobody is signed in.
    expect(faults.filter((fault) => !fault.includes("401"))).toEqual([]);
    await close();
  },
);

browserTest("the focus stays near what was pressed", async () => {
  const { data } = await app.call("POST", "/v1/memories", {
    body: { content: "The office has a tap.", memory_type: "fact" },
  });
  const path = `/console/projects/${app.projectId}/memories?memory=${data.id}`;
  const { page, faults, close } = await openAsAdministrator(browser, app, path);
  const focused = () => page.evaluate("document.activeElement.textContent || document.activeElement.tagName");
  const press = async (name: string) => {
    await page.getByRole("button", { name, exact: true }).focus();
    await page.keyboard.press("Enter");
  };
  await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
  // The form takes the place of the panel's contents and back.
  await press("Edit");
  await page.locator("textarea:focus").waitFor();
  await press("Cancel");
  await page.getByRole("tablist").waitFor();
  expect(await focused()).toBe("Memory");
  // A closed panel gives the focus to the table beside it.
  await press("Close the panel");
  await page.getByRole("complementary").waitFor({ state: "detached" });
  expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe("Memories");
  // A button keeps it while its work runs, and after it.
  await page.goto(`${app.url}/console/projects?open=${app.projectId}`);
  await page.getByLabel("Credits").fill("7");
  await page.route("**/project.update", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    await route.continue();
  });
  await press("Save");
  await page.getByText("is changed").waitFor();
  await page.locator("button[aria-disabled=true]", { hasText: "Save" }).waitFor();
  expect(await focused()).toBe("Save");
  expect(faults).toEqual([]);
  await close();
});

browserTest("what is wrong with a field is said once, at the field", async () => {
  const path = `/console/projects/${app.projectId}/memories?new=memory`;
  const { page, close } = await openAsAdministrator(browser, app, path);
  const dialog = page.getByRole("dialog", { name: "New memory" });
  await dialog.getByLabel("Text").fill("x".repeat(10_001));
  await dialog.getByRole("button", { name: "Store" }).focus();
  await page.keyboard.press("Enter");
  const fault = (await dialog.locator(".fault").textContent()) ?? "";
  expect(await dialog.getByText(fault, { exact: true }).count()).toBe(1);
  expect(await page.evaluate("document.activeElement.textContent")).toContain("Store");
  await close();
});

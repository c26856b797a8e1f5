// Creates a project and a key in the console in Chromium, uses the key, and revokes it; also with the keyboard only.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser } from "playwright-core";
import { createProject } from "../../src/calls/operations/access/project-operations.ts";
import { isObject } from "../../src/platform/json/json.ts";
import { faultsInOtherForms, openAsAdministrator } from "./administration.ts";
import { browserTest, chromiumPath, launchBrowser } from "./browser.ts";
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

const without = (faults: readonly string[], expected: RegExp) =>
  faults.filter((fault) => !expected.test(fault));

browserTest("a project is created and changed, and what the server refuses is beside its field", async () => {
  const { page, faults, close } = await openAsAdministrator(browser, app, "/console/projects");
  await page.getByText("default").nth(1).waitFor();
  await page.locator("body").press("n");
  const form = page.getByRole("dialog", { name: "New project" });
  await form.getByLabel("Name").fill("default");
  await form.getByLabel("Plan").selectOption("pro");
  await page.keyboard.press("Enter");
  await form.getByText('A project with the name "default" already exists').waitFor();
  expect(await form.getByLabel("Name").getAttribute("aria-invalid")).toBe("true");
  await form.getByLabel("Name").fill("payments");
  expect(await faultsInOtherForms(page, "new-project")).toEqual([]);
  await form.getByRole("button", { name: "Create the project" }).click();
  const panel = page.getByRole("complementary", { name: "payments" });
  // What the plan contains, and what another one would take away.
  const contents = panel.locator(".plan-contents");
  await contents.getByText("20,000").waitFor();
  expect(await contents.locator("del").count()).toBe(0);
  await panel.getByLabel("Plan").selectOption("basic");
  expect(await contents.locator("del").allTextContents()).toEqual(["20,000", "100,000", "90", "50", "yes"]);
  expect(await contents.textContent()).toContain("1,000");
  await panel.getByRole("button", { name: "Discard" }).click();
  expect(await contents.locator("del").count()).toBe(0);
  await panel.getByLabel("Credits").fill("250");
  await panel.getByLabel("Days that records are kept").fill("30");
  expect(await faultsInOtherForms(page, "projects")).toEqual([]);
  await panel.getByRole("button", { name: "Save" }).click();
  const question = page.getByRole("dialog", { name: "Keep records for a shorter time?" });
  await question.getByRole("button", { name: "Shorten the retention" }).click();
  await page.getByText("The project payments is changed.").waitFor();
  await page.reload();
  expect(await panel.getByLabel("Credits").inputValue()).toBe("250");
  expect(await panel.getByLabel("Days that records are kept").inputValue()).toBe("30");
  expect(without(faults, /400 \(Bad Request\)/)).toEqual([]);
  await close();
});

browserTest(
  "thousands of projects are read in pages, and one is found by a part of its name wherever it is",
  async () => {
    for (let number = 0; number < 230; number++)
      await app.administer(createProject, { name: `tenant ${number}`, plan: "free" });
    const { page, faults, close } = await openAsAdministrator(browser, app, "/console/projects");
    const row = (text: string) => page.locator("tbody tr", { hasText: text });
    await row("tenant 3").first().waitFor();
    const lists = app.records(null).filter(({ action }) => action === "project.list");
    const sizes = lists.map(({ payload }) =>
      isObject(payload.response_body) ? [payload.response_body.data ?? []].flat().length : 0,
    );
    expect(Math.max(...sizes)).toBe(100);
    await page.locator("table").focus();
    for (let round = 0; round < 4; round++) {
      await page.keyboard.press("End");
      await page.waitForTimeout(200);
    }
    await row("tenant 229").waitFor();
    await page.getByLabel("Find a project by name or id").fill("TENANT 22");
    await page.getByText("11 projects").waitFor();
    await row("tenant 221").click();
    const panel = page.getByRole("complementary", { name: "tenant 221" });
    await panel.getByText("Valid keys").waitFor();
    await page.reload();
    await panel.getByText("Valid keys").waitFor();
    await page.getByRole("button", { name: "default" }).click();
    await page.getByLabel("Find a project", { exact: true }).fill("nt 117");
    await page.getByRole("link", { name: "tenant 117" }).click();
    await page.getByRole("button", { name: "tenant 117" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: "tenant 117" }).waitFor();
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest(
  "a key is created, its secret is shown once with what assistants need, works, and ends when it is revoked",
  async () => {
    const { id } = await app.createProject("business");
    const name = "<b>Ana</b>'s laptop";
    const path = `/console/projects/${id}/keys`;
    const { page, faults, close } = await openAsAdministrator(browser, app, `${path}?new=key`);
    const form = page.getByRole("dialog", { name: "New key" });
    await form.getByLabel("Name").fill(name);
    await form.getByLabel("Read the ledger").check();
    await form.getByLabel("Use language models through the gateway").check();
    await form.getByLabel("Expires").selectOption("90");
    expect(await faultsInOtherForms(page, "new-key")).toEqual([]);
    await form.getByRole("button", { name: "Create the key" }).click();
    const shown = page.getByRole("dialog", { name: "The key is created" });
    const secret = (await shown.locator("pre").first().textContent()) ?? "";
    expect(secret).toStartWith("ml_");
    await shown.getByLabel("Assistant").selectOption("cursor");
    await shown.getByText(secret).nth(1).waitFor();
    expect(await shown.locator("pre").last().textContent()).toBe(`${app.url}/v1`);
    expect(await shown.textContent()).not.toContain("MEMLEDGER_KEY_GOES_HERE");
    expect(await faultsInOtherForms(page, "key-secret")).toEqual([]);
    expect((await app.call("GET", "/v1/memories", { key: secret })).status).toBe(200);
    // It is in no other answer, so no key and no other button loses it.
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await shown.getByRole("button", { name: "Close" }).click();
    await shown.getByRole("alert").filter({ hasText: "shown only here" }).waitFor();
    expect(await shown.locator("pre").first().textContent()).toBe(secret);
    await shown.getByRole("button", { name: "I have copied the key" }).click();
    expect(await page.content()).not.toContain(secret);
    await page.getByText(name).first().click();
    const panel = page.getByRole("complementary", { name });
    await panel.getByLabel("Memory in requests").selectOption({ label: "Off" });
    await panel.getByLabel("Without memory in time").selectOption({ label: "Refuse it" });
    await panel.getByLabel("Maximum characters of facts and contexts").fill("4000");
    await panel.getByLabel("Minimum similarity of facts and contexts").fill("3");
    await panel.getByLabel("Tags of facts and contexts").fill("team:a,");
    await panel.getByRole("button", { name: "Save" }).click();
    await panel.getByText("must be a number from 0 to 1").waitFor();
    await panel.getByLabel("Minimum similarity of facts and contexts").fill("0.35");
    await panel.getByRole("button", { name: "Save" }).click();
    await page.getByText(`The key ${name} is changed.`).waitFor();
    expect(await faultsInOtherForms(page, "key-gateway")).toEqual([]);
    await page.reload();
    expect(await panel.getByLabel("Memory in requests").inputValue()).toBe("false");
    expect(await panel.getByLabel("Remember conversations").inputValue()).toBe("");
    expect(await panel.getByLabel("Minimum similarity of facts and contexts").inputValue()).toBe("0.35");
    expect(await panel.getByText("team:a").count()).toBe(1);
    await panel.getByLabel("Memory in requests").selectOption({ label: "As configured" });
    await panel.getByRole("button", { name: "Save" }).click();
    await page.getByText(`The key ${name} is changed.`).waitFor();
    const changes = app.records(null).filter(({ action }) => action === "key.update");
    const bodies = changes.map(({ status, payload }) => ({ status, response: payload.response_body }));
    const said = {
      memory_failure: "closed",
      memory_budget: 4000,
      memory_floor: 0.35,
      memory_tags: ["team:a"],
    };
    expect(bodies).toMatchObject([
      { status: 400 },
      { status: 200, response: { data: { gateway: { memory: false, remember: null, ...said } } } },
      { status: 200, response: { data: { gateway: { memory: null, remember: null, ...said } } } },
    ]);
    await panel.getByRole("button", { name: "Revoke" }).click();
    expect(await faultsInOtherForms(page, "key-revoke")).toEqual([]);
    const question = page.getByRole("dialog", { name: "Revoke the key?" });
    const revoke = question.getByRole("button", { name: "Revoke the key" });
    expect(await revoke.isDisabled()).toBe(true);
    await question.getByRole("textbox", { name: /^Type/ }).fill(name);
    await page.keyboard.press("Enter");
    await panel.getByText("Revoked").first().waitFor();
    expect((await app.call("GET", "/v1/memories", { key: secret })).status).toBe(401);
    await page.getByRole("switch").check();
    await page.waitForURL(/show=all/);
    expect(await faultsInOtherForms(page, "keys")).toEqual([]);
    expect(without(faults, /400 \(Bad Request\)/)).toEqual([]);
    await close();
  },
);

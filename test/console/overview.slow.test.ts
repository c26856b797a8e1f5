// Opens the overviews of the installation and of a project in Chromium, and sees that real calls arrive in them.

import { afterAll, beforeAll, expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { createHome } from "../assistants/connect/home.ts";
import { faultsInOtherForms, openAsAdministrator } from "./administration.ts";
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

async function store(content: string, key: string, tags: readonly string[] = []): Promise<void> {
  const body = { content, memory_type: "fact", tags };
  expect((await app.call("POST", "/v1/memories", { key, body })).status).toBe(201);
}

browserTest(
  "the overview of the installation says what to do first, warns, and shows calls as they happen",
  async () => {
    const { page, faults, close } = await openAsAdministrator(browser, app, "/console/");
    await page.getByText("No backup of this installation was ever made.").waitFor();
    await page.getByRole("heading", { name: "There are no memories yet" }).waitFor();
    await page.getByText("Nobody outside signs this ledger's checkpoints.").waitFor();
    expect(await faultsInOtherForms(page, "overview-first")).toEqual([]);
    await store("The office is in Lisbon.", app.apiKey);
    await app.call("GET", "/v1/memories/none");
    const created = page.getByRole("row").filter({ hasText: "memory.create" });
    await created.getByRole("cell", { name: "1" }).first().waitFor();
    await page.getByRole("row").filter({ hasText: "2100" }).waitFor();
    await page.getByRole("slider", { name: /^Calls per minute: \d+ calls, 1 refused/ }).waitFor();
    await page.getByLabel("Period").selectOption("24h");
    await page.getByRole("slider", { name: /^Calls per 15 minutes: / }).waitFor();
    expect(new URL(page.url()).searchParams.get("period")).toBe("24h");
    expect(await faultsInOtherForms(page, "overview")).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
);

browserTest(
  "the overview of a project shows its memories, limits and calls, and those of no other project",
  async () => {
    const name = '<img src=x onerror="alert(1)"> \u202egnp';
    const { id, key } = await app.createProject("pro", { name, credits: 12 });
    for (const text of ["The CI is slow.", "Deploys run on Tuesdays.", "Ana owns billing."])
      await store(text, key, ["team", `about:${text.length}`]);
    const { page, faults, close } = await openAsAdministrator(
      browser,
      app,
      `/console/projects/${id}/overview`,
    );
    await page.getByText("of at most 20,000").waitFor();
    await page.getByRole("row").filter({ hasText: "memory.create" }).getByText("3").waitFor();
    await page.getByRole("row").filter({ hasText: "team" }).getByText("3").waitFor();
    expect(await page.title()).toContain(name);
    expect(await faultsInOtherForms(page, "project-overview")).toEqual([]);
    expect(faults).toEqual([]);
    await close();
  },
);

/** The words of the shown commands, as a shell reads them. */
async function firstCommands(page: Page): Promise<string[][]> {
  const shown = await page.locator(".first-steps pre").allTextContents();
  return shown.map((command) =>
    Bun.spawnSync(["sh", "-c", `printf '%s\\0' ${command}`])
      .stdout.toString()
      .split("\0")
      .slice(0, -1),
  );
}

browserTest("the first command connects an assistant to the server that shows it", async () => {
  const name = 'Team A\'s "shop" $HOME';
  const { id, key } = await app.createProject("business", { name });
  const path = `/console/projects/${id}/overview`;
  const { page, faults, close } = await openAsAdministrator(browser, app, path);
  await page.getByText("as its user").waitFor();
  const [connect = [], load = []] = await firstCommands(page);
  expect(connect.slice(0, 2)).toEqual(["memledger", "connect"]);
  const local = createHome();
  await local.json(connect.slice(2));
  const { args } = JSON.parse(local.read(".claude.json")).mcpServers.memledger;
  expect(args.slice(-4)).toEqual(["--data-dir", app.config.dataDir, "--project", name]);
  expect(load.slice(-4)).toEqual(args.slice(-4));
  expect(faults).toEqual([]);
  await close();

  const other = await openPage(browser, app.url);
  await other.page.goto(`${app.url}/console/`);
  await other.page.getByLabel("API key").fill(key);
  await other.page.keyboard.press("Enter");
  await other.page.getByText("Set the variable MEMLEDGER_API_KEY").waitFor();
  const [remote = []] = await firstCommands(other.page);
  const elsewhere = createHome();
  await elsewhere.json(remote.slice(2));
  expect(JSON.parse(elsewhere.read(".claude.json")).mcpServers.memledger.url).toBe(`${app.url}/mcp`);
  await other.close();
});

browserTest("a key that may not read memories sees its project without them", async () => {
  const { id, key: writer } = await app.createProject("business");
  await store("The office is in Lisbon.", writer, ["team"]);
  const { key } = await app.createKey(id, ["memory.write"]);
  const { page, faults, close } = await openPage(browser, app.url);
  await page.goto(`${app.url}/console/`);
  await page.getByLabel("API key").fill(key);
  await page.keyboard.press("Enter");
  await page.getByText("Subscription active").waitFor();
  await page.getByRole("row").filter({ hasText: "memory.create" }).waitFor();
  for (const title of ["Memories", "There are no memories yet"])
    expect(await page.getByRole("heading", { name: title, exact: true }).count()).toBe(0);
  expect(await page.getByText("Memories by tag").count()).toBe(0);
  expect(await page.getByText("Newest record").count()).toBe(0);
  expect(await page.getByText("create a key").count()).toBe(0);
  expect(faults.filter((fault) => !/401/.test(fault))).toEqual([]);
  await close();
});

// Stops a real server while the console is open in Chromium, and starts it again: the page says so, and goes on by itself.

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import type { Browser } from "playwright-core";
import { type FakeUpstream, startFakeUpstream } from "../gateway/fake-upstream.ts";
import { browserTest, chromiumPath, launchBrowser, openPage } from "./browser.ts";
import { type ConsoleServer, startConsoleServer } from "./console-server.ts";

setDefaultTimeout(120_000);

let browser: Browser;
let server: ConsoleServer;
let upstream: FakeUpstream;
beforeAll(async () => {
  if (chromiumPath === null) return;
  upstream = await startFakeUpstream();
  const toml = `[[gateway.upstreams]]
name = "fake"
base-url = "${upstream.origin}/v1"
prices = [{ model = "priced", input-usd = 1000, output-usd = 1000 }]
`;
  [server, browser] = await Promise.all([startConsoleServer([], toml), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await upstream?.close();
});

browserTest("a server that ends and starts again is followed without a click", async () => {
  const { page, close } = await openPage(browser, server.url, { width: 1_440 });
  const [link = ""] = /http\S+/.exec(await server.run("console", "--no-open")) ?? [];
  const inProject = `${server.url}/console/projects/${server.projectId}`;
  await page.goto(link);
  await page.getByText("Live", { exact: true }).waitFor();
  const away = page.locator(".connection").getByText("cannot be reached");
  // The overview has no calls: only its event stream ends.
  await server.restart(async () => {
    await away.waitFor();
  });
  await page.getByText("Live", { exact: true }).waitFor();
  await away.waitFor({ state: "detached" });
  // A table that is asked for something while there is no server has its rows when there is one.
  await page.goto(`${inProject}/ledger`);
  const rows = page.locator("tbody tr[data-opens]");
  await page.getByText("No records yet").or(rows.first()).waitFor();
  await server.restart(async () => {
    await page.getByLabel("Reads in the console").click();
    await page.getByRole("alert").first().waitFor();
  });
  await rows.filter({ hasText: "audit.list" }).first().waitFor();
  expect(await page.getByRole("alert").count()).toBe(0);
  expect(await page.evaluate("document.querySelector('tbody tr[data-opens]').offsetHeight")).toBeLessThan(40);
  await close();
});

async function chat(model: string): Promise<void> {
  const answer = await fetch(`${server.url}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${server.apiKey}`, "Content-Type": "application/json" },
    body: JSON.stringify({ model, messages: [{ role: "user", content: "When are the releases?" }] }),
  });
  expect(answer.status).toBe(200);
}

browserTest("charts and costs have what was before a start", async () => {
  for (const model of ["priced", "priced", "unpriced"]) await chat(model);
  await server.restart();
  const { page, faults, close } = await openPage(browser, server.url, { width: 1_440 });
  const [link = ""] = /http\S+/.exec(await server.run("console", "--no-open")) ?? [];
  await page.goto(link);
  const action = page.getByRole("row").filter({ hasText: "gateway.chat" });
  await action.getByRole("cell", { name: "3", exact: true }).waitFor();
  await chat("priced");
  await action.getByRole("cell", { name: "4", exact: true }).waitFor();
  await page.goto(`${server.url}/console/projects/${server.projectId}/overview`);
  await action.getByRole("cell", { name: "4", exact: true }).waitFor();
  const tile = page.locator(".tile").filter({ hasText: "Model costs" });
  await tile.getByText("Estimated from 3 answers").waitFor();
  expect(await tile.textContent()).toContain("no price for 1 answer.");
  const { pathname } = new URL(page.url());
  for (const [model, cost] of [
    ["unpriced", "Unknown: the settings have no price of the model"],
    ["priced", ", estimated"],
  ] as const) {
    await page.goto(`${server.url}${pathname.replace("overview", "ledger")}?action=gateway.chat`);
    await page
      .locator("tbody tr[data-opens]")
      .nth(model === "priced" ? 0 : 1)
      .click();
    await page.locator(".record dl").getByText(cost).waitFor();
  }
  expect(faults).toEqual([]);
  await close();
});

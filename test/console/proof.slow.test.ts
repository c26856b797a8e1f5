// Verifies the ledger of a project in the browser, from a real server: an honest one, one whose signing key was changed, and one whose
// database was changed behind the server.

import { afterAll, afterEach, beforeAll, beforeEach, expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { tamper } from "../audit/tamper.ts";
import { toReply } from "../fixture.ts";
import { faultsInOtherForms } from "./administration.ts";
import { browserTest, chromiumPath, launchBrowser, obstacles, openPage, type Watched } from "./browser.ts";
import { type ConsoleServer, startConsoleServer } from "./console-server.ts";

setDefaultTimeout(120_000);

let browser: Browser | null = null;
let server: ConsoleServer;
let watched: Watched;
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchBrowser();
});
beforeEach(async () => {
  if (browser === null) return;
  server = await startConsoleServer();
  watched = await openPage(browser, server.url);
  for (const content of ["The sky is blue.", "The sea is green.", "The sand is white."])
    await remember(content);
  await signIn(watched.page);
});
afterEach(async () => {
  if (browser === null) return;
  await watched.close();
  await server.stop();
});
afterAll(async () => {
  await browser?.close();
});

async function remember(content: string): Promise<void> {
  const { ok } = await call("POST", "/v1/memories", { content, memory_type: "fact" });
  expect(ok).toBe(true);
}

function call(method: string, path: string, body?: unknown): Promise<Response> {
  return fetch(server.url + path, {
    method,
    headers: { Authorization: `Bearer ${server.apiKey}`, "Content-Type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function signIn(page: Page): Promise<void> {
  const said = await server.run("console", "--no-open");
  const [link = ""] = /http\S+/.exec(said) ?? [];
  await page.goto(link);
  await page.locator("button.project").waitFor();
  await open(page, "proof");
}

async function open(page: Page, view: string): Promise<void> {
  await page.goto(`${server.url}/console/projects/${server.projectId}/${view}`);
}

/** Verifies the ledger. @returns what the page says of it */
async function verify(page: Page, verdict: string): Promise<string> {
  await page.getByRole("button", { name: "Verify the ledger" }).click();
  await page.locator(".outcome").or(page.locator("main .failure")).waitFor();
  expect(await page.locator("main .failure").allTextContents()).toEqual([]);
  expect(await page.locator(".outcome").getAttribute("data-verdict")).toBe(verdict);
  return (await page.locator(".outcome").textContent()) ?? "";
}

/** Actions of the records of the project, the oldest first. */
async function actions(): Promise<string[]> {
  const { data } = toReply(
    200,
    new Headers(),
    await (await call("GET", "/v1/audit/logs?page_size=100")).text(),
  );
  const logs = data.logs as unknown as readonly { readonly action: string }[];
  return logs.map(({ action }) => action).toReversed();
}

browserTest(
  "a ledger verifies, and is compared with what this browser keeps until it forgets it",
  async () => {
    const { page, faults } = watched;
    const before = await actions();
    expect(await verify(page, "unattested")).toContain("The public key came from this server.");
    // The progress of the export comes from the event stream: nothing asked for it.
    expect((await actions()).slice(before.length)).toEqual([
      "audit.list",
      "audit.checkpoint",
      "audit.export",
      "audit.export_manifest",
      "audit.export_download",
    ]);
    const kept = page.getByRole("region", { name: "Stored in this browser" });
    await kept.waitFor();
    await page.reload();
    expect(await verify(page, "intact")).toContain("INTACT");
    expect(await obstacles(page)).toEqual([]);
    expect(await faultsInOtherForms(page, "proof")).toEqual([]);
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      kept.getByRole("button", { name: "Save the checkpoint" }).click(),
    ]);
    expect(await Bun.file(await download.path()).text()).toStartWith("memledger/");
    await kept.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await kept.waitFor({ state: "detached" });
    expect(await verify(page, "unattested")).toContain("The public key came from this server.");
    expect(faults).toEqual([]);
  },
);

browserTest("a ledger with a limited retention is exported without a refused call", async () => {
  const { page, faults } = watched;
  await server.run("project", "update", "default", "--retention-days", "30", "--yes");
  await page.reload();
  await page.getByRole("heading", { name: "Proof" }).waitFor();
  await verify(page, "unattested");
  const { data } = toReply(
    200,
    new Headers(),
    await (await call("GET", "/v1/audit/logs?action=audit.export")).text(),
  );
  const begun = data.logs as unknown as readonly { readonly http_status: number }[];
  expect(begun.map(({ http_status }) => http_status)).toEqual([200]);
  expect(faults).toEqual([]);
});

browserTest("a checkpoint that was kept elsewhere is compared, and one that is forged is told", async () => {
  const { page, faults } = watched;
  const note = await server.run("audit", "checkpoint");
  const key = await Bun.file(join(server.dataDir, "audit.pub")).text();
  const supply = async (text: string) => {
    await open(page, "proof");
    await page.getByText("Compare with a checkpoint that was kept elsewhere").click();
    await page.setInputFiles("input[type=file]", [
      { name: "checkpoints.txt", mimeType: "text/plain", buffer: Buffer.from(text) },
      { name: "kept.pub", mimeType: "text/plain", buffer: Buffer.from(key) },
    ]);
    await page.getByText("compared with the ledger the next time").waitFor();
  };
  await supply(note);
  expect(await verify(page, "intact")).toContain("INTACT");
  const kept = page.getByRole("region", { name: "Stored in this browser" });
  await kept.waitFor();
  // A note of version 2 has neither the number of the record nor the time; what a previous release has kept has nothing else.
  const stored = `memledger.proof.${server.projectId}`;
  const keptAs = async (value: unknown) => {
    await page.evaluate(`localStorage.setItem("${stored}", ${JSON.stringify(JSON.stringify(value))})`);
    await page.reload();
    return await kept.locator("p").first().textContent();
  };
  const signed = "memledger/0123456789abcdef0123456789abcdef";
  const texts = [
    { note: `${signed}/2\n51\nAA==\n`, publicKey: key, size: 60, at: "2026-11-21T09:30:00.000Z" },
    { note: `${signed}\n61\nAA==\n2026-11-22T09:30:00.000Z\n`, publicKey: key },
  ];
  expect(await keptAs(texts[0])).toMatch(/^A checkpoint of 60 records, signed .*21/);
  expect(await keptAs(texts[1])).toMatch(/^A checkpoint of 61 records, signed .*22/);
  await page.evaluate("localStorage.clear()");
  await supply(note.replace(/^\d+$/m, (size) => String(Number(size) + 1)));
  expect(await verify(page, "broken")).toContain("the checkpoint was changed after it was signed");
  expect(faults).toEqual([]);
});

browserTest("checkpoints are listed and saved, and one that was saved covers the ledger later", async () => {
  const { page, faults } = watched;
  expect((await actions()).filter((action) => action.startsWith("audit.checkpoint"))).toEqual([]);
  await page.getByText("Checkpoints of this project").click();
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Sign and save one now" }).click(),
  ]);
  const note = await Bun.file(await download.path()).text();
  const rows = page.getByRole("list", { name: "Checkpoints" }).getByRole("listitem");
  // One leaf of the tree is its statement.
  const size = Number(note.split("\n")[1]) - 1;
  await rows
    .first()
    .filter({ hasText: `${size} records` })
    .waitFor();
  expect(await faultsInOtherForms(page, "proof-checkpoints")).toEqual([]);
  const [again] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: `Save ${size}`, exact: true }).click(),
  ]);
  expect(await Bun.file(await again.path()).text()).toBe(note);
  await remember("The rain is clear.");
  await page.getByText("Compare with a checkpoint that was kept elsewhere").click();
  await page.getByRole("textbox", { name: "Kept checkpoint" }).fill(note);
  expect(await verify(page, "intact")).toContain(`Covered up to${size}`);
  expect(faults).toEqual([]);
});

browserTest("a change of the signing key is followed from the key that this browser keeps", async () => {
  const { page, faults } = watched;
  await verify(page, "unattested");
  await page.goto("about:blank");
  await server.restart(async () => {
    await server.run("audit", "rotate-key", "--yes");
  });
  await open(page, "proof");
  expect(await verify(page, "intact")).toContain("The previous key has signed the change.");
  // The browser keeps the new key from now on.
  await page.reload();
  expect(await verify(page, "intact")).not.toContain("The previous key has signed the change.");
  expect(faults).toEqual([]);
});

browserTest("the verdict leads to the first broken record in the ledger", async () => {
  const { page, faults } = watched;
  await verify(page, "unattested");
  await page.goto("about:blank");
  await server.restart(async () => {
    tamper(join(server.dataDir, "memledger.db"), (database) => {
      database.exec(
        `UPDATE audit_payload SET (salt, text) = (SELECT p.salt, p.text FROM audit_payload p JOIN audit_entry e ON e.number = p.entry WHERE e.action = 'memory.create' ORDER BY e.seq LIMIT 1)
         WHERE entry = (SELECT number FROM audit_entry WHERE action = 'memory.create' ORDER BY seq LIMIT 1 OFFSET 1)`,
      );
    });
  });
  await open(page, "proof");
  expect(await verify(page, "broken")).toContain("Record 2 of chain");
  await page.getByRole("link", { name: "Show record 2 in the ledger" }).click();
  const panel = page.locator(".side-panel");
  await panel.getByRole("heading", { name: "memory.create" }).waitFor();
  await panel.locator(".chain .this", { hasText: "#2" }).waitFor();
  expect(page.url()).toMatch(/ledger\?record=[0-9a-f]{32}$/);
  expect(faults).toEqual([]);
});

browserTest("a verification is cancelled, and can begin again", async () => {
  const { page, faults } = watched;
  const held = Promise.withResolvers<void>();
  // The server answers as ever, only later.
  await page.route("**/manifest", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Verify the ledger" }).click();
  await page.getByText("The server writes the export").waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  expect(await page.getByText("The server writes the export").count()).toBe(0);
  held.resolve();
  expect(await verify(page, "unattested")).toContain("UNATTESTED");
  // The export of the first one may still be written; then the second one waits for it.
  expect(faults.filter((fault) => !fault.includes("409"))).toEqual([]);
});

// One person from the first link to the forged export, as the documentation tells it: signs in, imports, searches, corrects a memory, sees its
// history, proves the ledger, and verifies an export that somebody changed with the saved page, without a network. `bun run screenshots`
// keeps the pictures of docs/CONSOLE.md.

import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { browserTest, chromiumPath, launchBrowser, openPage, picture } from "./browser.ts";
import { type ConsoleServer, startConsoleServer } from "./console-server.ts";
import { conversation, teamMemories } from "./team-memories.ts";

setDefaultTimeout(120_000);

let browser: Browser;
let server: ConsoleServer;
beforeAll(async () => {
  if (chromiumPath === null) return;
  [server, browser] = await Promise.all([startConsoleServer(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.stop();
});

const view = (name: string) => `${server.url}/console/projects/${server.projectId}/${name}`;
const heading = (page: Page, name: string) => page.getByRole("heading", { name, exact: true });
const download = async (page: Page, name: string): Promise<string> => {
  const [saved] = await Promise.all([
    page.waitForEvent("download"),
    page
      .getByRole("button", { name, exact: true })
      .or(page.getByRole("link", { name, exact: true }))
      .first()
      .click(),
  ]);
  const path = join(server.dataDir, "..", saved.suggestedFilename());
  await saved.saveAs(path);
  return path;
};

browserTest(
  "a memory is imported, found, corrected and proved, and a forged export is caught elsewhere",
  async () => {
    const watched = await openPage(browser, server.url);
    const { page, faults } = watched;
    const [link = ""] = /http\S+/.exec(await server.run("console", "--no-open")) ?? [];

    // A link works once, and leads to the overview.
    await page.goto(`${server.url}/console/sign-in`);
    await heading(page, "Sign in to memledger").waitFor();
    await picture(page, "sign-in");
    await page.goto(link);
    await heading(page, "Overview").waitFor();

    const lines = teamMemories(Date.now()).map((memory) => JSON.stringify(memory));
    const file = join(server.dataDir, "../memories.jsonl");
    await Bun.write(file, `${lines.join("\n")}\n`);
    expect(await server.run("memory", "import", file)).toContain(`created        ${lines.length}`);
    await page.goto(view("overview"));
    await page.getByText("billing").first().waitFor();

    const answer = "Ana is on holiday; Rui answers questions about invoices.";
    // Why does a question find what it finds?
    await page.goto(view("search"));
    await page
      .getByRole("searchbox")
      .or(page.getByLabel("Query"))
      .first()
      .fill("Who do I ask about an invoice?");
    await page.keyboard.press("Enter");
    await heading(page, "Hybrid").waitFor();
    const hybrid = page.locator(".hits", { has: heading(page, "Hybrid") });
    await hybrid.getByText(answer).waitFor();
    await picture(page, "search");
    await hybrid
      .locator("ol > li", { hasText: answer })
      .getByRole("button", { name: "Save as a check" })
      .click();
    await page.getByRole("button", { name: "Save the check" }).click();
    await page.getByRole("tab", { name: "Checks" }).click();
    await page.getByRole("button", { name: "Run all checks" }).click();
    await page.getByText("1 passed").waitFor();
    await picture(page, "checks");

    // A memory is corrected, and its history has both versions.
    const wrong = "The release manager of the billing team is Ana Duarte.";
    await page.goto(view("memories"));
    await page.locator("tbody tr", { hasText: "Ana" }).first().waitFor();
    await picture(page, "memories");
    await page.getByLabel("Words in memories").fill("release manager");
    await page.locator("tbody tr", { hasText: wrong }).click();
    const panel = page.locator(".side-panel");
    await panel.getByRole("button", { name: "Edit" }).click();
    await panel.getByLabel("Text").fill("The release manager of the billing team is Rui Matos.");
    await panel.locator("ins", { hasText: "Rui" }).waitFor();
    await picture(page, "memory-edit");
    await panel.getByRole("button", { name: "Save" }).click();
    await page.locator(".message", { hasText: "The memory was changed." }).waitFor();
    await panel.getByRole("tab", { name: "History" }).click();
    await panel.locator("summary", { hasText: "Changed" }).click();
    await panel.locator("del", { hasText: "Ana" }).waitFor();
    await panel.locator("ins", { hasText: "Rui" }).waitFor();
    await picture(page, "memory-history");

    await page.goto(view("extract"));
    await page.getByLabel("Text", { exact: true }).fill(conversation);
    await page.getByRole("button", { name: "Find memories" }).click();
    await page.getByLabel("Content").first().waitFor();
    await picture(page, "extract");

    await page.goto(view("ledger"));
    await page.locator("tbody tr", { hasText: "memory.update" }).first().click();
    await panel.getByRole("heading", { name: "memory.update" }).waitFor();
    await panel.getByText("Rui Matos").first().waitFor();
    await picture(page, "ledger");

    // The browser proves the ledger itself.
    await page.goto(view("proof"));
    await page.getByRole("button", { name: "Verify the ledger" }).click();
    const outcome = page.locator(".outcome");
    await outcome.waitFor();
    expect(await outcome.getAttribute("data-verdict")).toBe("unattested");
    await picture(page, "proof");
    await page.getByRole("link", { name: "Verify files" }).click();
    const savedPage = await download(page, "Save as one HTML file");

    // Somebody outside keeps a checkpoint from before the export.
    const checkpoint = join(server.dataDir, "../checkpoint.txt");
    await Bun.write(checkpoint, await server.run("audit", "checkpoint"));
    await page.goto(view("exports"));
    await page.getByRole("button", { name: "New export" }).first().click();
    await page.getByRole("dialog").getByLabel("Format").selectOption("json");
    await page.getByRole("dialog").getByRole("button", { name: "Export" }).click();
    // The proof has made one, too. The newest is the first.
    await page.getByRole("button", { name: "Manifest" }).nth(1).waitFor();
    await picture(page, "exports");
    const exported = await download(page, "Download");
    const manifest = await download(page, "Manifest");
    const publicKey = join(server.dataDir, "audit.pub");

    // The users of an application have memories of their own.
    for (const subject of ["user:ana", "user:jens", "user:marta"])
      for (const content of [
        "Prefers short answers.",
        "Speaks Portuguese and English.",
        `Is called ${subject}.`,
      ])
        await fetch(`${server.url}/v1/memories`, {
          method: "POST",
          headers: { Authorization: `Bearer ${server.apiKey}`, "Content-Type": "application/json" },
          body: JSON.stringify({ content, memory_type: "fact", subject }),
        });
    await page.goto(view("subjects?open=user%3Ajens"));
    await panel.getByText("Checks").waitFor();
    await panel.getByRole("button", { name: "Erase…" }).click();
    await page.getByText("3 memories and 0 checks").waitFor();
    await picture(page, "subject-erase");
    await page.keyboard.press("Escape");
    await picture(page, "subjects");

    // The other views, for the pictures and because each must open without a fault.
    for (const [address, name, title] of [
      [`${server.url}/console/`, "overview", "Overview"],
      [view("overview"), "project-overview", "Overview"],
      [view("keys"), "keys", "Keys"],
      [`${server.url}/console/projects`, "projects", "Projects"],
      [`${server.url}/console/sessions`, "sessions", "Sessions"],
      [`${server.url}/console/settings`, "settings", "Settings"],
    ] as const) {
      await page.goto(address);
      await heading(page, title).waitFor();
      await page.waitForLoadState("networkidle").catch(() => undefined);
      await picture(page, name);
    }
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(view("search?q=Who+do+I+ask+about+an+invoice%3F"));
    await hybrid.locator("ol > li").first().waitFor();
    await picture(page, "search-dark");
    await page.setViewportSize({ width: 360, height: 740 });
    await page.goto(view("memories"));
    await page.locator("tbody tr", { hasText: "Ana" }).first().waitFor();
    await picture(page, "memories-phone");
    expect(faults).toEqual([]);
    await watched.close();

    // An auditor has the page, the files, and neither memledger nor a network.
    const text = await Bun.file(exported).text();
    expect(text).toContain("Rui Matos");
    const forged = join(server.dataDir, "../forged", "export.json");
    await Bun.write(forged, text.replaceAll("Rui Matos", "Eva Matos"));
    const auditor = await browser.newContext({ offline: true, viewport: { width: 1_000, height: 800 } });
    const auditorPage = await auditor.newPage();
    const verdictOf = async (path: string): Promise<string | null> => {
      await auditorPage.goto(pathToFileURL(savedPage).href);
      await auditorPage.setInputFiles("input[type=file]", [path, manifest, checkpoint, publicKey]);
      await auditorPage.getByRole("button", { name: "Verify", exact: true }).click();
      await auditorPage.locator(".outcome").waitFor();
      return auditorPage.locator(".outcome").getAttribute("data-verdict");
    };
    expect(await verdictOf(exported)).toBe("intact");
    expect(await verdictOf(forged)).toBe("broken");
    await picture(auditorPage, "verifier");
    await auditor.close();
  },
);

// How long Chromium verifies a ledger, and whether the page stays free meanwhile, beside the command line verifier with an export of the
// same records. Must never count what a person waits for elsewhere.

import { join } from "node:path";
import type { Page } from "playwright-core";
import { numberIn, type Run, signedInContext } from "./console-page.ts";
import { median, ms } from "./figures.ts";
import { type Measure, progress, startServer } from "./harness.ts";
import { projectOf, type ScaleDirectory } from "./scale-directory.ts";
import type { ScaleProject } from "./scale-fill.ts";

export const verifiedRecords = 100_000;

const verificationMaxMs = 10_000;
const blockMaxMs = 50;
const roundsMax = 3;

interface Proof {
  /** From the click to the verdict: the export, the download and the checks. */
  readonly allMs: number;
  /** From the first bytes of the download to the verdict. */
  readonly checksMs: number;
  readonly longestBlockMs: number;
}

export async function measureProof(run: Run, directory: ScaleDirectory): Promise<Measure[]> {
  const project = projectOf(directory, verifiedRecords);
  await using server = await startServer(run.executable, directory.dataDir);
  const context = await signedInContext(run, directory.dataDir, server.port);
  const [inBrowser, byCommand]: [Proof[], number[]] = [[], []];
  const file = await exportTo(run.folder, server.port, project);
  const key = join(directory.dataDir, "audit.pub");
  const [page, empty] = [await context.newPage(), await context.newPage()];
  let emptyBlock = 0;
  for (let round = 0; round < Math.min(run.options.rounds, roundsMax); round++) {
    progress(`console: verification, round ${round + 1}`);
    await page.bringToFront();
    await page.goto(`/console/projects/${project.projectId}/proof`);
    inBrowser.push(await verifyInPage(page));
    await empty.bringToFront();
    await empty.evaluate(watchBlocks);
    byCommand.push(await verifyByCommand(run.executable, file, key));
    emptyBlock = Math.max(emptyBlock, await numberIn(empty, "blocks.longest"));
  }
  await context.close();
  const [all, checks, command] = [
    median(inBrowser.map(({ allMs }) => allMs)),
    median(inBrowser.map(({ checksMs }) => checksMs)),
    median(byCommand),
  ];
  const block = Math.max(...inBrowser.map(({ longestBlockMs }) => longestBlockMs));
  const count = verifiedRecords.toLocaleString("en");
  return [
    {
      what: `${count} records in Chromium, from the click to the verdict, p50`,
      figure: ms(all),
      comparedTo: `\`audit verify\` of an export, start of the process included: ${ms(command)}, ratio ${(all / command).toFixed(1)}`,
      bar: `≤ ${ms(verificationMaxMs)}`,
      reached: all <= verificationMaxMs,
    },
    {
      what: "of it, from the first bytes of the download on",
      figure: ms(checks),
      comparedTo: `ratio to the command ${(checks / command).toFixed(1)}`,
      bar: "",
      reached: null,
    },
    {
      what: "longest block of the page meanwhile, all rounds",
      figure: ms(block),
      comparedTo: `an empty page while the command verifies: ${ms(emptyBlock)}`,
      bar: `≤ ${ms(blockMaxMs)}`,
      reached: block <= blockMaxMs,
    },
  ];
}

/** Looks at the page from a timer, which a block delays. */
const watchBlocks = `{
  globalThis.blocks?.end();
  let former = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    blocks.longest = Math.max(blocks.longest, now - former - 4);
    former = now;
  }, 4);
  globalThis.blocks = { longest: 0, end: () => clearInterval(timer) };
}`;

const watch = `${watchBlocks}
{
  const found = { startedAt: performance.now(), checksAt: null, endedAt: null };
  globalThis.proof = found;
  const observer = new MutationObserver(() => {
    const text = document.querySelector("main").textContent;
    if (found.checksAt === null && text.includes("Verifying")) found.checksAt = performance.now();
    if (document.querySelector(".outcome, main .failure") === null) return;
    found.endedAt = performance.now();
    observer.disconnect();
    // What the outcome itself takes is part of the block.
    setTimeout(blocks.end, 200);
  });
  observer.observe(document.querySelector("main"), { childList: true, subtree: true, characterData: true });
}`;

async function verifyInPage(page: Page): Promise<Proof> {
  const button = page.getByRole("button", { name: "Verify the ledger" });
  await button.waitFor();
  await page.evaluate(watch);
  await page.evaluate("proof.startedAt = performance.now()");
  await button.click();
  await page.locator(".outcome, main .failure").first().waitFor({ timeout: 300_000 });
  const verdict = await page.locator(".outcome").getAttribute("data-verdict");
  if (verdict !== "intact" && verdict !== "unattested") throw new Error(`The page says ${verdict}.`);
  await page.waitForTimeout(500);
  return {
    allMs: await numberIn(page, "proof.endedAt - proof.startedAt"),
    checksMs: await numberIn(page, "proof.endedAt - (proof.checksAt ?? NaN)"),
    longestBlockMs: await numberIn(page, "blocks.longest"),
  };
}

async function verifyByCommand(executable: string, file: string, key: string): Promise<number> {
  const began = performance.now();
  const words = ["audit", "verify", file, "--public-key", key, "--json"];
  const child = Bun.spawn([executable, ...words], { stdout: "pipe" });
  const { verdict } = JSON.parse(await new Response(child.stdout).text());
  if (verdict !== "unattested") throw new Error(`The command says ${verdict}.`);
  return performance.now() - began;
}

/** @returns the file; its manifest is beside it */
async function exportTo(folder: string, port: number, { key }: ScaleProject): Promise<string> {
  progress("console: export for the command");
  const exports = `http://127.0.0.1:${port}/v1/audit/logs/export`;
  const headers = { Authorization: `Bearer ${key}`, "Content-Type": "application/json" };
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await fetch(exports + path, { ...init, headers });
    if (!response.ok) throw new Error(`The export was refused: ${await response.text()}`);
    return response;
  };
  const span = { start_time: "2000-01-01", end_time: "2100-01-01", format: "json" };
  const begun = (await (await ask("", { method: "POST", body: JSON.stringify(span) })).json()) as Task;
  const path = `/${begun.data.export_id}`;
  for (;;) {
    const { data } = (await (await ask(path)).json()) as Task;
    if (data.status === "completed") break;
    if (data.status === "failed") throw new Error("The export failed.");
    await Bun.sleep(200);
  }
  const file = join(folder, "audit.json");
  await Bun.write(file, await ask(`${path}/download`));
  await Bun.write(`${file}.manifest`, await ask(`${path}/manifest`));
  return file;
}

interface Task {
  readonly data: { readonly export_id: string; readonly status: string };
}

// Opens the saved page as an auditor does, as a file on a machine without a network, and verifies honest and forged exports with it.

import { afterAll, beforeAll, expect } from "bun:test";
import { createHash } from "node:crypto";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import axe from "axe-core";
import { type Base, buildBase, type Specimen } from "../audit/forge.ts";
import { forgeExports } from "../audit/forge-export.ts";
import { publicKeys } from "../audit/receipts/ask-receipt.ts";
import { makeReceipts } from "../audit/receipts/made-receipts.ts";
import { browserTest, chromiumPath } from "./browser.ts";
import { outcomeInBrowser } from "./differential.ts";
import { type SavedPage, startSavedPage, verifyFiles } from "./saved-page.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-saved-page-"));
let savedPage: SavedPage;
let base: Base;
let specimens: ReadonlyMap<string, Specimen>;

beforeAll(async () => {
  if (chromiumPath === null) return;
  base = buildBase(join(folder, "honest"));
  specimens = new Map(forgeExports(base, folder).map((specimen) => [specimen.name, specimen]));
  savedPage = await startSavedPage(folder);
});
afterAll(async () => {
  await savedPage?.close();
  rmSync(folder, { recursive: true, force: true });
});

function find(name: string): Specimen {
  const found = specimens.get(name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

browserTest("an honest export is intact, and the page says what it is itself", async () => {
  await savedPage.open(async (page) => {
    const { verdict, text } = await verifyFiles(page, find("export-honest.json"));
    expect(verdict).toBe("intact");
    expect(text).toContain("INTACT: every check passed");
    expect(text).toContain(base.ledger.signer.verifierKey);
    const sha256 = createHash("sha256").update(readFileSync(savedPage.path)).digest("hex");
    expect(await page.locator("#own-sha256").textContent()).toBe(sha256);
    expect(await page.textContent("header")).toContain("It needs no network");
  });
});

browserTest("forged exports get the verdict and the words of the command", async () => {
  const names = [
    "column.json",
    "entry.csv",
    "deletion.json",
    "swap.csv",
    "doubled.json",
    "truncated.json",
    "payload.csv",
    "last-line-cut.json",
    "manifest-own-key.json",
    "manifest.csv",
    "restamped.json",
    "member-twice.json",
    "header-twice.csv",
    "empty.json",
    "honest-alone.csv",
  ];
  await savedPage.open(async (page) => {
    for (const name of names) {
      const specimen = find(`export-${name}`);
      await page.reload();
      const { verdict, text } = await verifyFiles(page, specimen);
      expect([name, verdict]).toEqual([name, specimen.verdict]);
      const { headline, failures } = await outcomeInBrowser(specimen);
      for (const line of [headline, ...failures])
        expect([name, text]).toEqual([name, expect.stringContaining(line)]);
    }
  });
});

browserTest("a receipt of a record says what it proves, and a changed one that it is not valid", async () => {
  const made = makeReceipts().find(({ name }) => name === "many parts, witnessed");
  const [path, key] = [join(folder, "call.tlog-proof"), join(folder, "ledger.pub")];
  writeFileSync(key, publicKeys.join("\n"));
  await savedPage.open(async (page) => {
    for (const [text, verdict, words] of [
      [
        made?.text ?? "",
        "unattested",
        ["memory.create_batch at 2026-11-21", "nobody outside has signed this", "Grüße"],
      ],
      [made?.text.replace("index 5", "index 6") ?? "", "broken", ["its path does not lead"]],
    ] as const) {
      writeFileSync(path, text);
      await page.reload();
      await page.setInputFiles("input[type=file]", [path, key]);
      expect(await page.textContent(".file-list")).toContain("Receiptcall.tlog-proof");
      await page.getByRole("button", { name: "Verify", exact: true }).click();
      const outcome = page.locator(`.outcome[data-verdict="${verdict}"]`);
      await outcome.waitFor();
      for (const word of words) expect(await outcome.textContent()).toContain(word);
    }
  });
});

browserTest("a compressed export, and keys and checkpoints that are pasted", async () => {
  await savedPage.open(async (page) => {
    const { path, publicKey } = find("export-honest.csv");
    const compressed = join(folder, "export.csv.gz");
    writeFileSync(compressed, gzipSync(readFileSync(path)));
    await page.setInputFiles("input[type=file]", [compressed, `${path}.manifest`]);
    await page.getByRole("textbox", { name: "Public key" }).fill(readFileSync(publicKey ?? "", "utf8"));
    await page.getByRole("textbox", { name: "Kept checkpoint" }).fill(readFileSync(base.outside, "utf8"));
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.locator('.outcome[data-verdict="intact"]').waitFor();
  });
});

browserTest("what files contain is shown as text, and cannot run or connect", async () => {
  const name = "<img src=x onerror=alert(1)><script>alert(2)<\u2044script>.json";
  const path = join(folder, name);
  copyFileSync(find("export-honest.json").path, path);
  const hostile = join(folder, "checkpoint.notes");
  writeFileSync(hostile, "memledger/<b onmouseover=alert(1)>\n");
  await savedPage.open(async (page) => {
    page.on("dialog", (dialog) => {
      throw new Error(dialog.message());
    });
    const { publicKey } = find("export-honest.json");
    const manifest = `${find("export-honest.json").path}.manifest`;
    await page.setInputFiles("input[type=file]", [path, manifest, hostile, publicKey ?? ""]);
    expect(await page.textContent(".file-list")).toContain(name);
    await page.getByRole("button", { name: "Verify", exact: true }).click();
    await page.locator('.outcome[data-verdict="unusable"]').waitFor();
    expect(await page.locator("main img, main b, main script").count()).toBe(0);
  });
});

browserTest("the policy of the page refuses every connection", async () => {
  const connecting = savedPage.open(async (page) => {
    const reached = await page.evaluate("fetch('https://192.0.2.1/').then(() => true, () => false)");
    expect(reached).toBe(false);
  });
  // The browser reports the violation on its console.
  await expect(connecting).rejects.toThrow(/Content Security Policy directive: .*default-src 'none'/);
});

for (const [theme, width] of [
  ["light", 1_000],
  ["dark", 360],
] as const)
  browserTest(
    `has no obstacles in the ${theme} theme, ${width} pixels wide, and no sideways scrolling`,
    async () => {
      await savedPage.open(
        async (page) => {
          await verifyFiles(page, find("export-column.json"));
          const fits = await page.evaluate("document.documentElement.scrollWidth <= innerWidth");
          expect(fits).toBe(true);
          // The policy of the page refuses any other script, so this one comes from the debugger.
          await page.evaluate(axe.source);
          const found = await page.evaluate(
            "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + nodes.map(({ target, failureSummary }) => target + failureSummary)))",
          );
          expect(found).toEqual([]);
        },
        { theme, width },
      );
    },
  );

// Verifies honest and forged exports of version 2 of the record format with the saved page.

import { afterAll, beforeAll, expect } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { verdicts } from "../../src/audit/verify/verdict.ts";
import { exportCases } from "../audit/forge-version-2-export.ts";
import { idOf, signerFrom } from "../audit/version-2.ts";
import { alice, makeVersion2Database } from "../audit/version-2-database.ts";
import { type Export2Plan, makeVersion2Export } from "../audit/version-2-export.ts";
import { browserTest, chromiumPath } from "./browser.ts";
import { inputOf, saidByCommand, toSaid } from "./differential.ts";
import { type SavedPage, startSavedPage, verifyFiles } from "./saved-page.ts";

const folder = mkdtempSync(join(tmpdir(), "memledger-saved-page-2-"));
let savedPage: SavedPage;
beforeAll(async () => {
  if (chromiumPath !== null) savedPage = await startSavedPage(folder);
});
afterAll(async () => {
  await savedPage?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the script of the page as its worker, as the page does, but for all files. */
const startWorkers = `{
  const script = new Blob([document.querySelector("script").textContent], { type: "text/javascript" });
  const [verifier, hasher] = [0, 1].map(() => new Worker(URL.createObjectURL(script)));
  globalThis.verifyText = (text, request) => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    const source = { kind: "file", file: new File([text], request.name) };
    verifier.onmessage = ({ data }) => data.kind !== "progress" && resolve(data.outcome);
    hasher.postMessage({ kind: "hash for", verifier: port1 }, [port1]);
    verifier.postMessage({ kind: "verify", request: { ...request, source }, hasher: port2 }, [port2]);
  });
}`;

browserTest("every forged export of version 2 gets what the command says of it", async () => {
  const { made, key, keep } = version2();
  const checkpoints = [keep("three.notes", 16, 50, 100)];
  await savedPage.open(async (page) => {
    await page.evaluate(startWorkers);
    for (const [format, { name, plan, expected }] of exportCases.flatMap((one) => [
      ["json", one] as const,
      ["csv", one] as const,
    ])) {
      const file = `${name.replaceAll(/\W/g, "-")}.${format}`;
      const path = makeVersion2Export(made, { format, first: 5, last: 60, name: file, ...plan });
      const supplied = { path, checkpoints, publicKey: key };
      const texts = [readFileSync(path, "utf8"), inputOf(supplied)].map((one) => JSON.stringify(one));
      const said = toSaid(await page.evaluate(`verifyText(${texts.join()})`));
      expect([file, said]).toEqual([file, await saidByCommand(supplied)]);
      expect([file, said.verdict]).toEqual([file, expected in verdicts ? (expected as "intact") : "broken"]);
    }
  });
});

/** A ledger with records of version 2, its public key, and a file of some of its checkpoints. */
function version2() {
  const made = makeVersion2Database(mkdtempSync(join(folder, "version-2-")));
  const [, chain] = made.chains;
  if (chain === undefined) throw new Error("no chain of a project");
  const keep = (name: string, ...sizes: readonly number[]) => {
    const path = join(made.folder, name);
    writeFileSync(path, sizes.map((size) => `${chain.notes.get(size)?.note}\n`).join(""));
    return path;
  };
  return { made, chain, key: join(made.folder, "audit.pub"), keep };
}

const none = {
  ...{ rows: 0, first_seq: null, last_seq: null, first_prev: null, last_hash: null },
  ...{ before: null, checkpoint: null },
};
const someOnly = "proves the records that it contains, and not that none was left out";

browserTest(
  "the page says what an honest export of version 2 lacks, and with what it was compared",
  async () => {
    const { made, chain, key, keep } = version2();
    const [early, late] = [keep("early.notes", 50), keep("late.notes", 100, 150)];
    const other = join(made.folder, "other.notes");
    // Of another log, with a second signature by a key that the page does not know.
    const log = idOf("acceptance");
    writeFileSync(other, chain.checkpointOf(60, log, [made.signer, signerFrom(7)]));
    const some = { without: [7, 9, 30], size: 60 };
    const erased = "4 parts were erased, in 2 records";
    const cases: readonly (readonly [Partial<Export2Plan>, string, string, readonly string[]])[] = [
      [{}, early, "intact", [erased, "early.notes, which covers the records up to 50: it matches"]],
      [{}, other, "intact", [erased, `up to 60: it matches. It is from the log ${log}`]],
      [{}, late, "unattested", ["2 checkpoints in late.notes were signed after record 100 or later"]],
      [some, other, "intact", [someOnly, "other.notes, which covers the records up to 60: it matches"]],
      [
        some,
        early,
        "unattested",
        [someOnly, "names, which covers the records up to 60", "1 checkpoint in early"],
      ],
      [{ parts: [alice] }, early, "intact", [" parts were withheld: the file has only the parts"]],
      [
        { forge: () => [], forgeManifest: (one) => ({ ...one, ...none }) },
        early,
        "unattested",
        ["no records"],
      ],
    ];
    await savedPage.open(async (page) => {
      for (const [index, [plan, kept, verdict, texts]] of cases.entries()) {
        const format = index % 2 === 0 ? "json" : "csv";
        const name = `honest-${index}.${format}`;
        const path = makeVersion2Export(made, { format, first: 5, last: 60, name, ...plan });
        const said = await verifyFiles(page, { path, checkpoints: [kept], publicKey: key });
        expect([name, said.verdict]).toEqual([name, verdict]);
        for (const text of texts) expect([name, said.text]).toEqual([name, expect.stringContaining(text)]);
        await page.getByRole("button", { name: "Remove all files" }).click();
      }
      // As a person pastes it.
      const path = join(made.folder, "honest-0.json");
      await page.getByRole("textbox", { name: "Kept checkpoint" }).fill(readFileSync(other, "utf8").trim());
      const { verdict, text } = await verifyFiles(page, { path, checkpoints: [], publicKey: key });
      expect([verdict, text]).toEqual([
        "intact",
        expect.stringContaining(`the kept checkpoint, which covers`),
      ]);
    });
  },
);

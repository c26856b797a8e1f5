// What people notice of the console, in Chromium with the executable: how soon a view is there, whether long tables scroll smoothly, and
// how long the browser verifies. Must never replace anything of the console.

import { join } from "node:path";
import { consoleMinifier } from "../release/console-minifier.ts";
import { buildConsole } from "../src/transports/http/console/console-build.ts";
import { chromiumPath, launchBrowser } from "../test/console/browser.ts";
import { measureFirstViews } from "./console-first-view.ts";
import { type Run, signedInContext } from "./console-page.ts";
import { measureProof, verifiedRecords } from "./console-proof.ts";
import { deepRecord, measureTableView } from "./console-table.ts";
import {
  type BenchOptions,
  copyAlone,
  type Measure,
  measureTable,
  progress,
  startServer,
  type Table,
  temporaryFolder,
} from "./harness.ts";
import {
  ledgerNamed,
  openLedgerDirectory,
  openScaleDirectory,
  projectNamed,
  projectOf,
  type ScaleDirectory,
} from "./scale-directory.ts";

const scriptsMaxBytes = 89 * 1_024;

/** Needs Chromium; without it there is no table. */
export async function consolePages(options: BenchOptions): Promise<readonly Table[]> {
  if (chromiumPath === null) {
    progress("console: skipped, because Chromium is not installed: apt-get install chromium");
    return [];
  }
  using folder = temporaryFolder();
  const place = options.directory ?? join(folder.path, "filled");
  const memories = await openScaleDirectory(
    join(place, `sizes-${options.sizes.join("-")}`),
    options.sizes.map(projectNamed),
  );
  const ledgers = await openLedgerDirectory(
    join(place, `ledger-${options.records}`),
    [...new Set([options.records, verifiedRecords])].map(ledgerNamed),
  );
  const executable = copyAlone(options.executable, folder.path);
  const browser = await launchBrowser();
  try {
    const run: Run = { browser, executable, folder: folder.path, options };
    const pages = [
      ...(await sizes()),
      ...(await measureMemories(run, memories)),
      ...(await measureLedger(run, ledgers)),
    ];
    const proof = await measureProof(run, ledgers);
    const [size, records] = [Math.max(...options.sizes), options.records].map((each) =>
      each.toLocaleString("en"),
    );
    return [
      measureTable(
        "Console",
        `An administrator in Chromium without a window, on warm servers: one with a project of ${size} memories, one with a project of ${records} records. A view is there when its figures or rows are in the document and a frame was drawn; the time counts from the beginning of the navigation, and the browser has the files already. Tables scroll by 120 pixels in each frame.`,
        pages,
      ),
      measureTable(
        "Verification in the browser",
        `The view Proof verifies a project of ${verifiedRecords.toLocaleString("en")} records with payloads of 1 KB. A block is the longest time in which the page could not answer a timer of 4 ms; what the system takes from the page counts, too.`,
        proof,
      ),
    ];
  } finally {
    await browser.close();
  }
}

async function measureMemories(run: Run, directory: ScaleDirectory): Promise<Measure[]> {
  const { projectId } = projectOf(directory, Math.max(...run.options.sizes));
  await using server = await startServer(run.executable, directory.dataDir);
  const context = await signedInContext(run, directory.dataDir, server.port);
  const project = `/console/projects/${projectId}`;
  const views = await measureFirstViews(context, run.options.rounds, [
    { name: "overview of the installation", path: "/console/", isThere: "figure" },
    { name: "overview of the project", path: `${project}/overview`, isThere: "figure" },
    { name: "memories", path: `${project}/memories`, isThere: "row" },
  ]);
  return [...views, ...(await measureTableView(context, `${project}/memories`, "memories"))];
}

async function measureLedger(run: Run, directory: ScaleDirectory): Promise<Measure[]> {
  const { projectId, size } = projectOf(directory, run.options.records);
  await using server = await startServer(run.executable, directory.dataDir);
  const context = await signedInContext(run, directory.dataDir, server.port);
  const path = `/console/projects/${projectId}/ledger`;
  return [
    ...(await measureFirstViews(context, run.options.rounds, [{ name: "ledger", path, isThere: "row" }])),
    ...(await measureTableView(context, path, "ledger")),
    await deepRecord(context, path, size),
  ];
}

async function sizes(): Promise<Measure[]> {
  const { files } = await buildConsole(consoleMinifier);
  const bytesOf = (end: string) =>
    files.filter(({ name }) => name.endsWith(end)).reduce((sum, { gzip }) => sum + gzip.length, 0);
  const scripts = bytesOf(".js");
  const figure = (bytes: number) => `${(bytes / 1_024).toFixed(1)} KiB`;
  const style = { what: "styles, gzip", figure: figure(bytesOf(".css")), comparedTo: "", bar: "" };
  return [
    {
      what: "scripts, gzip",
      figure: figure(scripts),
      comparedTo: "",
      bar: `≤ ${figure(scriptsMaxBytes)}`,
      reached: scripts <= scriptsMaxBytes,
    },
    { ...style, reached: null },
  ];
}

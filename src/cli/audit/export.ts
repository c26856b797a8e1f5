// Binds `memledger audit export`: the running server writes the export, or this process when no server runs. Then copies the export
// and its manifest to the paths that the caller named.

import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { type Command, Option } from "commander";
import { type Export, exportFormats, manifestPath, recordsOf } from "../../audit/export/export.ts";
import { exportProject } from "../../calls/operations/exports/export-project.ts";
import type { Engine } from "../../calls/storage/engine.ts";
import { chooseEngine } from "../../engines/engines.ts";
import { isObject, type Json } from "../../platform/json/json.ts";
import { createLogger } from "../../platform/log/logger.ts";
import type { Config } from "../../server/config/config.ts";
import { locate } from "../../server/data-directory/data-directory.ts";
import {
  createDirectoryLocker,
  type LockedDirectory,
  openAdministration,
  requireDatabase,
} from "../../server/data-directory/directory-lock.ts";
import { exportFolder } from "../../server/ledger/ledger-files.ts";
import { administer } from "../access/administer.ts";
import { addFields, namesOf, readFields } from "../access/administration.ts";
import { bindWork, type Session } from "../command.ts";
import { checkTargets, copyOutputFiles } from "../output-files.ts";
import { createProgress } from "../progress.ts";
import { list, type Report, type Terminal } from "../terminal.ts";
import { recordFields } from "./record-fields.ts";

const pollMs = 50;
const optionNames = {
  project: "--project",
  start_time: "--from",
  end_time: "--to",
  format: "--format",
  ...namesOf(recordFields),
};

export function addExportCommand(audit: Command, session: Session): void {
  const command = audit
    .command("export")
    .description(exportProject.description)
    .requiredOption("--project <id|name>", "project whose records are exported")
    .requiredOption("--from <time>", "start of the range: an ISO 8601 date or time; UTC without a time zone")
    .requiredOption(
      "--to <time>",
      "end of the range, inclusive; a date includes the whole day; may be in the future",
    )
    .requiredOption("--out <file>", "path of the export; its manifest is written to <file>.manifest")
    .addOption(new Option("--format <format>", "file format").choices(exportFormats).default("csv"))
    .option("--force", "overwrite the file and its manifest if they exist");
  addFields(command, recordFields);
  bindWork(command, session, async ({ config, options, terminal }) => {
    const { project, from, to, format, out } = options;
    const input: Record<string, Json> = {
      project: String(project),
      start_time: String(from),
      end_time: String(to),
      format: String(format),
    };
    readFields(recordFields, options, input);
    const target = resolve(String(out));
    const rules = { mayReplace: options.force === true, dataDir: config.dataDir };
    await requireDatabase(config.dataDir);
    mkdirSync(dirname(target), { recursive: true });
    checkTargets([target, manifestPath(target)], rules);
    const task = await administer(config, exportProject, input, optionNames);
    const made = await finish(config, String(isObject(task) ? task.export_id : ""), terminal);
    if (made.status === "failed") throw new Error(`The export failed: ${made.error}`);
    // The manifest first: an export never exists without it.
    const manifest = { source: manifestPath(made.path), target: manifestPath(target) };
    copyOutputFiles([manifest, { source: made.path, target }], rules);
    return report(made, target);
  });
}

/** Waits until the server has finished the export. Finishes it here when no server runs, or none runs any more. */
async function finish(config: Config, id: string, terminal: Terminal): Promise<Export> {
  const tryLock = createDirectoryLocker(config.dataDir);
  const engine = chooseEngine(locate(config.dataDir));
  const progress = createProgress(terminal);
  try {
    for (;;) {
      const made = await lookUp(engine, config, id);
      if (made.status !== "processing") return made;
      progress.show(made.records, recordsOf(made));
      const locked = await tryLock();
      if (locked !== null) return await finishHere(locked, config, id, progress.show);
      await Bun.sleep(pollMs);
    }
  } finally {
    progress.clear();
  }
}

async function finishHere(
  locked: LockedDirectory,
  config: Config,
  id: string,
  onProgress: (done: number, total: number) => void,
): Promise<Export> {
  await using parts = new AsyncDisposableStack();
  parts.defer(() => locked.release());
  const { startExports, close } = await openAdministration(locked, config, createLogger(config.logLevel));
  parts.defer(close);
  startExports();
  for (;;) {
    const made = await lookUp(locked.engine, config, id);
    if (made.status !== "processing") return made;
    onProgress(made.records, recordsOf(made));
    await Bun.sleep(pollMs);
  }
}

async function lookUp(engine: Engine, { dataDir }: Config, id: string): Promise<Export> {
  const made = await engine.findExport(exportFolder(dataDir), id);
  if (made !== null) return made;
  throw new Error(
    "The export no longer exists: its project was deleted, or the export has expired. Run the command again.",
  );
}

function report({ id, format, records, bytes, sha256, verifiable }: Export, file: string): Report {
  const data = {
    export_id: id,
    format,
    records,
    bytes,
    sha256,
    verifiable,
    file,
    manifest: manifestPath(file),
  };
  return { data, text: list(data) };
}

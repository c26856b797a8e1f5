// Binds `memledger memory import`: reads memories of a file, and has the server store them in batches.

import { type Command, InvalidArgumentError, Option } from "commander";
import { createBatchCalls, ImportStopped } from "../../assistants/importing/batch-calls.ts";
import {
  addToMap,
  type FieldMap,
  InvalidMap,
  requireContent,
  sourceOf,
} from "../../assistants/importing/field-map.ts";
import { type FormatName, formatNames, formats } from "../../assistants/importing/formats/formats.ts";
import {
  type ImportCounts,
  importMemories,
  noCounts,
  type Place,
} from "../../assistants/importing/import-memories.ts";
import { messagesMax, shownMemoriesMax } from "../../assistants/importing/limits.ts";
import { type OpenedImport, openImport } from "../../assistants/importing/open-import.ts";
import { createRepeatedCall, waitingNotice } from "../../assistants/local-access/repeated-call.ts";
import { type MemoryType, memoryTypes } from "../../memory/memory.ts";
import { isObject, type JsonObject, readJson } from "../../platform/json/json.ts";
import { tagMaxCharacters } from "../../platform/limits.ts";
import { createClock } from "../../platform/time/clock.ts";
import { bindWork, type Invocation, type Session } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { addTargetOptions, openTarget, readTarget } from "../server-target.ts";
import { list, type Report } from "../terminal.ts";
import { createImportProgress, type ImportProgress } from "./import-progress.ts";

export function addMemoryImportCommand(memory: Command, session: Session): void {
  const command = memory
    .command("import")
    .description(
      "Store the memories of a file in a project. Memories that the project has are not stored again, so an interrupted import is continued by running it again. Exit code 1 if a line was refused.",
    )
    .argument("<file>", "file to import, - for standard input, or a directory of notes");
  addTargetOptions(command)
    .option("--subject <name>", "subject of the memories for which the file has none, such as user:42")
    .addOption(
      new Option("--format <name>", `format (default: detected): ${describeFormats()}`).choices(formatNames),
    )
    .addOption(
      new Option("--type <type>", "type of memories for which the file has none")
        .choices(memoryTypes)
        .default("fact"),
    )
    .addOption(
      new Option("--tag <tag>", "tag that is added to each memory; can be repeated")
        .argParser(addTag)
        .default([], "none"),
    )
    .addOption(
      new Option(
        "--map <fields>",
        "read any JSON Lines or CSV: the fields of a memory and those of the file, such as content=text,created=ts; can be repeated",
      )
        .argParser(readMap)
        .conflicts("format"),
    )
    .option("--dry-run", "read and check the file, and store nothing; with --map, show the first memories");
  bindWork(command, session, async (invocation) => {
    const report = await run(invocation);
    if (report.refused > 0 || report.hasChanged) session.exitCode = exitCodes.failed;
    return report;
  });
}

/** Otherwise each line of the file would be refused for the same reason. */
function addTag(tag: string, tags: readonly string[]): readonly string[] {
  if (tag.trim() !== "" && [...tag].length <= tagMaxCharacters) return [...tags, tag];
  throw new InvalidArgumentError(`A tag has 1 to ${tagMaxCharacters} characters and is not blank.`);
}

function readMap(text: string, known?: FieldMap): FieldMap {
  try {
    return addToMap(text, known);
  } catch (error) {
    throw error instanceof InvalidMap ? new InvalidArgumentError(error.message) : error;
  }
}

/** Null: none was given. */
function mapOf(option: unknown): FieldMap | null {
  if (!(option instanceof Map)) return null;
  try {
    return requireContent(option);
  } catch (error) {
    throw error instanceof InvalidMap ? new InvalidArgumentError(`--map: ${error.message}`) : error;
  }
}

function describeFormats(): string {
  return formatNames.map((name) => `${name} (${formats[name].description})`).join("; ");
}

interface ImportReport extends Report {
  readonly refused: number;
  readonly hasChanged: boolean;
}

async function run(invocation: Invocation): Promise<ImportReport> {
  const { operands, options, terminal } = invocation;
  const isDryRun = options.dryRun === true;
  // The subject of a line may be another one, so the channel has none.
  const { subject, ...rest } = readTarget(invocation, process.cwd());
  const target = { ...rest, subject: null };
  const map = mapOf(options.map);
  const file = operands[0] ?? "-";
  const named = formatNames.find((name) => name === options.format) ?? null;
  const opened = await openImport(file, named, map);
  const progress = createImportProgress(terminal);
  tellFormat(file, opened, named, progress);
  const messages: Message[] = [];
  const first: Found[] = [];
  const counts = noCounts();
  const onProjectCreated = (name: string) =>
    progress.notice(`There was no project "${name}", so it was created.`);
  const channel = isDryRun ? null : openTarget(target, invocation, onProjectCreated);
  const format = opened.format?.name ?? formatNames[0] ?? "";
  const onWait = (reason: string) => progress.notice(waitingNotice(reason));
  try {
    await importMemories(
      {
        entries: opened.entries,
        calls: channel === null ? null : createBatchCalls(createRepeatedCall({ channel, onWait }), format),
        type: typeOf(options.type),
        tags: Array.isArray(options.tag) ? options.tag.map(String) : [],
        subject,
        now: createClock().now(),
        ...(map !== null && { sourceOf: (field: string) => sourceOf(field, map) }),
        onMessage(place, status, message) {
          if (messages.length < messagesMax) messages.push({ ...place, status, message });
          progress.message(place, message);
        },
        onFound(place, memory, owner) {
          if (map === null || !isDryRun || first.length === shownMemoriesMax) return;
          first.push({
            ...place,
            memory: { ...readObject(memory), ...(owner !== null && { subject: owner }) },
          });
        },
        onProgress: (now) => progress.show(now, shareOf(opened)),
      },
      counts,
    );
  } catch (error) {
    opened.close();
    progress.clear();
    throw error instanceof ImportStopped ? explainStop(error, counts) : error;
  }
  progress.clear();
  const changed = opened.changedFiles();
  for (const name of changed)
    progress.notice(
      `${name} was changed while it was read. Run the command again: what is stored is not stored twice.`,
    );
  return toReport(counts, opened, { messages, first }, isDryRun, changed.length > 0);
}

/** A memory as it would be stored. */
interface Found extends Place {
  readonly memory: JsonObject;
}

function readObject(text: string): JsonObject {
  const value = readJson(text);
  return isObject(value) ? value : {};
}

interface Message extends Place {
  readonly status: "refused" | "skipped";
  readonly message: string;
}

function tellFormat(
  file: string,
  { format }: OpenedImport,
  named: FormatName | null,
  progress: ImportProgress,
): void {
  const source = file === "-" ? "standard input" : file;
  if (format === null) progress.notice(`${source} is empty: it has no memories.`);
  else if (named === null) progress.notice(`${source} is read as ${format.name}: it ${format.reason}.`);
}

function typeOf(text: unknown): MemoryType {
  const type = memoryTypes.find((each) => each === text);
  if (type === undefined) throw new InvalidArgumentError(`--type must be one of ${memoryTypes.join(", ")}.`);
  return type;
}

/** Null when the size is not known. */
function shareOf({ bytes, readBytes }: OpenedImport): number | null {
  return bytes === null || bytes === 0 ? null : Math.min(1, readBytes() / bytes);
}

function explainStop(error: ImportStopped, { created, existing }: ImportCounts): Error {
  const stored = `The import has stopped: ${created} created, ${existing} already there.`;
  const next = "What is stored is not stored twice, so run the same command again to continue.";
  return new Error(`${error.message} ${stored} ${next}`, { cause: error });
}

function toReport(
  counts: ImportCounts,
  { format }: OpenedImport,
  { messages, first }: { readonly messages: readonly Message[]; readonly first: readonly Found[] },
  isDryRun: boolean,
  hasChanged: boolean,
): ImportReport {
  const { found, created, existing, skipped, refused } = counts;
  const ofTypes = Object.fromEntries(memoryTypes.map((type) => [`${type}s`, found[type]]));
  const left = { skipped, refused };
  const data = {
    format: format?.name ?? null,
    dry_run: isDryRun,
    ...ofTypes,
    ...(isDryRun ? {} : { created, existing }),
    ...left,
  };
  const shown = first.map(({ line, memory }) => `\nline ${line}\n${list(memory)}`);
  const text = isDryRun
    ? list({ ...ofTypes, ...left, stored: "nothing (dry run)" })
    : list({ ...ofTypes, created, "already there": existing, ...left });
  return {
    data: { ...data, messages, ...(first.length > 0 && { first }) },
    text: [text, ...shown].join("\n"),
    refused,
    hasChanged,
  };
}

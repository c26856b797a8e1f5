// Owns the output of commands: text, or with --json exactly one line of JSON, the last one on stdout. Must never print a stack
// trace, nor a secret that the user did not ask for.

import { fstatSync } from "node:fs";
import { explainedAs } from "../platform/files/system-error.ts";
import { isObject } from "../platform/json/json.ts";
import { toPrintable, toPrintableJson, toPrintableLine } from "../platform/text/printable.ts";

/** The result of a command: `data` is printed with --json, `text` without it. */
export interface Report {
  readonly data: unknown;
  readonly text: string;
}

export interface Terminal {
  readonly isJson: boolean;
  /** Whether the user can be asked: stdin and stderr are terminals, and --json is not given. */
  readonly canPrompt: boolean;
  /** Whether the result is read by a person in front of a terminal; otherwise it may be kept in a log or a file. */
  readonly isWatched: boolean;
  /** Whether stdout is a terminal, or with --json the pipe of a program that reads the result. A file or the journal of systemd is kept. */
  readonly showsSecrets: boolean;
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** @throws Error that says why it cannot be written */
  print(report: Report): Promise<void>;
  /** Writes a line to stderr. */
  writeError(line: string): void;
}

export function createTerminal(isJson: boolean): Terminal {
  // A program that does not read the messages any more is no reason to fail. The one who writes a result learns of the failure too, and
  // says so. Without a listener, the process would end with a stack trace.
  for (const stream of [process.stderr, process.stdout]) {
    if (!stream.listeners("error").includes(ignoreFailure)) stream.on("error", ignoreFailure);
  }
  return {
    isJson,
    canPrompt: !isJson && process.stdin.isTTY === true && process.stderr.isTTY === true,
    isWatched: !isJson && process.stdout.isTTY === true,
    showsSecrets: process.stdout.isTTY === true || (isJson && !isOutputKept(process.env)),
    variables: process.env,
    print: ({ data, text }) => printResult(isJson ? toPrintableJson(data) : toPrintable(text)),
    writeError: (line) => void process.stderr.write(`${toPrintable(line)}\n`),
  };
}

function ignoreFailure(): void {}

/** systemd.exec(5): JOURNAL_STREAM has the device and the inode of the stream that is connected to the journal. */
function isOutputKept({ JOURNAL_STREAM }: Terminal["variables"]): boolean {
  const { dev, ino, isFile } = statOfOutput();
  return isFile || JOURNAL_STREAM === `${dev}:${ino}`;
}

/** A closed output is not kept. */
function statOfOutput() {
  try {
    const stats = fstatSync(1);
    return { dev: stats.dev, ino: stats.ino, isFile: stats.isFile() };
  } catch {
    return { dev: 0, ino: 0, isFile: false };
  }
}

async function printResult(text: string): Promise<void> {
  await writeStandardOutput(`${text.trimEnd()}\n`).catch((error: unknown) => {
    const message = error instanceof Error ? error.message : String(error);
    throw new Error(`${message} If the command changes data, the change was made.`, { cause: error });
  });
}

/** @throws Error that says why the text, or a part of it, was not written */
export function writeStandardOutput(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => (error ? reject(explainLoss(error)) : resolve()));
  });
}

function explainLoss(error: Error): unknown {
  if ("code" in error && error.code === "EPIPE") {
    return new Error("Standard output was closed before everything was written to it.", { cause: error });
  }
  return explainedAs("Standard output cannot be written", error);
}

/** Left-aligned columns. */
export function table(head: readonly string[], rows: readonly (readonly unknown[])[]): string {
  const lines = [head, ...rows.map((row) => row.map(show))];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => Bun.stringWidth(line[column] ?? ""))),
  );
  const pad = (cell: string, column: number) =>
    cell + " ".repeat(Math.max(0, (widths[column] ?? 0) - Bun.stringWidth(cell)));
  return lines.map((line) => line.map(pad).join("  ").trimEnd()).join("\n");
}

/** The members of objects with these names, a row for each object. */
export function tableOf(
  columns: readonly string[],
  rows: readonly Readonly<Record<string, unknown>>[],
): string {
  return table(
    columns,
    rows.map((row) => columns.map((column) => row[column])),
  );
}

/** One `name  value` line per entry. */
export function list(entries: Readonly<Record<string, unknown>>): string {
  const names = Object.keys(entries);
  const width = Math.max(...names.map((name) => name.length));
  return names.map((name) => `${name.padEnd(width)}  ${show(entries[name])}`).join("\n");
}

function show(value: unknown): string {
  if (value === null || value === undefined) return "-";
  if (Array.isArray(value)) return value.length === 0 ? "-" : value.map(show).join(",");
  if (isObject(value)) {
    const filled = Object.entries(value).filter(([, item]) => item !== null);
    return filled.length === 0 ? "-" : filled.map(([name, item]) => `${name}=${show(item)}`).join(" ");
  }
  // Clients choose the names, so that a name could have several lines.
  return toPrintableLine(String(value));
}

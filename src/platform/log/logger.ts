// Owns the log: one event per line on stderr, readable on a terminal, and JSON for programs. Must never contain an API key, a body or the
// text of a memory.

import { isatty } from "node:tty";
import { toPrintable } from "../text/printable.ts";

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const order = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

const standardError = (line: string) => process.stderr.write(line);

export function createLogger(
  level: LogLevel = "info",
  write = standardError,
  isRead = write === standardError && isatty(2),
): Logger {
  const format = isRead ? toText : toJson;
  const at =
    (name: Exclude<LogLevel, "silent">) =>
    (message: string, fields: LogFields = {}) => {
      if (order[name] < order[level]) return;
      const time = new Date().toISOString();
      write(`${format({ time, level: name, message, fields: withErrors(fields) })}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

interface LogEvent {
  readonly time: string;
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

function toJson({ time, level, message, fields }: LogEvent): string {
  return JSON.stringify({ time, level, message, ...fields });
}

/** `21:19:04Z info  server started  port=8420`. Values may be chosen by clients, so no control character reaches the terminal. */
function toText({ time, level, message, fields }: LogEvent): string {
  const shown = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  const values = shown.map(([name, value]) => `  ${name}=${toWord(value)}`);
  const line = `${time.slice(11, 19)}Z ${level.padEnd(5)} ${message}${values.join("")}`;
  return toPrintable(line);
}

/** A value with spaces is quoted, so that it has an end. The lines of a stack trace stay lines. */
function toWord(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.includes("\n"))
    return text
      .split("\n")
      .map((line) => `\n    ${line.trim()}`)
      .join("");
  return /^[^\s"]+$/.test(text) ? text : JSON.stringify(text);
}

function withErrors(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]),
  );
}

// Owns the log: one line of JSON per event on stderr. Must never contain an API key, a body or the text of a memory.

export type LogLevel = "debug" | "info" | "warn" | "error" | "silent";
export type LogFields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

const order = { debug: 0, info: 1, warn: 2, error: 3, silent: 4 } as const;

export function createLogger(
  level: LogLevel = "info",
  write = (line: string) => process.stderr.write(line),
): Logger {
  const at =
    (name: Exclude<LogLevel, "silent">) =>
    (message: string, fields: LogFields = {}) => {
      if (order[name] < order[level]) return;
      const line = { time: new Date().toISOString(), level: name, message, ...withErrors(fields) };
      write(`${JSON.stringify(line)}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function withErrors(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      value instanceof Error ? (value.stack ?? value.message) : value,
    ]),
  );
}

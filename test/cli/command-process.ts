// A process that runs command lines of the program one after the other, each with its own environment and working directory: starting a
// process takes longer than most commands. It ends with the process that started it.

import type { Outcome } from "./command.ts";

export interface CommandLine {
  readonly words: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Keeps what is written to a stream until `end`. */
function capture(stream: NodeJS.WriteStream): { end(): string } {
  const { write } = stream;
  const texts: string[] = [];
  const keep = (text: string, done?: () => void) => {
    texts.push(text);
    done?.();
    return true;
  };
  Object.assign(stream, { write: keep });
  return {
    end() {
      Object.assign(stream, { write });
      return texts.join("");
    },
  };
}

async function runLine({ words, cwd, env }: CommandLine): Promise<Outcome> {
  const { runCommand } = await import("../../src/cli/program.ts");
  process.chdir(cwd);
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, env);
  const [stdout, stderr] = [capture(process.stdout), capture(process.stderr)];
  const exitCode = await runCommand(words);
  return { exitCode, stdout: stdout.end(), stderr: stderr.end() };
}

process.umask(0o077);
// Each command adds a listener; a process of the program runs only one.
process.stderr.setMaxListeners(0);
process.on("disconnect", () => process.exit());
let last: Promise<unknown> = Promise.resolve();
process.on("message", (line: CommandLine) => {
  last = last.then(async () => process.send?.(await runLine(line)));
});

// Runs the programs of others: installers, test suites and clients. Must never let one outlive this process or its time limit.

export interface Outcome {
  readonly exitCode: number;
  readonly stdout: string;
  /** stdout and stderr, for a report. */
  readonly output: string;
}

export interface ProgramOptions {
  /** Folder in which it runs. */
  readonly folder: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number;
}

const running = new Set<Bun.Subprocess>();
let isEnding = false;

/** Runs a program to its end. One that takes longer than its limit (a minute) is killed, and has an exit code that is not 0. */
export async function runProgram(words: readonly string[], options: ProgramOptions): Promise<Outcome> {
  const { folder, variables = {}, timeoutMs = 60_000 } = options;
  if (isEnding) throw new Error("no program is started any more");
  const child = Bun.spawn([...words], {
    cwd: folder,
    env: { ...process.env, ...variables },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    timeout: timeoutMs,
    killSignal: "SIGKILL",
  });
  running.add(child);
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  const exitCode = await child.exited;
  running.delete(child);
  return { exitCode, stdout, output: `${stdout}${stderr}` };
}

export interface StartedProgram {
  /** stdout and stderr so far. */
  output(): string;
  /** As a power switch would. */
  kill(): Promise<void>;
}

/** Starts a program that runs until it is killed. */
export function startProgram(words: readonly string[], { folder }: ProgramOptions): StartedProgram {
  const child = Bun.spawn([...words], { cwd: folder, stdin: "ignore", stdout: "pipe", stderr: "pipe" });
  running.add(child);
  let output = "";
  const read = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    for await (const chunk of stream) output += new TextDecoder().decode(chunk);
  };
  const reading = Promise.all([read(child.stdout), read(child.stderr)]);
  return {
    output: () => output,
    async kill() {
      child.kill("SIGKILL");
      await Promise.all([child.exited, reading]);
      running.delete(child);
    },
  };
}

/** Ends what a failure or a signal left running, and lets no other program start. */
export async function killPrograms(): Promise<void> {
  isEnding = true;
  for (const child of running) child.kill("SIGKILL");
  await Promise.all([...running].map((child) => child.exited));
}

// Owns the run of one hook: it reads the event, answers it, and ends before its deadline. Must never print anything but the answer, nor
// wait for a server that starts.

import { type HookName, toAnswer } from "../hooks/client.ts";
import { type HookEvent, readEvent } from "../hooks/event.ts";
import { giveContext } from "../hooks/give-context.ts";
import { eventMaxBytes } from "../hooks/limits.ts";
import { createMemoryCalls } from "../hooks/memory-calls.ts";
import { openSessionFiles } from "../hooks/session-files.ts";
import type { Invocation } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { type HookTarget, openHookChannel, readHookTarget } from "./hook-target.ts";
import { ownCommand } from "./own-command.ts";

export async function runHook(hook: HookName, invocation: Invocation): Promise<null> {
  const target = readHookTarget(invocation);
  const { logger, client } = target;
  const deadlineMs = Number(invocation.options.deadlineMs);
  const signal = AbortSignal.timeout(Math.max(0, deadlineMs - performance.now()));
  signal.addEventListener("abort", () => {
    logger.warn("a hook was not answered in time", { hook, client });
    process.exit(exitCodes.done);
  });
  try {
    const event = readEvent(client, await readInput());
    if (event === null) logger.warn("a hook has received no event of its client", { hook, client });
    else if (hook === "session-end") startExtraction(event, target);
    else await answer(hook, event, target, invocation, signal);
  } catch (error) {
    logger.error("a hook failed", { hook, client, error });
  }
  // A connection or the pipe of the client must not keep the process alive.
  process.exit(exitCodes.done);
}

async function answer(
  hook: Exclude<HookName, "session-end">,
  { sessionId, query }: HookEvent,
  target: HookTarget,
  { terminal }: Invocation,
  signal: AbortSignal,
): Promise<void> {
  const { client, folder, logger } = target;
  const files = openSessionFiles(folder, client, sessionId);
  const channel = openHookChannel(target, target.project, terminal.variables);
  const calls = createMemoryCalls(channel, { client, hook, sessionId });
  const { text, lines } = await giveContext({ hook, query, calls, files, logger, signal });
  await print(toAnswer(client, hook, text));
  // Last, because the deadline may end the process at any point: a memory that is given twice is better than one that is not given.
  files.addPrinted(lines);
}

/** Reads stdin to its end, because the client would notice a closed pipe. An event that is too long becomes an empty text. */
async function readInput(): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of Bun.stdin.stream()) {
    bytes += chunk.byteLength;
    if (bytes <= eventMaxBytes) chunks.push(chunk);
  }
  return bytes > eventMaxBytes ? "" : Buffer.concat(chunks).toString("utf8");
}

/** Does nothing for an empty text. A client that does not read the answer any more is no error. */
function print(text: string): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.on("error", () => resolve());
    if (text === "") resolve();
    else process.stdout.write(text, () => resolve());
  });
}

/** Starts a process that outlives this one and the client. */
function startExtraction({ sessionId, transcriptPath }: HookEvent, target: HookTarget): void {
  const { client, project, url, dataDir } = target;
  if (transcriptPath === null) return;
  const words = [
    `--client=${client}`,
    `--project=${project}`,
    `--data-dir=${dataDir}`,
    `--session=${sessionId}`,
    `--transcript=${transcriptPath}`,
    ...(url === null ? [] : [`--url=${url}`]),
  ];
  const child = Bun.spawn([...ownCommand, "hook", "extract", ...words], {
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
  });
  child.unref();
}

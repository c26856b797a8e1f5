// Owns the run of one hook: it reads the event, answers it, and ends before its deadline. Must never print anything but the answer, nor
// wait for a server that starts.

import { type HookName, toAnswer } from "../../assistants/hooks/client.ts";
import { type HookEvent, readEvent } from "../../assistants/hooks/event.ts";
import { giveContext } from "../../assistants/hooks/give-context.ts";
import { eventMaxBytes } from "../../assistants/hooks/limits.ts";
import { createMemoryCalls } from "../../assistants/hooks/memory-calls.ts";
import { openSessionFiles } from "../../assistants/hooks/session-files.ts";
import type { Channel } from "../../assistants/local-access/channel.ts";
import {
  AccessRefused,
  OutcomeUnknown,
  ServerUnreachable,
} from "../../assistants/local-access/channel-failure.ts";
import { ownCommand } from "../../platform/native/own-command.ts";
import { CallRefused } from "../../platform/received-answer.ts";
import { ConfigError } from "../../server/config/config-file.ts";
import type { Invocation } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { openTarget, readTarget, type ServerTarget } from "../server-target.ts";
import { type HookPlace, openHookPlace, readDetail } from "./hook-place.ts";

export async function runHook(hook: HookName, invocation: Invocation): Promise<null> {
  // A mistake in the options is printed, whatever stdin contains.
  readTarget(invocation, process.cwd());
  const place = openHookPlace(invocation);
  const { logger, client } = place;
  const deadlineMs = Number(invocation.options.deadlineMs);
  const signal = AbortSignal.timeout(Math.max(0, deadlineMs - performance.now()));
  signal.addEventListener("abort", () => {
    logger.warn("a hook was not answered in time", { hook, client });
    process.exit(exitCodes.done);
  });
  try {
    const event = readEvent(client, await readInput());
    if (event === null) logger.warn("a hook has received no event of its client", { hook, client });
    else {
      const target = readTarget(invocation, event.workingDirectory ?? process.cwd());
      if (hook === "session-end") startExtraction(event, place, target, readDetail(invocation));
      else await answer(hook, event, place, openTarget(target, invocation), signal);
    }
  } catch (error) {
    logger.error("a hook failed", { hook, client, error: isOfUser(error) ? error.message : error });
  }
  // A connection or the pipe of the client must not keep the process alive.
  process.exit(exitCodes.done);
}

/** Whether the message says what the user has to correct, so that the log needs no stack. */
function isOfUser(error: unknown): error is Error {
  return [ConfigError, CallRefused, AccessRefused, ServerUnreachable, OutcomeUnknown].some(
    (kind) => error instanceof kind,
  );
}

async function answer(
  hook: Exclude<HookName, "session-end">,
  { sessionId, query }: HookEvent,
  { client, folder, logger }: HookPlace,
  channel: Channel,
  signal: AbortSignal,
): Promise<void> {
  const files = openSessionFiles(folder, client, sessionId);
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
function startExtraction(
  { sessionId, transcriptPath }: HookEvent,
  { client, dataDir }: HookPlace,
  target: ServerTarget,
  detail: string,
): void {
  if (transcriptPath === null) return;
  const words = [
    `--client=${client}`,
    `--data-dir=${dataDir}`,
    "url" in target ? `--url=${target.url}` : `--project=${target.project}`,
    `--session=${sessionId}`,
    `--transcript=${transcriptPath}`,
    `--detail=${detail}`,
    ...(target.subject === null ? [] : [`--subject=${target.subject}`]),
  ];
  const child = Bun.spawn([...ownCommand, "hook", "extract", ...words], {
    // The directory of the assistant may be removed meanwhile.
    cwd: dataDir,
    stdio: ["ignore", "ignore", "ignore"],
    detached: true,
    windowsHide: true,
  });
  child.unref();
}

// Owns what a conversation gets from its project at its start and with a prompt. Must never give it the same memory twice, unless the
// client has dropped its context meanwhile.

import type { Logger } from "../../platform/log/logger.ts";
import type { HookName } from "./client.ts";
import { type FittedContext, fitContext } from "./fit-context.ts";
import { promptMaxCharacters, startMaxCharacters } from "./limits.ts";
import type { MemoryCalls } from "./memory-calls.ts";
import type { SessionFiles } from "./session-files.ts";

export interface ContextRequest {
  readonly hook: Exclude<HookName, "session-end">;
  readonly query: string;
  readonly calls: MemoryCalls;
  readonly files: SessionFiles;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}

/**
 * At the start: the rules, and what is most important and most recent. A conversation also starts after its context was cleared or
 * compacted, so everything is given again. With a prompt: what is relevant to it, and the rules if the start could not give them.
 * The caller saves the lines when it has printed them. @throws what the calls throw
 */
export async function giveContext({
  hook,
  query,
  calls,
  files,
  logger,
  signal,
}: ContextRequest): Promise<FittedContext> {
  const isStart = hook === "session-start";
  if (!isStart && query === "") return { text: "", lines: [], omitted: 0 };
  // First, because a start that fails leaves the rules to the next prompt.
  if (isStart) files.forgetPrinted();
  const section = isStart
    ? await calls.inject({ max_characters: startMaxCharacters }, signal)
    : await calls.inject({ query, max_characters: promptMaxCharacters }, signal);
  const context = fitContext(section, files.isPrinted);
  const { omitted } = context;
  if (omitted > 0) logger.warn("memories were omitted because the context of a hook is limited", { omitted });
  return context;
}

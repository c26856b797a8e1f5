// Owns what a conversation gets from its project at its start and with a prompt. Must never give it the same memory twice, unless the
// client has dropped its context meanwhile.

import type { Logger } from "../log/logger.ts";
import type { HookName } from "./client.ts";
import { fitContext } from "./fit-context.ts";
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
 * @returns a prompt section, or an empty text. @throws what the calls throw
 */
export async function giveContext({
  hook,
  query,
  calls,
  files,
  logger,
  signal,
}: ContextRequest): Promise<string> {
  const isStart = hook === "session-start";
  if (!isStart && query === "") return "";
  // First, because a start that fails leaves the rules to the next prompt.
  if (isStart) files.forgetPrinted();
  const section = isStart
    ? await calls.inject({ max_characters: startMaxCharacters }, signal)
    : await calls.inject({ query, max_characters: promptMaxCharacters }, signal);
  const { text, lines, omitted } = fitContext(section, files.isPrinted);
  if (omitted > 0) logger.warn("memories were omitted because the context of a hook is limited", { omitted });
  // Before they are printed: a line that is given twice is better than a deadline that ends the process between the two.
  files.addPrinted(lines);
  return text;
}

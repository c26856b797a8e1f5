// The worker thread that runs the rules of extraction. Must never be imported by another module: it brings the date parser and all
// word lists into memory.

import { yieldToOthers } from "../native/priority.ts";
import { answerRequests } from "../native/worker-client.ts";
import type { ExtractRequest } from "./built-in-thread.ts";
import { extractByRules } from "./rules/extract.ts";

yieldToOthers();
answerRequests(async (request) => {
  // The one place that vouches for what the other side sent.
  const { text, now } = request as ExtractRequest;
  return extractByRules(text, now);
});

// The worker thread that runs the rules of extraction. Must never be imported by another module: it loads the date parser and all word
// lists.

import { answerRequests } from "../threads/answer-requests.ts";
import { yieldToOthers } from "../threads/priority.ts";
import type { ExtractRequest } from "./built-in-thread.ts";
import { extractByRules } from "./rules/extract.ts";

yieldToOthers();
answerRequests((request) => {
  // Only built-in-thread.ts sends requests here.
  const { source, now } = request as ExtractRequest;
  return extractByRules(source, now);
});

// The worker thread that removes secrets from texts, and runs the rules of extraction. Must never be imported by another module: it loads
// the date parser and all word lists.

import { answerRequests } from "../../platform/threads/answer-requests.ts";
import { yieldToOthers } from "../../platform/threads/priority.ts";
import { extractBuiltIn } from "./built-in.ts";
import type { ExtractionRequest } from "./extraction-thread.ts";
import { redactItems, redactSource } from "./secrets/redact.ts";

yieldToOthers();
answerRequests<unknown>((request) => {
  // Only extraction-thread.ts sends requests here.
  const asked = request as ExtractionRequest;
  switch (asked.step) {
    case "redact source":
      return redactSource(asked.source);
    case "extract":
      return extractBuiltIn(asked.source, asked.now);
    case "redact items":
      return redactItems(asked.items);
  }
});

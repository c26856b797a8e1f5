// The worker thread that reads, changes and hashes large bodies of exchanges. Must never be imported by another module.

import { Refusal } from "../../platform/errors.ts";
import { answerRequests } from "../../platform/threads/answer-requests.ts";
import { yieldToOthers } from "../../platform/threads/priority.ts";
import { bodySteps } from "../body-steps.ts";
import type { BodyReply, BodyRequest } from "./body-thread.ts";

yieldToOthers();
answerRequests<BodyReply<unknown>>(async (request) => {
  try {
    // Only body-thread.ts sends requests here.
    return { value: await perform(request as BodyRequest) };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { code, message, data, details } = error;
    return { refused: { code, message, data, details } };
  }
});

function perform(request: BodyRequest): unknown {
  switch (request[0]) {
    case "read":
      return bodySteps.read(request[1], request[2]);
    case "change":
      return bodySteps.change(request[1], request[2], request[3]);
    case "readOther":
      return bodySteps.readOther(request[1], request[2]);
    case "readEmbeddings":
      return bodySteps.readEmbeddings(request[1]);
    case "readAnswer":
      return bodySteps.readAnswer(request[1], request[2], request[3]);
    case "readWords":
      return bodySteps.readWords(request[1], request[2]);
    case "encode":
      return bodySteps.encode(request[1], request[2], request[3], request[4]);
  }
}

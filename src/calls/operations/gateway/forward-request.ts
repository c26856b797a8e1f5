// Owns the operation that passes on what is no conversation: completions of a text, stored responses, files, images, audio, batches.

import { requireWholeProject } from "../../../gateway/stored-state.ts";
import { toDetails, toEntry } from "./exchange-record.ts";
import { forwardOther, type PassedOther } from "./forward-other.ts";
import { gatewayOperation } from "./gateway-operation.ts";

export const forwardRequest = gatewayOperation<PassedOther>({
  name: "gateway.forward",
  summary: "Pass on another request",
  description:
    "Requests to an upstream that are no conversations, such as those for files, images, audio, batches and stored responses. Request and answer are those of the upstream, byte for byte.",
  exampleBody: null,
  acceptsAnyType: true,

  exchange(preparation, exchange) {
    requireWholeProject(preparation.caller);
    return forwardOther(preparation, exchange);
  },

  record(passed, _preparation, { method, path, search, isErasedMeanwhile }) {
    const { file } = passed;
    const address = { path, ...(search === "" ? {} : { query: search }) };
    return {
      entry: toEntry(passed),
      details: {
        request_parameters: { method, ...(isErasedMeanwhile ? {} : address) },
        ...toDetails(passed, isErasedMeanwhile),
        ...(file === null || isErasedMeanwhile ? {} : { output_content: file }),
      },
      remembers: null,
    };
  },
});

// Owns the list of the models of all upstreams.

import { successCode } from "../../../platform/errors.ts";
import { gatewayOperation } from "./gateway-operation.ts";
import { answerWithJson } from "./json-answer.ts";
import { type Listed, listUpstreams, mergeModels, toModelList } from "./model-list.ts";

interface ListedModels {
  readonly listed: readonly Listed[];
  readonly count: number;
}

export const listModels = gatewayOperation<ListedModels>({
  name: "gateway.models",
  summary: "List the models of the gateway",
  description:
    "The models of all upstreams, in the form of OpenAI, or of Anthropic if the request has the header anthropic-version.",
  exampleBody: null,

  async exchange(preparation, exchange) {
    const kind = exchange.headers.has("anthropic-version") ? "anthropic" : "openai";
    const listed = await listUpstreams(preparation, kind, exchange.headers);
    const models = mergeModels(preparation.gateway.upstreams, kind, listed, preparation.embeddingModel);
    answerWithJson(exchange, toModelList(kind, models));
    return { listed, count: models.length };
  },

  record: ({ listed, count }) => ({
    entry: { status: 200, code: successCode, numbers: {} },
    details: {
      output_content: { models: count },
      upstreams: listed.map(({ upstream, models, fault }) => ({
        name: upstream.name,
        models: models.length,
        ...(fault === null ? {} : { fault }),
      })),
    },
    remembers: null,
  }),
});

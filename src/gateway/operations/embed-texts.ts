// Owns embeddings: those of the own model are computed here, others are passed on.

import type { Exchange } from "../../calls/exchange.ts";
import type { Preparation } from "../../calls/operation.ts";
import { Refusal, successCode } from "../../errors.ts";
import type { JsonObject } from "../../json/json.ts";
import {
  embeddings,
  ownModel,
  readEmbeddings,
  requireDimensions,
  toEmbeddingsAnswer,
} from "../embeddings-request.ts";
import { type PassedOn, toDetails, toEntry } from "../exchange-record.ts";
import { type KeptRequest, keepRequest } from "../kept-request.ts";
import { passOn, readReceived } from "../pass-on.ts";
import { type Exchanged, gatewayOperation } from "./gateway-operation.ts";
import { holdJson } from "./hold-json.ts";

interface Embedded {
  readonly request: KeptRequest;
  readonly texts: number;
  readonly dimensions: number;
}

export const embedTexts = gatewayOperation<PassedOn | Embedded>({
  name: "gateway.embeddings",
  summary: "Embed texts",
  description: `OpenAI Embeddings. The model ${ownModel} is that of the memories, and its answer is computed here, with an estimate of the tokens; other models are passed on.`,
  exampleBody: { model: ownModel, input: "When does the contract end?" },

  exchange(preparation, exchange) {
    const isOwn = readReceived(exchange.body).model === ownModel;
    return isOwn ? embed(preparation, exchange) : passOn(embeddings, preparation, exchange);
  },

  record(result, _preparation, { isErasedMeanwhile }) {
    if ("texts" in result) return toExchanged(result);
    return { entry: toEntry(result), details: toDetails(result, isErasedMeanwhile), remembers: null };
  },
});

async function embed(preparation: Preparation, exchange: Exchange): Promise<Embedded> {
  const body = readReceived(exchange.body);
  const request = keepRequest(embeddings.dialect.record(body));
  exchange.releaseBody();
  try {
    const wanted = readEmbeddings(body);
    const vectors = await Promise.all(wanted.texts.map((text) => preparation.embed(text, "passage")));
    const dimensions = vectors[0]?.length ?? 0;
    requireDimensions(wanted.dimensions, dimensions);
    holdJson(exchange, toEmbeddingsAnswer(vectors, wanted));
    return { request, texts: vectors.length, dimensions };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { body: request_body, input: input_content } = request();
    throw error.withDetails({ model_id: ownModel, request_body, input_content });
  }
}

function toExchanged({ request, texts, dimensions }: Embedded): Exchanged {
  const { body: request_body, input: input_content } = request();
  const output: JsonObject = { embeddings: texts, dimensions };
  return {
    entry: { status: 200, code: successCode, numbers: {} },
    details: { model_id: ownModel, request_body, input_content, output_content: output },
    remembers: null,
  };
}

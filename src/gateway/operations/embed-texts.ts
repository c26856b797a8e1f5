// Owns embeddings: those of the own model are computed here, others are passed on.

import type { Exchange } from "../../calls/exchange.ts";
import type { Preparation } from "../../calls/operation.ts";
import { Refusal, successCode } from "../../errors.ts";
import type { JsonObject } from "../../json/json.ts";
import {
  embeddings,
  isOwnModel,
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
  readonly model: string;
  readonly request: KeptRequest;
  readonly texts: number;
  readonly dimensions: number;
}

export const embedTexts = gatewayOperation<PassedOn | Embedded>({
  name: "gateway.embeddings",
  summary: "Embed texts",
  description:
    "OpenAI Embeddings. The answer of the model of the memories is computed here, with an estimate of the tokens; other models are passed on.",
  exampleBody: { model: "memledger-embed-v2", input: "When does the contract end?" },

  exchange(preparation, exchange) {
    const isOwn = isOwnModel(readReceived(exchange.body).model, preparation.embeddingModel);
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
  const { embeddingModel: model } = preparation;
  try {
    const wanted = readEmbeddings(body);
    const vectors = await Promise.all(wanted.texts.map((text) => preparation.embed(text, "passage")));
    const dimensions = vectors[0]?.length ?? 0;
    requireDimensions(wanted.dimensions, dimensions, model);
    holdJson(exchange, toEmbeddingsAnswer(vectors, wanted, model));
    return { model, request, texts: vectors.length, dimensions };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { body: request_body, input: input_content } = request();
    throw error.withDetails({ model_id: model, request_body, input_content });
  }
}

function toExchanged({ model, request, texts, dimensions }: Embedded): Exchanged {
  const { body: request_body, input: input_content } = request();
  const output: JsonObject = { embeddings: texts, dimensions };
  return {
    entry: { status: 200, code: successCode, numbers: {} },
    details: { model_id: model, request_body, input_content, output_content: output },
    remembers: null,
  };
}

// Owns embeddings: those of the own model are computed here, others are passed on.

import { isOwnModel, requireDimensions, toEmbeddingsAnswer } from "../../../gateway/embeddings-request.ts";
import { Refusal, successCode } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { Preparation } from "../../contract/operation.ts";
import { type PassedOn, toDetails, toEntry } from "./exchange-record.ts";
import { type Exchanged, gatewayOperation } from "./gateway-operation.ts";
import { answerWithJson } from "./json-answer.ts";
import { type Conversation, passOn } from "./pass-on.ts";
import { readRequest } from "./read-request.ts";

const embeddings: Conversation = {
  dialect: "embeddings",
  kind: "openai",
  path: "/embeddings",
  asksForUsage: false,
  assembler: "embeddings",
};

interface Embedded {
  readonly model: string;
  readonly texts: number;
  readonly dimensions: number;
}

export const embedTexts = gatewayOperation<PassedOn | Embedded>({
  name: "gateway.embeddings",
  summary: "Embed texts",
  description:
    "OpenAI Embeddings. The answer of the model of the memories is computed here, with an estimate of the tokens; other models are passed on.",
  exampleBody: { model: "memledger-embed-v3", input: "When does the contract end?" },

  async exchange(preparation, exchange) {
    const { model, kept } = await readRequest("embeddings", preparation, exchange);
    const isOwn = isOwnModel(model, preparation.embeddingModel);
    if (!isOwn) return passOn(embeddings, preparation, exchange);
    exchange.keep(kept);
    return embed(preparation, exchange);
  },

  record(result, _preparation, { isErasedMeanwhile }) {
    if ("texts" in result) return toExchanged(result);
    return { entry: toEntry(result), details: toDetails(result, isErasedMeanwhile), remembers: null };
  },
});

async function embed(preparation: Preparation, exchange: Exchange): Promise<Embedded> {
  const { embeddingModel: model, bodies, caller, signal } = preparation;
  try {
    const wanted = await bodies.readEmbeddings(exchange.body, { project: caller.project.id, signal });
    exchange.releaseBody();
    const vectors = await Promise.all(wanted.texts.map((text) => preparation.embed(text, "passage")));
    const dimensions = vectors[0]?.length ?? 0;
    requireDimensions(wanted.dimensions, dimensions, model);
    answerWithJson(exchange, toEmbeddingsAnswer(vectors, wanted, model));
    return { model, texts: vectors.length, dimensions };
  } catch (error) {
    throw error instanceof Refusal ? error.withDetails({ model_id: model }) : error;
  }
}

function toExchanged({ model, texts, dimensions }: Embedded): Exchanged {
  const output: JsonObject = { embeddings: texts, dimensions };
  return {
    entry: { status: 200, code: successCode, numbers: {} },
    details: { model_id: model, output_content: output },
    remembers: null,
  };
}

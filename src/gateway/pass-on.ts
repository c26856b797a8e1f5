// Owns how a request with a conversation is passed on: read, memory, upstream, answer. Its steps happen once, also when the call is prepared
// again. Must never send anything before the record of the injection is committed.

import type { Exchange } from "../calls/exchange.ts";
import type { Preparation } from "../calls/operation.ts";
import { Refusal } from "../errors.ts";
import type { AnswerAssembler } from "./answer/assembled.ts";
import { type Chosen, chooseTarget } from "./choose-target.ts";
import type { ChatRequest, Dialect } from "./dialects/dialect.ts";
import { decodeBody, type RequestBody, readBody } from "./dialects/request-body.ts";
import { describeInjection, describeTarget, type PassedOn, withRequest } from "./exchange-record.ts";
import { headersToClient, headersToUpstream, isRedirect } from "./headers.ts";
import { findMemory, type Injection, memoriesPutIn } from "./injection.ts";
import { keepRequest } from "./kept-request.ts";
import { relay } from "./relay.ts";
import { openAnswers } from "./repeat.ts";
import { memoryFor } from "./request-settings.ts";
import { toTargetUrl } from "./target-url.ts";
import { redirected, toUpstreamRefusal } from "./upstream-refusals.ts";

export interface Conversation {
  readonly dialect: Pick<Dialect, "kind" | "read" | "record" | "change">;
  /** Without `/v1`. */
  readonly path: string;
  /** Whether streams are asked for their usage, where the upstream allows it. */
  readonly asksForUsage: boolean;
  assemble(request: ChatRequest): AnswerAssembler;
}

/** @throws Refusal of which nothing was sent to the client; its details are those of the record */
export async function passOn(
  conversation: Conversation,
  preparation: Preparation,
  exchange: Exchange,
): Promise<PassedOn> {
  const body = readReceived(exchange.body);
  const request = keepRequest(conversation.dialect.record(body));
  try {
    return await passOnRead(conversation, preparation, exchange, body, request);
  } catch (error) {
    throw error instanceof Refusal ? withRequest(error, request) : error;
  }
}

async function passOnRead(
  { dialect, path, asksForUsage, assemble }: Conversation,
  preparation: Preparation,
  exchange: Exchange,
  body: RequestBody,
  request: PassedOn["request"],
): Promise<PassedOn> {
  const { gateway, caller, signal, within } = preparation;
  const { model } = body;
  const read = dialect.read(body);
  const target = chooseTarget(gateway.upstreams, model, dialect.kind, exchange.headers);
  const { upstream } = target;
  let injection: Injection | null = null;
  try {
    const ask = await openAnswers(preparation, exchange);
    const memory = memoryFor(target.settings.memory, caller.key.gateway, upstream.memory);
    injection = await findMemory(preparation, read, memory);
    const changes = { prompt: injection.prompt, asksForUsage: asksForUsage && upstream.asksForUsage };
    const changed = dialect.change(body, changes);
    const outgoing = {
      url: toTargetUrl(upstream, path, exchange.search),
      method: "POST" as const,
      headers: headersToUpstream(exchange.headers, target),
      body: new TextEncoder().encode(changed.text),
      idleMaxMs: upstream.timeoutSeconds * 1_000,
      signal,
      onSent: () => exchange.releaseBody(),
    };
    using answering = await ask(outgoing, read);
    const { answer, repeats, keep, ended } = answering;
    if (isRedirect(answer.status)) {
      answer.close();
      throw redirected(upstream.name, answer.status);
    }
    const memories = memoriesPutIn(injection, changed);
    const headers = toAnswerHeaders(answer.headers, injection, memories.length);
    if (repeats !== null) headers.set("Memledger-Cache", "hit");
    exchange.begin({ status: answer.status, headers });
    const assembler = assemble(read);
    const { removesUsageEvent } = changed;
    const { status } = answer;
    const relayed = await relay(exchange, {
      answer,
      assembler,
      removesUsageEvent,
      onChunk: keep,
      within,
    });
    const assembled = assembler.answer();
    ended({ ...read, status, isComplete: relayed.end === "complete" && isWhole(assembled) });
    return {
      upstream,
      model,
      request,
      settings: target.settings,
      injection,
      memories,
      status,
      relayed,
      answer: assembled,
      repeats,
    };
  } catch (error) {
    throw withTarget(toUpstreamRefusal(error, upstream.name), target, model, injection);
  }
}

function isWhole({ isComplete, error }: ReturnType<AnswerAssembler["answer"]>): boolean {
  return isComplete && error === null;
}

/** @throws Refusal 1400 or 1415 with the digest of the body */
export function readReceived(bytes: Uint8Array): RequestBody {
  try {
    return readBody(decodeBody(bytes));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    throw error.withDetails({ unreadable_body: { length: bytes.length, sha256 } });
  }
}

function withTarget(
  error: unknown,
  { upstream }: Chosen,
  model: string,
  injection: Injection | null,
): unknown {
  if (!(error instanceof Refusal)) return error;
  const memory = injection === null ? {} : describeInjection(injection, null);
  return error.withDetails({ ...describeTarget(upstream, model), ...memory });
}

function toAnswerHeaders(received: Headers, { outcome, recordId }: Injection, count: number): Headers {
  const headers = headersToClient(received);
  headers.set("Memledger-Memory", outcome === "found" ? `injected=${count}` : outcome);
  if (recordId !== null) headers.set("Memledger-Injection-Record", recordId);
  return headers;
}

// Owns how a request with a conversation is passed on: read, memory, upstream, answer. Its steps happen once, also when the call is prepared
// again. Must never send anything before the record of the injection is committed.

import type { AssemblerName } from "../../../gateway/answer/assemblers.ts";
import { createWholeAnswer } from "../../../gateway/answer/whole-answer.ts";
import type { ReadableName } from "../../../gateway/body-steps.ts";
import type { ChatRequest } from "../../../gateway/dialects/dialect.ts";
import { UpstreamFault } from "../../../gateway/forwarding.ts";
import { headersToClient, headersToUpstream } from "../../../gateway/headers.ts";
import { memoryFor } from "../../../gateway/request-settings.ts";
import { requireWholeProject } from "../../../gateway/stored-state.ts";
import { toTargetUrl } from "../../../gateway/target-url.ts";
import type { UpstreamKind } from "../../../gateway/upstream.ts";
import { refuseRedirect, toUpstreamRefusal } from "../../../gateway/upstream-refusals.ts";
import { describeTold } from "../../../memory/extraction/told.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { Preparation } from "../../contract/operation.ts";
import { chooseTarget } from "./choose-target.ts";
import { describeInjection, describeTarget, type PassedOn } from "./exchange-record.ts";
import {
  findMemory,
  type Injection,
  keepSection,
  memoriesPutIn,
  sectionsPutIn,
  toChanges,
} from "./injection.ts";
import { readRequest } from "./read-request.ts";
import { relay } from "./relay.ts";

export interface Conversation {
  readonly dialect: ReadableName;
  readonly kind: UpstreamKind;
  /** Without `/v1`. */
  readonly path: string;
  /** Whether streams are asked for their usage, where the upstream allows it. */
  readonly asksForUsage: boolean;
  readonly assembler: AssemblerName;
}

/** @throws Refusal of which nothing was sent to the client; its details are those of the record */
export async function passOn(
  conversation: Conversation,
  preparation: Preparation,
  exchange: Exchange,
): Promise<PassedOn> {
  const { model, kept, read } = await readRequest(conversation.dialect, preparation, exchange);
  exchange.keep(kept);
  if ("code" in read) throw new Refusal(read.code, read.message, read.data);
  return await passOnRead(conversation, preparation, exchange, model, read);
}

async function passOnRead(
  { dialect, kind, path, asksForUsage, assembler: name }: Conversation,
  preparation: Preparation,
  exchange: Exchange,
  model: string,
  read: ChatRequest,
): Promise<PassedOn> {
  const { forward, gateway, bodies, caller, signal, within } = preparation;
  if (read.isContinued) requireWholeProject(caller);
  const target = chooseTarget(gateway.upstreams, model, kind, exchange.headers);
  const { upstream } = target;
  let injection: Injection | null = null;
  /** Of what was sent, or may have been. */
  let told: JsonObject = {};
  // Beside the search for memory, so that a request with memory hardly waits for it.
  const opening = exchange.open(describeTarget(upstream, model));
  const whenOpened = opening.catch(() => {});
  try {
    const memory = memoryFor(target.settings.memory, caller.key.gateway, upstream.memory);
    injection = await findMemory(preparation, read, memory);
    const changes = { ...toChanges(injection), asksForUsage: asksForUsage && upstream.asksForUsage };
    const waiter = { project: caller.project.id, signal };
    const changed = await bodies.change(dialect, exchange.body, changes, waiter);
    keepSection(preparation, injection, changed);
    const outgoing = {
      url: toTargetUrl(upstream, path, exchange.search),
      method: "POST" as const,
      headers: headersToUpstream(exchange.headers, target),
      body: changed.body,
      idleMaxMs: upstream.timeoutSeconds * 1_000,
      signal,
      onSent: () => exchange.releaseBody(),
    };
    const put = memoriesPutIn(injection, changed);
    await opening;
    told = describeTold(put, sectionsPutIn(changes, changed));
    const answer = await forward(outgoing);
    refuseRedirect(answer, upstream.name);
    const { status } = answer;
    exchange.begin({ status, headers: toAnswerHeaders(answer.headers, injection, put.length) });
    const assembler = createWholeAnswer(bodies, name, read.choices);
    const { removesUsageEvent } = changed;
    const relayed = await relay(exchange, { answer, assembler, removesUsageEvent, within });
    return {
      upstream,
      model,
      settings: target.settings,
      isConversationTask: read.isConversationTask,
      injection,
      memories: put.map(({ result }) => result),
      told,
      status,
      relayed,
      answer: await assembler.assembled(),
    };
  } catch (error) {
    await whenOpened;
    if (error instanceof UpstreamFault && error.kind === "unreachable") told = {};
    const refusal = toUpstreamRefusal(error, upstream.name);
    if (!(refusal instanceof Refusal)) throw refusal;
    const memory = injection === null ? {} : describeInjection(injection, null);
    throw refusal.withDetails({ ...describeTarget(upstream, model), ...memory, ...told });
  }
}

function toAnswerHeaders(received: Headers, { outcome, recordId }: Injection, count: number): Headers {
  const headers = headersToClient(received);
  headers.set("Memledger-Memory", outcome === "found" ? `injected=${count}` : outcome);
  if (recordId !== null) headers.set("Memledger-Injection-Record", recordId);
  return headers;
}

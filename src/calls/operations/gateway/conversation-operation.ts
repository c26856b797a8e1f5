// Owns the operations that pass on a conversation: with memory, and with a record of what was said and what was answered.

import { chooseUpstream } from "../../../gateway/choose-upstream.ts";
import type { DialectName } from "../../../gateway/dialects/dialect.ts";
import { dialects } from "../../../gateway/dialects/dialects.ts";
import { memoryFor, remembersFor } from "../../../gateway/request-settings.ts";
import { Refusal, successCode } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { Preparation, ProjectOperation, SubjectReading } from "../../contract/operation.ts";
import { type PassedOn, toDetails, toEntry } from "./exchange-record.ts";
import { gatewayOperation } from "./gateway-operation.ts";
import { type Conversation, passOn } from "./pass-on.ts";
import { readRequest } from "./read-request.ts";
import { chooseRemembering, type Remembering } from "./remembering.ts";

interface Described extends Pick<ProjectOperation, "name" | "summary" | "description"> {
  readonly dialect: DialectName;
  readonly exampleBody: JsonObject;
}

export function conversationOperation({ dialect: name, ...described }: Described): ProjectOperation {
  const { kind, path } = dialects[name];
  const conversation: Conversation = { dialect: name, kind, path, asksForUsage: true, assembler: name };
  return operationOf(described, conversation, chooseForConversation);
}

/** Counts the tokens of a message as it would be sent, so with memory in it. */
export function countingOperation({ dialect: name, ...described }: Described): ProjectOperation {
  const { kind, path } = dialects[name];
  const conversation: Conversation = {
    dialect: name,
    kind,
    path: `${path}/count_tokens`,
    asksForUsage: false,
    assembler: "whole",
  };
  return operationOf(described, conversation, async () => ({ state: null, task: null }));
}

function operationOf(
  described: Omit<Described, "dialect">,
  conversation: Conversation,
  choose: typeof chooseForConversation,
): ProjectOperation {
  return gatewayOperation<PassedOn>({
    ...described,
    readSubject: (exchange, reading) => readSubject(conversation, exchange, reading),
    exchange: (preparation, exchange) => passOn(conversation, preparation, exchange),
    async record(passed, preparation, exchange) {
      const { state, task } = await choose(passed, preparation, exchange);
      const details = toDetails(passed, exchange.isErasedMeanwhile);
      const remembering = state === null ? {} : { remembering: state };
      return { entry: toEntry(passed), details: { ...details, ...remembering }, remembers: task };
    },
  });
}

/** The user of the request, if the setting of its upstream says that this is a subject. @throws Refusal */
async function readSubject(
  { dialect, kind }: Conversation,
  exchange: Exchange,
  reading: SubjectReading,
): Promise<string | null> {
  const { upstreams } = reading.gateway;
  if (!upstreams.some((each) => each.kind === kind && each.subjectFromUser)) return null;
  const { model, user } = await readRequest(dialect, reading, exchange);
  const choice = chooseUpstream(upstreams, model, kind);
  // A request that no upstream gets is recorded all the same, so it is about its user if one of them could be.
  if ("upstream" in choice && !choice.upstream.subjectFromUser) return null;
  if (user === null || typeof user === "string") return user;
  throw new Refusal(user.code, user.message, user.data);
}

/** Only a complete answer is remembered, and only one that the record has. */
function chooseForConversation(
  passed: PassedOn,
  { caller, gateway, store, now }: Preparation,
  { recordId, isErasedMeanwhile }: Exchange,
): Promise<Remembering> {
  const { settings, upstream, answer } = passed;
  const { gateway: said } = caller.key;
  const isAnswered = toEntry(passed).code === successCode && answer.isComplete && answer.error === null;
  return chooseRemembering(store.remembering, {
    caller,
    recordId,
    isWanted: remembersFor(settings, said, gateway.remembers),
    isComplete: isAnswered && !isErasedMeanwhile,
    isConversationTask: passed.isConversationTask,
    tags: memoryFor(settings.memory, said, upstream.memory).tags ?? [],
    now,
  });
}

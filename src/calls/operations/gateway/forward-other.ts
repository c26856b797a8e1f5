// Owns passing on a request that is no conversation, such as one for a file, an image or a stored response: unchanged, to the upstream of its
// model; without a model, to the upstreams of its API in their order, until one has what is asked for. Puts in no memory.

import type { AssemblerName } from "../../../gateway/answer/assemblers.ts";
import { createWholeAnswer } from "../../../gateway/answer/whole-answer.ts";
import { type ForwardedAnswer, UpstreamFault } from "../../../gateway/forwarding.ts";
import { headersToClient, headersToUpstream } from "../../../gateway/headers.ts";
import { type OtherRequest, readOtherRequest } from "../../../gateway/other-request.ts";
import { toTargetUrl } from "../../../gateway/target-url.ts";
import type { UpstreamKind } from "../../../gateway/upstream.ts";
import { refuseRedirect, toUpstreamRefusal } from "../../../gateway/upstream-refusals.ts";
import { Refusal } from "../../../platform/errors.ts";
import type { JsonObject } from "../../../platform/json/json.ts";
import { decodePercent } from "../../../platform/text/percent-encoding.ts";
import type { Exchange } from "../../contract/exchange.ts";
import type { Preparation } from "../../contract/operation.ts";
import { type Chosen, chooseTarget, chooseWithoutModel } from "./choose-target.ts";
import { describeTarget, type PassedOn } from "./exchange-record.ts";
import { nothingFound } from "./injection.ts";
import { relay } from "./relay.ts";

export interface PassedOther extends PassedOn {
  /** An answer that is no JSON, by its digest; null: it is JSON or a stream. */
  readonly file: JsonObject | null;
}

/** @throws Refusal of which nothing was sent to the client; its details are those of the record */
export async function forwardOther(preparation: Preparation, exchange: Exchange): Promise<PassedOther> {
  const { headers, path: received } = exchange;
  const path = received.replace(/^\/v1/, "");
  requirePlainPath(path);
  const { bodies, caller, signal } = preparation;
  const type = headers.get("content-type") ?? "";
  const read = await readOtherRequest(exchange.body, type, path, (...of) =>
    bodies.readOther(...of, { project: caller.project.id, signal }),
  ).catch((error: unknown) => {
    throw toUpstreamRefusal(error, "");
  });
  exchange.keep(read.kept);
  const kind = kindOf(path, headers);
  const { upstreams } = preparation.gateway;
  const targets =
    read.model === null
      ? chooseWithoutModel(upstreams, kind, headers)
      : [chooseTarget(upstreams, read.model, kind, headers)];
  await exchange.open(describeTarget(targets[0]?.upstream ?? null, read.model));
  const { target, answer } = await ask(preparation, exchange, path, targets);
  const { relayed, assembled, file } = await pass(preparation, exchange, { path, read, answer });
  return {
    upstream: target.upstream,
    model: read.model,
    settings: target.settings,
    injection: nothingFound,
    memories: [],
    told: {},
    isConversationTask: false,
    status: answer.status,
    relayed,
    answer: assembled,
    file,
  };
}

/** The API of a request whose path both providers have is that of its headers. */
function kindOf(path: string, headers: Headers): UpstreamKind {
  return headers.has("anthropic-version") || path.startsWith("/messages/") ? "anthropic" : "openai";
}

/** @throws Refusal 1404 for a path that an upstream could read as one outside of its resource */
function requirePlainPath(path: string): void {
  const segments = decodePercent(path)?.split(/[/\\]/).slice(1) ?? [""];
  if (!segments.some((segment) => segment === "" || /^\.\.?$|\p{C}|[%?#]/u.test(segment))) return;
  throw new Refusal(1404, "The path is malformed. Correct the id in it.");
}

/** The statuses of an upstream that has not what is asked for, so it has done nothing. */
const lacksResource: ReadonlySet<number> = new Set([404, 405, 501]);

interface Asked {
  readonly target: Chosen;
  readonly answer: ForwardedAnswer;
}

/** @throws Refusal 1502 or 1504 without an answer */
async function ask(
  { forward, signal }: Preparation,
  exchange: Exchange,
  path: string,
  targets: readonly Chosen[],
): Promise<Asked> {
  const { method, headers, search, body } = exchange;
  for (const [at, target] of targets.entries()) {
    const { upstream } = target;
    const isLast = at === targets.length - 1;
    try {
      const answer = await forward({
        url: toTargetUrl(upstream, path, search),
        method: method === "POST" || method === "DELETE" ? method : "GET",
        headers: headersToUpstream(headers, target),
        body: method === "POST" ? body : null,
        idleMaxMs: upstream.timeoutSeconds * 1_000,
        signal,
        ...(isLast ? { onSent: () => exchange.releaseBody() } : {}),
      });
      refuseRedirect(answer, upstream.name);
      if (isLast || !lacksResource.has(answer.status)) return { target, answer };
      answer.close();
    } catch (error) {
      if (!isLast && error instanceof UpstreamFault && error.kind === "unreachable") continue;
      const refusal = toUpstreamRefusal(error, upstream.name);
      throw refusal instanceof Refusal ? refusal.withDetails(describeTarget(upstream, null)) : refusal;
    }
  }
  throw new Error("there is no upstream to ask");
}

interface Passing {
  readonly path: string;
  readonly read: OtherRequest;
  readonly answer: ForwardedAnswer;
}

async function pass({ within, bodies }: Preparation, exchange: Exchange, { path, read, answer }: Passing) {
  exchange.releaseBody();
  exchange.begin({ status: answer.status, headers: headersToClient(answer.headers) });
  const type = answer.headers.get("content-type") ?? "";
  const isFile = answer.status < 400 && type !== "" && !/\bjson\b|^text\/event-stream\b/i.test(type);
  const name = assemblerFor(path, read.isStream || /^text\/event-stream\b/i.test(type));
  const assembler = createWholeAnswer(bodies, name, 1);
  const hasher = new Bun.CryptoHasher("sha256");
  let bytes = 0;
  const onChunk = (chunk: Uint8Array) => {
    bytes += chunk.length;
    if (isFile) hasher.update(chunk);
  };
  const relayed = await relay(exchange, { answer, assembler, removesUsageEvent: false, onChunk, within });
  const file = isFile ? { media_type: type, bytes, sha256: hasher.digest("hex") } : null;
  return { relayed, assembled: await assembler.assembled(), file };
}

/** What is no conversation is recorded as it is. */
function assemblerFor(path: string, isStream: boolean): AssemblerName {
  if (path === "/completions") return "chat";
  return isStream && path.startsWith("/responses/") ? "responses" : "whole";
}

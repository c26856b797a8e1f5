// Owns the list of models: what upstreams report and what the configuration names, in the form of the API that asks. Must never fail because
// an upstream does.

import { readObject } from "../../../gateway/answer/parts.ts";
import { chooseUpstream } from "../../../gateway/choose-upstream.ts";
import { UpstreamFault } from "../../../gateway/forwarding.ts";
import { headersToUpstream } from "../../../gateway/headers.ts";
import { modelsMax, modelsMaxBytes, modelsMaxMs } from "../../../gateway/limits.ts";
import { toTargetUrl } from "../../../gateway/target-url.ts";
import { isProtected, type Upstream, type UpstreamKind } from "../../../gateway/upstream.ts";
import { isObject, type Json, type JsonObject, objectsIn, textIn } from "../../../platform/json/json.ts";
import type { Preparation } from "../../contract/operation.ts";

/** What an upstream has answered. */
export interface Listed {
  readonly upstream: Upstream;
  /** As the upstream describes them. */
  readonly models: readonly JsonObject[];
  /** Why it has reported none; null: it has. */
  readonly fault: string | null;
}

/** All upstreams of a kind at the same time. If there are several, none gets a key of the client, because all of them would. */
export function listUpstreams(preparation: Preparation, kind: UpstreamKind, headers: Headers) {
  const { upstreams } = preparation.gateway;
  const asked = upstreams.filter((upstream) => upstream.kind === kind);
  const isOnly = asked.length === 1;
  return Promise.all(asked.map((upstream) => listUpstream(preparation, upstream, headers, isOnly)));
}

async function listUpstream(
  { forward, within, signal }: Preparation,
  upstream: Upstream,
  received: Headers,
  isOnly: boolean,
): Promise<Listed> {
  const { kind, apiKey: key } = upstream;
  const failed = (fault: string): Listed => ({ upstream, models: [], fault });
  const over = new AbortController();
  const passesCredentials = isOnly && isProtected(upstream);
  const headers = headersToUpstream(received, { kind, key, passesCredentials });
  headers.delete("content-type");
  const request = {
    url: toTargetUrl(upstream, "/models", kind === "anthropic" ? "?limit=1000" : ""),
    method: "GET" as const,
    headers,
    body: null,
    idleMaxMs: modelsMaxMs,
    signal: AbortSignal.any([signal, over.signal]),
  };
  try {
    const listed = await within(modelsMaxMs, receive(forward, request));
    if (listed === undefined) return failed("late");
    const { status, text } = listed;
    const models = objectsIn(readObject(text)?.data);
    if (status !== 200) return failed(`status ${status}`);
    return { upstream, models: models.slice(0, modelsMax), fault: null };
  } catch (error) {
    if (error instanceof UpstreamFault) return failed(error.message);
    throw error;
  } finally {
    over.abort();
  }
}

async function receive(forward: Preparation["forward"], request: Parameters<Preparation["forward"]>[0]) {
  const { status, chunks } = await forward(request);
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > modelsMaxBytes) break;
    parts.push(chunk);
  }
  return { status, text: new TextDecoder().decode(Buffer.concat(parts)) };
}

/** Each model once: those that the upstream would get, and the names in the configuration that are no patterns; then the model of the memories. */
export function mergeModels(
  upstreams: readonly Upstream[],
  kind: UpstreamKind,
  listed: readonly Listed[],
  embeddingModel: string,
): readonly JsonObject[] {
  const merged = new Map<string, JsonObject>();
  for (const { upstream, models } of listed) {
    const named = upstream.models.filter((name) => !name.includes("*")).map((id) => described(id, upstream));
    for (const model of [...models, ...named]) {
      const id = textIn(model.id);
      if (id === null || merged.has(id)) continue;
      const choice = chooseUpstream(upstreams, id, kind);
      if ("upstream" in choice && choice.upstream === upstream) merged.set(id, model);
    }
  }
  const own = kind === "openai" ? [toOpenAi(embeddingModel, "memledger")] : [];
  return [...merged.values(), ...own];
}

function described(id: string, { kind, name }: Upstream): JsonObject {
  if (kind === "openai") return toOpenAi(id, name);
  return { type: "model", id, display_name: id, created_at: "1970-01-01T00:00:00Z" };
}

function toOpenAi(id: string, owner: string): JsonObject {
  return { id, object: "model", created: 0, owned_by: owner };
}

export function toModelList(kind: UpstreamKind, models: readonly JsonObject[]): JsonObject {
  if (kind === "openai") return { object: "list", data: models };
  const idOf = (model: Json | undefined) => (isObject(model) ? textIn(model.id) : null);
  return { data: models, has_more: false, first_id: idOf(models[0]), last_id: idOf(models.at(-1)) };
}

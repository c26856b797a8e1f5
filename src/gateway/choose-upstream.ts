// Owns the choice of the upstream for a model: the first in the order of the configuration that names it. Pure.

import { matches } from "./model-pattern.ts";
import type { Upstream, UpstreamKind } from "./upstream.ts";

export type Choice =
  | { readonly upstream: Upstream }
  /** No upstream names the model; or only ones of another kind do. */
  | { readonly fault: "no upstreams" | "no match" | "other kind" };

export function chooseUpstream(upstreams: readonly Upstream[], model: string, kind: UpstreamKind): Choice {
  if (upstreams.length === 0) return { fault: "no upstreams" };
  const named = upstreams.filter(({ models }) => models.some((pattern) => matches(pattern, model)));
  const upstream = named.find((each) => each.kind === kind);
  if (upstream !== undefined) return { upstream };
  return { fault: named.length === 0 ? "no match" : "other kind" };
}

/** The message for a model without an upstream. */
export function explainChoice(fault: "no upstreams" | "no match" | "other kind", kind: UpstreamKind): string {
  switch (fault) {
    case "no upstreams":
      return "The gateway has no upstream. Add a table [[gateway.upstreams]] to memledger.toml, and restart the server.";
    case "no match":
      return "No upstream of the gateway has this model. Use a model of GET /v1/models, or add its name to models of an upstream.";
    case "other kind":
      return `The upstreams with this model have another API. Use the other API, or add an upstream with kind = "${kind}".`;
  }
}

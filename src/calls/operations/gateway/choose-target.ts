// Owns where a request goes: the upstream of its model, and the key that it gets. Must never let a key of a client out over plain HTTP.

import { chooseUpstream, explainChoice } from "../../../gateway/choose-upstream.ts";
import type { UpstreamAuthorisation } from "../../../gateway/headers.ts";
import { type RequestSettings, readRequestSettings } from "../../../gateway/request-settings.ts";
import { findKeyFault, isProtected, type Upstream, type UpstreamKind } from "../../../gateway/upstream.ts";
import { Refusal } from "../../../platform/errors.ts";
import { describeTarget } from "./exchange-record.ts";

export interface Chosen extends UpstreamAuthorisation {
  readonly upstream: Upstream;
  readonly settings: RequestSettings;
}

/** @throws Refusal 1400 for a malformed header or a key that cannot be sent, and 1404 without an upstream for the model */
export function chooseTarget(
  upstreams: readonly Upstream[],
  model: string,
  kind: UpstreamKind,
  headers: Headers,
): Chosen {
  const settings = readRequestSettings(headers);
  const choice = chooseUpstream(upstreams, model, kind);
  if ("fault" in choice) {
    const data = { field: "model", reason: "has no upstream" };
    const refusal = new Refusal(1404, explainChoice(choice.fault, kind), data);
    throw refusal.withDetails(describeTarget(null, model));
  }
  const { upstream } = choice;
  requireSendable(upstream, settings.upstreamKey);
  const key = settings.upstreamKey ?? upstream.apiKey;
  return { upstream, kind, key, passesCredentials: isProtected(upstream), settings };
}

/**
 * The upstreams of a request that names no model, in the order in which they are asked. A key or a login of the client is for one upstream:
 * with a key, only the first one is asked, and a login is passed on only if there is one.
 * @throws Refusal 1400 and 1404 as chooseTarget
 */
export function chooseWithoutModel(
  upstreams: readonly Upstream[],
  kind: UpstreamKind,
  headers: Headers,
): readonly Chosen[] {
  const settings = readRequestSettings(headers);
  const { upstreamKey } = settings;
  const ofKind = upstreams.filter((each) => each.kind === kind);
  const asked = upstreamKey === null ? ofKind : ofKind.slice(0, 1);
  if (asked.length === 0) {
    throw new Refusal(1404, explainChoice(upstreams.length === 0 ? "no upstreams" : "other kind", kind));
  }
  return asked.map((upstream) => {
    requireSendable(upstream, upstreamKey);
    const passesCredentials = asked.length === 1 && isProtected(upstream);
    return { upstream, kind, key: upstreamKey ?? upstream.apiKey, passesCredentials, settings };
  });
}

/** @throws Refusal 1400. Its message does not contain the key. */
function requireSendable({ baseUrl, allowsPlainHttp, name }: Upstream, key: string | null): void {
  const fault = findKeyFault(baseUrl, key, allowsPlainHttp);
  if (fault === null) return;
  throw new Refusal(
    1400,
    `The key in Memledger-Upstream-Key cannot be sent to the upstream "${name}": ${fault}`,
    {
      field: "Memledger-Upstream-Key",
      reason: "cannot be sent to the upstream",
    },
  );
}

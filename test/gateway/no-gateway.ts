// The configuration of a gateway without upstreams, for tests that assemble the parts of a call themselves.

import type { Forward } from "../../src/gateway/forwarding.ts";
import type { GatewayConfig } from "../../src/gateway/gateway-config.ts";
import type { InjectedSections } from "../../src/gateway/injected-sections.ts";
import type { MemoryOutcomes } from "../../src/gateway/memory-outcomes.ts";

export const noGateway: GatewayConfig = {
  upstreams: [],
  exchangesMax: 1,
  exchangesPerKeyMax: 1,
  remembers: false,
  rememberDetail: "full",
};

export const nobodyCounts: Pick<MemoryOutcomes, "count"> = { count() {} };

export const cannotForward: Forward = async () => {
  throw new Error("nothing is forwarded here");
};

export const nothingKept: InjectedSections = { find: () => null, keep() {} };

// Owns what the operations of the gateway use besides the caller and the store.

import type { Bodies } from "./bodies.ts";
import type { Forward } from "./forwarding.ts";
import type { GatewayConfig } from "./gateway-config.ts";
import type { InjectedSections } from "./injected-sections.ts";
import type { MemoryOutcomes } from "./memory-outcomes.ts";

export interface GatewayTools {
  readonly gateway: GatewayConfig;
  /** Sends a request to an upstream. */
  readonly forward: Forward;
  /** Counts what became of the memory of requests. */
  readonly memoryOutcomes: Pick<MemoryOutcomes, "count">;
  /** What was put into earlier messages of conversations. */
  readonly injectedSections: InjectedSections;
  readonly bodies: Bodies;
}

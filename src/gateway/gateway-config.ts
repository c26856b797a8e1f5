// Owns what the gateway is configured with. How it is written in memledger.toml is in config/. Must never be printed: it contains keys.

import type { ExtractionDetail } from "../memory/extraction/extractor.ts";
import type { Upstream } from "./upstream.ts";

export interface GatewayConfig {
  /** In the order in which they are searched for a model; empty: the gateway forwards nothing. */
  readonly upstreams: readonly Upstream[];
  /** Requests that are forwarded at once: in all, and of one key. */
  readonly exchangesMax: number;
  readonly exchangesPerKeyMax: number;
  /** Whether memories are extracted from conversations, unless the request or its key says otherwise. */
  readonly remembers: boolean;
  /** How much of a conversation becomes a memory. */
  readonly rememberDetail: ExtractionDetail;
}

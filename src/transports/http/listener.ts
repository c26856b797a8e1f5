// Owns the type Listener: what the HTTP API must know of the socket that a request came through.

import type { ReadSender } from "./sender.ts";
import type { WebPageCheck } from "./web-page-check.ts";

export interface Listener {
  readonly isTls: boolean;
  readonly readSender: ReadSender;
  /** The client's address, as far as it can be trusted; null: the socket has none. */
  addressOf(request: Request): string | null;
  readonly webPageFault: WebPageCheck;
  /** Closes the connection of the request after this time without traffic; 0: never. */
  setIdleTimeout(request: Request, seconds: number): void;
}

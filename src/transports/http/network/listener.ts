// Owns the type Listener: what the HTTP API must know of the socket that a request came through.

import type { ConsoleListener } from "../console/session-sender.ts";
import type { ReadSender } from "../sender.ts";

export interface Listener {
  readonly isTls: boolean;
  readonly readSender: ReadSender;
  /** The client's address, as far as it can be trusted; null: the socket has none. */
  addressOf(request: Request): string | null;
  /** For /mcp: why a web page may have sent the request, and what to do; null: nothing suggests it. */
  webPageFault(headers: Headers): string | null;
  /** The same for every other path. */
  hostFault(request: Request): string | null;
  /** Null: the console cannot be used through this socket. */
  readonly console: ConsoleListener | null;
  /** Adds what browsers must know to every answer. */
  addHeaders(request: Request, response: Response): void;
  /** Closes the connection of the request after this time without traffic; 0: never. */
  setIdleTimeout(request: Request, seconds: number): void;
}

// Owns the interface of forwarding: one request to an upstream, and its answer as it arrives. Must never depend on a network.

export interface ForwardedRequest {
  readonly url: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly headers: Headers;
  /** Null: no body. */
  readonly body: Uint8Array | null;
  /** How long the upstream may be silent, before its answer and in it. */
  readonly idleMaxMs: number;
  /** Aborted when nobody waits for the answer any more: the connection is closed. */
  readonly signal: AbortSignal;
  /** Called once, when the body was sent or will not be. */
  readonly onSent?: () => void;
}

export interface ForwardedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /**
   * The body as it was sent, never decompressed. Little is read ahead: an upstream waits for a reader that is slow. Ending the iteration
   * before its end closes the connection. @throws UpstreamFault when the answer breaks off
   */
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Closes the connection. For answers whose chunks nobody reads. */
  close(): void;
}

/** Redirects are not followed. @throws UpstreamFault without an answer */
export type Forward = (request: ForwardedRequest) => Promise<ForwardedAnswer>;

/** "unreachable": no connection. "failed": a broken connection, or no HTTP. "late": silent for too long. "cancelled": by the signal. */
export type FaultKind = "unreachable" | "failed" | "late" | "cancelled";

/** Why there is no answer, or not the rest of it. It never contains an address, a header or a body. */
export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  /** Of the system or of TLS, such as ECONNREFUSED; null: none. */
  readonly systemCode: string | null;

  constructor(kind: FaultKind, systemCode: string | null = null) {
    super(systemCode === null ? kind : `${kind} (${systemCode})`);
    this.name = "UpstreamFault";
    this.kind = kind;
    this.systemCode = systemCode;
  }
}

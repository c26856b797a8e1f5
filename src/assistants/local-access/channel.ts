// Owns the type Channel: how a program of the user sends HTTP requests to a memledger server, on this machine or on another one.

/** One request. */
export interface ChannelRequest {
  readonly method: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface Channel {
  /**
   * Sends one request. The body of the response may arrive in parts.
   * @param path begins with a slash, such as `/v1/memories/search`
   * @throws ServerUnreachable, AccessRefused, OutcomeUnknown; what the signal is aborted with
   */
  fetch(path: string, request: ChannelRequest): Promise<Response>;
}

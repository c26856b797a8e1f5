// Owns the life of one call: attempts, the delay between them, the time limit of each, and cancellation.

import { ConnectionFailedError, MemledgerError, RequestTimeoutError } from "./errors.ts";
import { auditMetadataHeader, bodyOf, type Input, type Operation, targetOf } from "./request.ts";
import { readData, readFile, readNothing } from "./response.ts";
import { retryDelayMs } from "./retries.ts";
import { personHeader, readMaxRetries, readTimeoutMs, type Settings } from "./settings.ts";

export type { Operation };

/** Options of one call. */
export interface CallOptions {
  /** Your own markers, such as `{ ticket: "OPS-17" }`: the audit record of the call keeps them. */
  readonly auditMetadata?: Readonly<Record<string, unknown>> | undefined;
  /** The person for whom the call is made, instead of that of the client. */
  readonly onBehalfOf?: string | undefined;
  /** Cancels the call: it rejects with the reason of the signal. The server may have performed it. */
  readonly signal?: AbortSignal | undefined;
  /** Instead of that of the client. */
  readonly timeoutMs?: number | undefined;
  /** Instead of that of the client. */
  readonly maxRetries?: number | undefined;
}

/** How the methods of a client send what they are called with. */
export interface Calls {
  data<Data>(operation: Operation, input: Input, options: CallOptions): Promise<Data>;
  nothing(operation: Operation, input: Input, options: CallOptions): Promise<void>;
  file(operation: Operation, input: Input, options: CallOptions): Promise<Response>;
}

export const timeoutDefaultMs = 60_000;
export const longTimeoutDefaultMs = 600_000;

export function createCalls(settings: Settings): Calls {
  return {
    // What the operation answers is described by the API; it is not checked.
    data: <Data>(operation: Operation, input: Input, options: CallOptions) =>
      send(settings, operation, input, options, readData<Data>),
    nothing: (operation, input, options) => send(settings, operation, input, options, readNothing),
    file: (operation, input, options) => send(settings, operation, input, options, readFile),
  };
}

type Read<Result> = (response: Response) => Promise<Result>;

async function send<Result>(
  settings: Settings,
  operation: Operation,
  input: Input,
  options: CallOptions,
  read: Read<Result>,
): Promise<Result> {
  const { sleep, random } = settings;
  const { isIdempotent } = operation;
  const { signal } = options;
  const request = toRequest(settings, operation, input, options);
  const maxRetries = readMaxRetries(options.maxRetries) ?? settings.maxRetries;
  for (let retries = 0; ; retries++) {
    try {
      return await attempt(settings, request, signal, read);
    } catch (error) {
      const delayMs = retryDelayMs(error, { isIdempotent, retries, random });
      if (delayMs === null || retries >= maxRetries) throw error;
      await sleep(delayMs, signal);
    }
  }
}

interface PreparedRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly timeoutMs: number;
}

function toRequest(
  settings: Settings,
  operation: Operation,
  input: Input,
  options: CallOptions,
): PreparedRequest {
  const body = bodyOf(operation, input);
  const content = body === undefined ? {} : { "Content-Type": "application/json" };
  const headers = {
    ...settings.headers,
    ...content,
    ...personHeader(options.onBehalfOf),
    ...auditMetadataHeader(options.auditMetadata),
  };
  const init: RequestInit = { method: operation.method, headers, redirect: "manual" };
  if (body !== undefined) init.body = body;
  const timeoutMs = readTimeoutMs(options.timeoutMs) ?? settings.timeoutMs;
  return {
    url: settings.baseUrl + targetOf(operation, input),
    init,
    timeoutMs: timeoutMs ?? (operation.mayRunLong ? longTimeoutDefaultMs : timeoutDefaultMs),
  };
}

/** The time limit ends when the result is read; a file is read by the caller. */
async function attempt<Result>(
  { fetch, baseUrl }: Settings,
  { url, init, timeoutMs }: PreparedRequest,
  signal: AbortSignal | undefined,
  read: Read<Result>,
): Promise<Result> {
  signal?.throwIfAborted();
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), timeoutMs);
  const signals = signal === undefined ? [limit.signal] : [limit.signal, signal];
  try {
    return await read(await fetch(url, { ...init, signal: AbortSignal.any(signals) }));
  } catch (error) {
    if (error instanceof MemledgerError) throw error;
    signal?.throwIfAborted();
    if (limit.signal.aborted)
      throw new RequestTimeoutError(
        `No response from ${baseUrl} within ${timeoutMs} ms. The call may have been performed. Increase timeoutMs, or check the server.`,
      );
    const message = `The connection to ${baseUrl} failed. Check that the server runs, and baseUrl.`;
    throw new ConnectionFailedError(message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

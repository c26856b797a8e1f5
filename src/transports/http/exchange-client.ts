// Owns the answer of an exchange on its way to an HTTP client: a stream that is read only as fast as the client takes it, and that ends as
// complete only when it is told so. Must never keep more than one piece of the answer.

import type { AnswerHead, ExchangeClient } from "../../calls/contract/exchange.ts";
import { Refusal } from "../../platform/errors.ts";

export interface ExchangeClientOptions {
  /** Aborted when the client has closed the connection. */
  readonly signal: AbortSignal;
  /** A client that takes nothing for this long is treated as one that has closed the connection. */
  readonly stallMaxMs: number;
  toHeaders(head: AnswerHead, recordId: string): Headers;
}

export interface HttpExchangeClient extends ExchangeClient {
  /** The response, from the first bytes on; null: the exchange has ended, and nothing was sent. To be called once. */
  readonly response: Promise<Response | null>;
  /** Status of the response; null: nothing was sent. */
  readonly status: number | null;
  /** Bytes of the answer that the client has taken, or that wait for it. */
  readonly sentBytes: number;
  /** The exchange is over. */
  close(): void;
}

export function createExchangeClient(options: ExchangeClientOptions): HttpExchangeClient {
  const { signal, stallMaxMs, toHeaders } = options;
  const { promise: response, resolve: respond } = Promise.withResolvers<Response | null>();
  let head: { readonly status: number; readonly headers: Headers } | null = null;
  let stream: AnswerStream | null = null;
  let status: number | null = null;
  let sentBytes = 0;

  const send = (body: ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | null): void => {
    if (head === null) throw new Error("the answer has not begun");
    status = head.status;
    respond(new Response(body, head));
  };
  return {
    response,
    get status() {
      return status;
    },
    get sentBytes() {
      return sentBytes;
    },
    get isBegun() {
      return head !== null;
    },
    begin(begun, recordId) {
      head = { status: begun.status, headers: toHeaders(begun, recordId) };
    },
    async write(bytes) {
      if (signal.aborted) throw gone();
      if (stream === null) {
        stream = createAnswerStream(signal, stallMaxMs);
        send(stream.readable);
      }
      sentBytes += bytes.length;
      await stream.write(bytes);
    },
    end(bytes) {
      for (const piece of bytes) sentBytes += piece.length;
      if (stream === null) send(sentBytes === 0 ? null : Buffer.concat(bytes));
      else stream.end(bytes);
    },
    cut: () => stream?.cut(),
    close: () => respond(null),
  };
}

interface AnswerStream {
  readonly readable: ReadableStream<Uint8Array>;
  /** Resolves when the client can take more. @throws Refusal 1499 */
  write(bytes: Uint8Array): Promise<void>;
  end(bytes: readonly Uint8Array[]): void;
  /** The client gets a connection error instead of the end. */
  cut(): void;
}

function createAnswerStream(signal: AbortSignal, stallMaxMs: number): AnswerStream {
  let controller: ReadableStreamDefaultController<Uint8Array> | null = null;
  let isOver = false;
  let wanted = Promise.withResolvers<void>();
  const stop = () => {
    isOver = true;
    wanted.resolve();
  };
  // Bun reads the next piece when the socket has taken the last one.
  const readable = new ReadableStream<Uint8Array>(
    {
      start(begun) {
        controller = begun;
      },
      pull: () => wanted.resolve(),
      cancel: stop,
    },
    { highWaterMark: 0 },
  );
  signal.addEventListener("abort", stop, { once: true });

  const untilWanted = async (): Promise<void> => {
    const stalled = setTimeout(stop, stallMaxMs);
    await wanted.promise;
    clearTimeout(stalled);
    if (isOver) throw gone();
  };
  return {
    readable,
    async write(bytes) {
      await untilWanted();
      wanted = Promise.withResolvers();
      controller?.enqueue(bytes);
      await untilWanted();
    },
    end(bytes) {
      if (isOver) return cut();
      for (const piece of bytes) if (piece.length > 0) controller?.enqueue(piece);
      close();
    },
    cut,
  };

  function close(): void {
    isOver = true;
    controller?.close();
  }
  /** Bun closes the connection without the last chunk. With an error instead of nothing, it would also print the error. */
  function cut(): void {
    isOver = true;
    // What was written before is sent first.
    setImmediate(() => controller?.error());
  }
}

function gone(): Refusal {
  return new Refusal(
    1499,
    "The client closed the connection before the answer was complete. Send the request again.",
  );
}

// A keep-alive HTTP/1.1 connection that costs the machine as little as possible, since it shares it with the server under
// test. Speaks only what the server answers with: bodies with a Content-Length or in chunks, and 204.

import type { Socket } from "bun";

export interface HttpReply {
  readonly status: number;
  /** The body's bytes as they came, chunked or not, valid until the next call. */
  readonly body: Uint8Array;
}

interface Exchange {
  resolve(reply: HttpReply): void;
  reject(error: Error): void;
}

const headEnd = Buffer.from("\r\n\r\n");
const lastChunk = Buffer.from("\r\n0\r\n\r\n");
const empty = new Uint8Array(0);

/** One call at a time. */
export class Connection {
  #socket: Socket | undefined;
  #exchange: Exchange | undefined;
  #received: Buffer = Buffer.alloc(0);

  static async open(port: number): Promise<Connection> {
    const connection = new Connection();
    connection.#socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data: (_, chunk) => connection.#receive(chunk),
        close: () => connection.#fail(new Error("The server closed the connection.")),
        error: (_, error) => connection.#fail(error),
      },
    });
    return connection;
  }

  /** `request` is a whole request as toRequest makes it. */
  send(request: Uint8Array): Promise<HttpReply> {
    return new Promise((resolve, reject) => {
      this.#exchange = { resolve, reject };
      const written = this.#socket?.write(request) ?? -1;
      if (written !== request.length) this.#fail(new Error(`Only ${written} bytes could be sent.`));
    });
  }

  close(): void {
    this.#exchange = undefined;
    this.#socket?.end();
  }

  #receive(chunk: Buffer): void {
    this.#received = this.#received.length === 0 ? chunk : Buffer.concat([this.#received, chunk]);
    const end = this.#received.indexOf(headEnd);
    if (end < 0) return;
    const head = this.#received.toString("latin1", 0, end);
    const status = Number(head.slice(9, 12));
    const start = end + headEnd.length;
    const length = status === 204 ? 0 : this.#bodyLength(head, start);
    if (Number.isNaN(length)) {
      this.#fail(new Error(`An answer without a length: ${head}`));
      return;
    }
    if (this.#received.length < start + length) return;
    const body = length === 0 ? empty : this.#received.subarray(start, start + length);
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#received = Buffer.alloc(0);
    exchange?.resolve({ status, body });
  }

  /** Infinity while chunks are missing. Answers are JSON or lines of it, so none contains the end of the chunks. */
  #bodyLength(head: string, start: number): number {
    if (!/transfer-encoding: *chunked/i.test(head)) return Number(/content-length: *(\d+)/i.exec(head)?.[1]);
    const isComplete = this.#received.subarray(-lastChunk.length).equals(lastChunk);
    return isComplete ? this.#received.length - start : Number.POSITIVE_INFINITY;
  }

  #fail(error: Error): void {
    this.#exchange?.reject(error);
    this.#exchange = undefined;
  }
}

/** The bytes of a request; `body` is sent as JSON, `headers` are added to those that every request has. */
export function toRequest(
  method: string,
  path: string,
  key: string,
  body?: unknown,
  headers: Readonly<Record<string, string>> = {},
): Uint8Array {
  const fixed = { Host: "127.0.0.1", Authorization: `Bearer ${key}` };
  const text = body === undefined ? "" : JSON.stringify(body);
  const described =
    body === undefined
      ? {}
      : { "Content-Type": "application/json", "Content-Length": String(Buffer.byteLength(text)) };
  const lines = Object.entries({ ...fixed, ...described, ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return Buffer.from([`${method} ${path} HTTP/1.1`, ...lines, "", text].join("\r\n"));
}

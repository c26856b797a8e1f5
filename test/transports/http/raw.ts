// Speaks HTTP/1.1 over a bare socket, for what no client library would send.

import { connect } from "node:net";
import { type Reply, toReply } from "../../fixture.ts";

export interface RawConnection {
  send(...parts: readonly (string | Uint8Array)[]): void;
  /** Says that nothing more will be sent, and still reads. */
  halfClose(): void;
  /** The next answer. @throws when the server closes without one, or sends none within 5 s. */
  next(): Promise<Reply>;
  /** Resolves when the connection is closed, by whomever. */
  readonly closed: Promise<void>;
  close(): void;
}

export function openRaw(port: number): RawConnection {
  const socket = connect({ port, host: "127.0.0.1", allowHalfOpen: true });
  const { promise: closed, resolve: hasClosed } = Promise.withResolvers<void>();
  let received = Buffer.alloc(0);
  let error = new Error("closed");
  let wake = () => {};
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on("end", () => socket.destroy());
  socket.on("error", (cause) => {
    error = cause;
  });
  socket.on("close", () => {
    hasClosed();
    wake();
  });
  return {
    closed,
    send: (...parts) => {
      for (const part of parts) socket.write(part);
    },
    halfClose: () => socket.end(),
    async next() {
      const timer = setTimeout(() => socket.destroy(new Error("no answer within 5 s")), 5_000);
      try {
        for (;;) {
          const answer = parse(received);
          if (answer !== null) {
            received = received.subarray(answer.length);
            return answer.reply;
          }
          if (socket.destroyed)
            throw new Error(`${error.message} after ${received.length} bytes: ${received}`);
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => socket.destroy(),
  };
}

/** Sends the parts one after another and reads the first answer. @throws when the server closes without one. */
export async function sendRaw(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<Reply> {
  const connection = openRaw(port);
  try {
    connection.send(...parts);
    return await connection.next();
  } finally {
    connection.close();
  }
}

/** Null while the answer is not complete; `length` is what it takes of the bytes. */
function parse(bytes: Buffer): { readonly reply: Reply; readonly length: number } | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const length = end + 4 + Number(headers.get("content-length") ?? 0);
  if (bytes.length < length) return null;
  const body = bytes.subarray(end + 4, length);
  return { reply: toReply(Number(statusLine.split(" ")[1]), headers, body.toString()), length };
}

/** The first lines of a request with a key; the caller adds further headers and the empty line. */
export function head(method: string, path: string, key: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
}

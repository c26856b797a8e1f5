// Speaks HTTP/1.1 over a bare socket, for what no client library would send.

import { connect } from "node:net";
import { type Reply, toReply } from "../fixture.ts";

/** Sends the parts one after another and reads the first answer. @throws when the server closes without one. */
export function sendRaw(port: number, ...parts: readonly (string | Uint8Array)[]): Promise<Reply> {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>();
  const socket = connect(port, "127.0.0.1", () => {
    for (const part of parts) socket.write(part);
  });
  let received = Buffer.alloc(0);
  socket.setTimeout(5_000, () => socket.destroy(new Error("no answer within 5 s")));
  socket.on("data", (chunk) => {
    received = Buffer.concat([received, chunk]);
    const reply = parse(received);
    if (reply === null) return;
    resolve(reply);
    socket.destroy();
  });
  socket.on("error", reject);
  socket.on("close", () => reject(new Error(`closed after ${received.length} bytes: ${received}`)));
  return promise;
}

/** Null while the answer is not complete. */
function parse(bytes: Buffer): Reply | null {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [statusLine = "", ...lines] = bytes.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":");
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const body = bytes.subarray(end + 4);
  if (body.length < Number(headers.get("content-length") ?? 0)) return null;
  return toReply(Number(statusLine.split(" ")[1]), headers, body.toString());
}

/** The first lines of a request with a key; the caller adds further headers and the empty line. */
export function head(method: string, path: string, key: string): string {
  return `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n`;
}

// Attacks the memory and the time of a server with bodies that are small to send and large to hold: 1 MiB of empty objects, many at
// once. Only for servers that the caller started itself; sends a bounded number of calls.

import { connect } from "node:net";
import { bodyMaxBytes, jsonMaxValues } from "../../src/platform/limits.ts";

/** A body of `bytes` bytes with as many JSON values as fit: `{"content":[{},{},...],"memory_type":"fact"}`. */
export function manyObjects(bytes = bodyMaxBytes): string {
  const [start, end] = ['{"content":[{}', '],"memory_type":"fact"}'];
  return `${start}${",{}".repeat(Math.floor((bytes - start.length - end.length) / 3))}${end}`;
}

/** A record of the largest size and of as many values as are taken: valid, so that it goes all the way to the disk. */
export function largestRecord(): string {
  const start = '{"action":"gateway.chat","http_status":201,"request_body":{"items":[0';
  const values = `${",0".repeat(jsonMaxValues - 10)}],"rest":"`;
  const end = '"}}';
  return `${start}${values}${"x".repeat(bodyMaxBytes - start.length - values.length - end.length)}${end}`;
}

export interface Flood {
  readonly port: number;
  readonly path: string;
  readonly key: string;
  /** Connections that send at once. */
  readonly clients: number;
  /** Calls of each connection, one after another. */
  readonly calls: number;
  readonly body: string;
}

/** Sends the bodies over bare sockets. Resolves with how often each status was answered; 0: closed without an answer. */
export async function flood({ port, path, key, clients, calls, body }: Flood): Promise<Map<number, number>> {
  const head = `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n`;
  const request = Buffer.from(head + body);
  const counts = new Map<number, number>();
  const count = (status: number) => counts.set(status, (counts.get(status) ?? 0) + 1);
  await Promise.all(Array.from({ length: clients }, () => repeat(port, request, calls, count)));
  return counts;
}

function repeat(port: number, request: Buffer, calls: number, count: (status: number) => void) {
  return new Promise<void>((resolve) => {
    let left = calls;
    let received = "";
    const socket = connect(port, "127.0.0.1", () => socket.write(request));
    socket.setNoDelay(true);
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      const [, status, length] = /^HTTP\/1\.1 (\d+).*?\r\ncontent-length: (\d+)/is.exec(received) ?? [];
      const end = received.indexOf("\r\n\r\n");
      if (status === undefined || end === -1 || received.length < end + 4 + Number(length)) return;
      received = "";
      count(Number(status));
      left -= 1;
      if (left === 0) socket.end();
      else socket.write(request);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      if (left > 0) count(0);
      resolve();
    });
  });
}

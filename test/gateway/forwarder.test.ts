// Forwarding over real connections: answers of upstreams that keep to HTTP, and of those that do not.

import { afterAll, describe, expect, test } from "bun:test";
import { createServer, type Socket } from "node:net";
import { createForwarder } from "../../src/gateway/forwarder.ts";
import { type ForwardedAnswer, type ForwardedRequest, UpstreamFault } from "../../src/gateway/forwarding.ts";
import { createClock } from "../../src/platform/time/clock.ts";

const forwarder = createForwarder(createClock());
const closing: (() => void)[] = [() => forwarder.close()];
afterAll(() => {
  for (const close of closing) close();
});

/** An upstream that answers each request with what `respond` writes; `count` is that of requests on the same connection. */
async function listen(respond: (socket: Socket, head: string, count: number) => void): Promise<string> {
  const server = createServer((socket) => {
    let count = 0;
    socket.on("error", () => {});
    socket.on("data", (data) => {
      count += 1;
      respond(socket, data.toString("latin1"), count);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closing.push(() => server.close());
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  return `http://127.0.0.1:${address.port}`;
}

function toRequest(url: string, other: Partial<ForwardedRequest> = {}): ForwardedRequest {
  const signal = new AbortController().signal;
  const body = new TextEncoder().encode("{}");
  return { url, method: "POST", headers: new Headers(), body, idleMaxMs: 10_000, signal, ...other };
}

async function exchange(url: string, other: Partial<ForwardedRequest> = {}) {
  const answer = await forwarder.forward(toRequest(url, other));
  const { status, headers } = answer;
  return { status, headers, text: await textOf(answer) };
}

async function faultOf(work: Promise<unknown>): Promise<UpstreamFault> {
  const error = await work.then(
    () => null,
    (fault: unknown) => fault,
  );
  if (error instanceof UpstreamFault) return error;
  throw new Error(`no fault: ${String(error)}`);
}

const answers = (text: string) => listen((socket) => socket.write(text));
const answersAndCloses = (text: string) => listen((socket) => socket.end(text));

describe("an answer is passed on as it was sent", () => {
  test("status, repeated headers and body", async () => {
    const url = await answers(
      "HTTP/1.1 429 Slow\r\nX-A: 1\r\nX-A: 2\r\nRetry-After: 7\r\nContent-Length: 5\r\n\r\nhello",
    );
    const { status, headers, text } = await exchange(url);
    expect([status, headers.get("x-a"), headers.get("retry-after"), text]).toEqual([
      429,
      "1, 2",
      "7",
      "hello",
    ]);
  });

  test("a redirect is an answer, and nobody follows it", async () => {
    let requests = 0;
    const target = await listen((socket) => {
      requests += 1;
      socket.end("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    const url = await answers(`HTTP/1.1 307 Moved\r\nLocation: ${target}/\r\nContent-Length: 0\r\n\r\n`);
    expect((await exchange(url)).status).toBe(307);
    expect(requests).toBe(0);
  });

  test("a compressed body stays compressed", async () => {
    const compressed = Buffer.from(Bun.gzipSync("hello")).toString("latin1");
    const url = await listen((socket) => {
      const head = `HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: ${compressed.length}\r\n\r\n`;
      socket.write(Buffer.from(head + compressed, "latin1"));
    });
    expect((await exchange(url)).text).toBe(compressed);
  });

  test("informational answers in front of it are left out", async () => {
    const url = await answers(
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
    );
    const { status, text } = await exchange(url);
    expect([status, text]).toEqual([200, "ok"]);
  });

  test("the request has its length, its headers and its body", async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const url = await listen((socket, head) => {
      resolve(head);
      socket.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
    });
    await exchange(`${url}/v1/x?y=1`, { headers: new Headers({ "x-a": "b" }) });
    const head = await promise;
    expect(head).toStartWith("POST /v1/x?y=1 HTTP/1.1\r\n");
    expect(head.toLowerCase()).toContain("\r\ncontent-length: 2\r\n");
    expect(head).toContain("x-a: b\r\n");
    expect(head).toEndWith("\r\n\r\n{}");
  });
});

describe("an answer that breaks off is a fault", () => {
  const broken: Record<string, string> = {
    "a body shorter than announced": "HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nhello",
    "chunks without an end": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
    "a malformed chunk": "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nhello\r\n",
    "no answer": "",
    "no HTTP": "HELLO THERE\r\n\r\n",
  };
  for (const [name, text] of Object.entries(broken)) {
    test(name, async () => {
      const url = await answersAndCloses(text);
      expect((await faultOf(exchange(url))).kind).toBe("failed");
    });
  }

  test.each([
    "101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket",
    "999 Odd\r\nContent-Length: 0",
    "600 Odd\r\nContent-Length: 0",
  ])("a status that ends no request: %s", async (head) => {
    const url = await answers(`HTTP/1.1 ${head}\r\n\r\n`);
    expect((await faultOf(exchange(url))).kind).toBe("failed");
  });

  test("nothing listens", async () => {
    const fault = await faultOf(exchange("http://127.0.0.1:1"));
    expect([fault.kind, fault.systemCode]).toEqual(["unreachable", "ECONNREFUSED"]);
    expect(fault.message).not.toContain("127.0.0.1");
  });

  test("an upstream that is silent, before its answer and in it", async () => {
    const silent = await listen(() => {});
    expect((await faultOf(exchange(silent, { idleMaxMs: 50 }))).kind).toBe("late");
    const stops = await answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    expect((await faultOf(exchange(stops, { idleMaxMs: 50 }))).kind).toBe("late");
  });
});

describe("who does not want the answer closes the connection", () => {
  test("before the answer, by the signal", async () => {
    const closed = Promise.withResolvers<void>();
    const received = Promise.withResolvers<void>();
    const url = await listen((socket) => {
      received.resolve();
      socket.on("close", () => closed.resolve());
    });
    const controller = new AbortController();
    const fault = faultOf(exchange(url, { signal: controller.signal }));
    await received.promise;
    controller.abort();
    expect((await fault).kind).toBe("cancelled");
    await closed.promise;
  });

  test("in the middle, by ending the iteration", async () => {
    const closed = Promise.withResolvers<void>();
    const url = await listen((socket) => {
      socket.on("close", () => closed.resolve());
      socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n");
    });
    const { chunks } = await forwarder.forward(toRequest(url));
    for await (const chunk of chunks) {
      expect(Buffer.from(chunk).toString()).toBe("hello");
      break;
    }
    await closed.promise;
  });

  test("a signal that is aborted already sends nothing", async () => {
    let isSent = false;
    const fault = faultOf(
      exchange("http://127.0.0.1:1", { signal: AbortSignal.abort(), onSent: () => (isSent = true) }),
    );
    expect((await fault).kind).toBe("cancelled");
    expect(isSent).toBe(true);
  });
});

test("an upstream that sends without end waits for a slow reader", async () => {
  let written = 0;
  const frame = Buffer.concat([Buffer.from("10000\r\n"), Buffer.alloc(65_536, 97), Buffer.from("\r\n")]);
  const isFull = Promise.withResolvers<void>();
  const url = await listen((socket) => {
    const pump = () => {
      while (socket.write(frame)) written += frame.length;
      written += frame.length;
      // No drain within this time: everything between the two is full.
      const full = setTimeout(isFull.resolve, 500);
      socket.once("drain", () => {
        clearTimeout(full);
        if (written < 1e9) pump();
      });
    };
    socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    pump();
  });
  const { chunks } = await forwarder.forward(toRequest(url));
  for await (const _ of chunks) {
    await isFull.promise;
    break;
  }
  expect(written).toBeLessThan(64 * 1024 * 1024);
});

describe("a connection of an earlier request", () => {
  const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

  test.each(["end", "resetAndDestroy"] as const)(
    "that the upstream has closed (%s) costs no request",
    async (close) => {
      const sockets: Socket[] = [];
      let requests = 0;
      const url = await listen((socket, _head, count) => {
        if (count === 1) sockets.push(socket);
        requests += 1;
        socket.write(ok);
      });
      const own = createForwarder(createClock());
      const read = async () => textOf(await own.forward(toRequest(url)));
      expect(await read()).toBe("ok");
      const closed = new Promise((resolve) => sockets[0]?.once("close", resolve));
      sockets[0]?.[close]();
      await closed;
      // In the turn in which it was closed, so that the client does not know it yet.
      expect(await read()).toBe("ok");
      expect([requests, sockets.length]).toEqual([2, 2]);
      own.close();
    },
  );

  const losses: readonly ["end" | "resetAndDestroy", sent: string][] = [
    ["end", ""],
    ["resetAndDestroy", ""],
    ["end", "HTTP/1.1 200"],
  ];
  test.each(losses)(
    "that ends (%s) after the request was sent, and after %j of the answer: it is not sent again",
    async (close, sent) => {
      let requests = 0;
      const url = await listen((socket, _head, count) => {
        requests += 1;
        if (count === 1) {
          socket.write(ok);
          return;
        }
        if (sent !== "") socket.write(sent);
        socket[close]();
      });
      expect((await exchange(url)).text).toBe("ok");
      expect((await faultOf(exchange(url))).kind).toBe("failed");
      expect(requests).toBe(2);
    },
  );
});

async function textOf({ chunks }: ForwardedAnswer): Promise<string> {
  let text = "";
  for await (const chunk of chunks) text += Buffer.from(chunk).toString("latin1");
  return text;
}

test("many answers run at once, more than `fetch` allows", async () => {
  const url = await answers("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n");
  const running = await Promise.all(Array.from({ length: 300 }, () => forwarder.forward(toRequest(url))));
  const iterators = running.map(({ chunks }) => chunks[Symbol.asyncIterator]());
  const first = await Promise.all(iterators.map((each) => each.next()));
  expect(first.every(({ done }) => done !== true)).toBe(true);
  await Promise.all(iterators.map((each) => each.return?.()));
});

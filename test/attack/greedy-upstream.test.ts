// Attack: an upstream sends without a pause what costs little to send and much to read: informational answers without end, and events of a
// few bytes. Other calls have their turns meanwhile.

import { afterAll, expect, test } from "bun:test";
import { createServer } from "node:net";
import { relay } from "../../src/calls/operations/gateway/relay.ts";
import { createAssembler } from "../../src/gateway/answer/assemblers.ts";
import { createForwarder } from "../../src/gateway/forwarder.ts";
import { UpstreamFault } from "../../src/gateway/forwarding.ts";
import { createClock } from "../../src/platform/time/clock.ts";

const clock = createClock();
const forwarder = createForwarder(clock);
afterAll(() => forwarder.close());

test("informational answers without end are a fault of the upstream", async () => {
  const server = createServer((socket) => {
    const hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n".repeat(100);
    const pump = () => {
      if (!socket.destroyed) socket.write(hints, pump);
    };
    socket.on("error", () => {});
    socket.once("data", pump);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("no port");
  const forwarded = forwarder.forward({
    url: `http://127.0.0.1:${address.port}/`,
    method: "POST",
    headers: new Headers(),
    body: Buffer.from("{}"),
    idleMaxMs: 3_000,
    signal: new AbortController().signal,
  });
  const fault = await forwarded.then(
    () => null,
    (error: unknown) => error,
  );
  server.close();
  expect(fault).toBeInstanceOf(UpstreamFault);
  expect(fault instanceof UpstreamFault ? fault.kind : null).toBe("failed");
});

test("a stream that always has more leaves turns for others", async () => {
  const events = 2_000;
  let turns = 0;
  let isOver = false;
  const takeTurn = () => {
    turns += 1;
    if (!isOver) setImmediate(takeTurn);
  };
  setImmediate(takeTurn);
  async function* chunks() {
    for (let sent = 0; sent < events; sent++)
      yield Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"a"}}]}\n\n');
  }
  let written = 0;
  const relayed = await relay(
    {
      async write() {
        written += 1;
      },
      hold() {},
      breakOff() {},
    },
    {
      answer: {
        headers: new Headers({ "content-type": "text/event-stream" }),
        chunks: chunks(),
        close() {},
      },
      assembler: createAssembler("chat", 1),
      removesUsageEvent: false,
      within: (ms, work) => clock.within(ms, work),
    },
  );
  isOver = true;
  expect([relayed.end, written]).toEqual(["complete", events]);
  expect(turns).toBeGreaterThanOrEqual(events / 100);
});

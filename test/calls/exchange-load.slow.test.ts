// Tests many exchanges at once, large ones, and clients that do not read: none is mixed with another, and memory is bounded.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { exchangeBodyMaxBytes } from "../../src/access/limits.ts";
import { Refusal } from "../../src/platform/errors.ts";
import { createExchangeClient } from "../../src/transports/http/exchange-client.ts";
import { startTestApp, type TestApp } from "../fixture.ts";
import { encode, events, exchangeBy, openExchange, restoreExchange, sendExchange } from "./exchanging.ts";

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp({ "metrics-port": "0" });
});
afterAll(() => app.stop());
afterEach(restoreExchange);

const head = { status: 200, headers: events };

describe("a client that does not read", () => {
  const piece = new Uint8Array(64 * 1024).fill(97);
  const pieces = 2_000;

  test("stops the answer, and gets all of it when it reads again", async () => {
    let written = 0;
    exchangeBy(async (exchange) => {
      exchange.begin({ status: 200, headers: new Headers() });
      for (; written < pieces; written++) await exchange.write(piece);
      return {};
    });
    const socket = openExchange(app);
    socket.pause();
    // What the sockets of both sides take is a few megabytes of the 125.
    for (let before = -1; written === 0 || written !== before; ) {
      before = written;
      await Bun.sleep(300);
    }
    expect(written).toBeLessThan(pieces / 2);
    let received = 0;
    socket.on("data", (bytes) => {
      received += bytes.length;
    });
    socket.resume();
    // The last bytes can arrive before the write that sent them has ended.
    while (received < pieces * piece.length || written < pieces) await Bun.sleep(10);
    socket.destroy();
  });

  test("for too long is treated as one that has left", async () => {
    const client = createExchangeClient({
      signal: new AbortController().signal,
      stallMaxMs: 20,
      toHeaders: ({ headers }) => headers,
    });
    client.begin(head, "a".repeat(32));
    const failed = client.write(piece).catch((error: unknown) => error);
    const response = await client.response;
    expect(response?.status).toBe(200);
    const reader = response?.body?.getReader();
    expect((await reader?.read())?.value?.length).toBe(piece.length);
    // One piece was taken, and no more is wanted.
    expect(await failed).toBeInstanceOf(Refusal);
    expect(await client.write(piece).catch((error: unknown) => error)).toMatchObject({ code: 1499 });
  });
});

test("two hundred streams at once: none is lost, and none has bytes of another", async () => {
  let running = 0;
  const all = Promise.withResolvers<void>();
  exchangeBy(async (exchange) => {
    const { name } = JSON.parse(new TextDecoder().decode(exchange.body));
    exchange.releaseBody();
    exchange.begin(head);
    await exchange.write(encode(`data: ${name} 0\n\n`));
    running += 1;
    if (running === 200) all.resolve();
    await all.promise;
    for (let index = 1; index < 10; index++) await exchange.write(encode(`data: ${name} ${index}\n\n`));
    exchange.hold([encode(`data: ${name} end\n\n`)]);
    return { details: { output_content: String(name) } };
  });
  const before = app.countRecords(app.projectId);
  const names = Array.from({ length: 200 }, (_, index) => `stream-${index}`);
  const texts = await Promise.all(
    names.map(async (name) => (await sendExchange(app, { body: JSON.stringify({ name }) })).text()),
  );
  const wanted = names.map((name) =>
    [...Array(10).keys(), "end"].map((each) => `data: ${name} ${each}\n\n`).join(""),
  );
  expect(texts).toEqual(wanted);
  // An exchange of the test before may have its record only now.
  const recorded = app.records(app.projectId, before).map(({ payload }) => payload.output_content);
  const streams = recorded.filter((output) => output !== undefined && output !== null).map(String);
  expect(streams.toSorted()).toEqual(names.toSorted());
});

test("more exchanges of a key than are allowed are refused until one has ended", async () => {
  const limited = await startTestApp({}, undefined, undefined, "[gateway]\nexchanges-per-key = 2\n");
  const release = Promise.withResolvers<void>();
  exchangeBy(async (exchange) => {
    exchange.begin(head);
    await exchange.write(encode("data: 1\n\n"));
    await release.promise;
    return {};
  });
  const first = await Promise.all([sendExchange(limited), sendExchange(limited)]);
  const third = await sendExchange(limited);
  expect(third.status).toBe(429);
  expect(third.headers.get("retry-after")).toBe("1");
  expect(await third.json()).toMatchObject({ error: { code: "rate_limit_exceeded" } });
  const { key } = await limited.createKey(limited.projectId, ["gateway.use"]);
  const other = await sendExchange(limited, { key });
  expect(other.status).toBe(200);
  release.resolve();
  for (const response of [...first, other]) await response.text();
  const again = await sendExchange(limited);
  expect(again.status).toBe(200);
  await again.text();
  await limited.stop();
});

describe("the body of an exchange", () => {
  const bodyOf = (bytes: number) => new Uint8Array(bytes).fill(32);

  test("may have 20 MiB and no more", async () => {
    exchangeBy(async (exchange) => {
      exchange.begin({ status: 200, headers: new Headers() });
      exchange.hold([encode(String(exchange.body.length))]);
      return {};
    });
    const largest = await sendExchange(app, { body: bodyOf(exchangeBodyMaxBytes) });
    expect(await largest.text()).toBe(String(exchangeBodyMaxBytes));
    const larger = await sendExchange(app, { body: bodyOf(exchangeBodyMaxBytes + 1) });
    expect(larger.status).toBe(413);
    expect(await larger.json()).toMatchObject({ error: { code: "request_too_large" } });
  });

  test("counts until the operation gives it back", async () => {
    const held = Promise.withResolvers<void>();
    let waiting = 0;
    exchangeBy(async (exchange) => {
      waiting += 1;
      await held.promise;
      exchange.releaseBody();
      expect(exchange.body).toHaveLength(0);
      exchange.begin({ status: 200, headers: new Headers() });
      await exchange.write(encode("1"));
      return {};
    });
    const running = Array.from({ length: 4 }, () =>
      sendExchange(app, { body: bodyOf(exchangeBodyMaxBytes) }),
    );
    while (waiting < 4) await Bun.sleep(5);
    expect((await sendExchange(app)).status).toBe(429);
    // Other calls have a budget of their own.
    expect((await app.call("POST", "/v1/memories/search", { body: { query: "x" } })).status).toBe(200);
    held.resolve();
    for (const response of await Promise.all(running)) expect(await response.text()).toBe("1");
    const next = await sendExchange(app);
    expect(await next.text()).toBe("1");
  });
});

test("the metrics of an exchange have its whole duration", async () => {
  exchangeBy(async (exchange) => {
    exchange.begin(head);
    await exchange.write(encode("data: 1\n\n"));
    await Bun.sleep(400);
    return {};
  });
  const sumOf = async () => {
    const text = await (await fetch(app.metricsUrl ?? "")).text();
    const line = /^memledger_call_duration_seconds_sum\{[^}]*operation="gateway\.chat"[^}]*\} (\S+)$/m.exec(
      text,
    );
    return Number(line?.[1] ?? 0);
  };
  const before = await sumOf();
  await (await sendExchange(app)).text();
  expect((await sumOf()) - before).toBeGreaterThanOrEqual(0.4);
});

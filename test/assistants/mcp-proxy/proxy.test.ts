// Tests the proxy against a small server of its own that really listens: streams, progress, cancellation, answers that are none, and
// connections that end before the answer.

import { afterEach, describe, expect, test } from "bun:test";
import { openChannel } from "../../../src/assistants/local-access/open-channel.ts";
import { createProxy, type McpProxy } from "../../../src/assistants/mcp-proxy/proxy.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";

type Answer = (message: JsonObject, request: Request) => Response | Promise<Response>;

interface Client {
  readonly proxy: McpProxy;
  readonly written: JsonObject[];
  readonly lines: string[];
  readonly logged: string[];
  /** The messages that the server received. */
  readonly received: JsonObject[];
  /** Resolves when so many messages were written. */
  until(count: number): Promise<void>;
}

const servers: { stop(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

function connect(answer: Answer): Client {
  const received: JsonObject[] = [];
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const message: unknown = await request.json();
      if (!isObject(message)) return Response.json([]);
      received.push(message);
      return answer(message, request);
    },
    error: () => new Response(null, { status: 500 }),
  });
  servers.push({ stop: () => server.stop(true) });
  return { received, ...open(server.url.href, "ml_key") };
}

function open(url: string, apiKey: string): Omit<Client, "received"> {
  const written: JsonObject[] = [];
  const lines: string[] = [];
  const logged: string[] = [];
  const waiting = new Set<() => void>();
  const proxy = createProxy({
    channel: openChannel({ url, apiKey }),
    write(line) {
      expect(line).not.toContain("\n");
      lines.push(line);
      written.push(JSON.parse(line));
      for (const check of waiting) check();
    },
    log: (line) => logged.push(line),
  });
  const until = (count: number) =>
    new Promise<void>((resolve) => {
      const check = () => {
        if (written.length < count) return;
        waiting.delete(check);
        resolve();
      };
      waiting.add(check);
      check();
    });
  return { proxy, written, lines, logged, until };
}

const say = (proxy: McpProxy, message: JsonObject) =>
  proxy.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
const call = (name: string, id: number | string = 1) => ({ id, method: "tools/call", params: { name } });
const result = (message: JsonObject, value: JsonObject = {}) => ({
  jsonrpc: "2.0",
  id: message.id ?? null,
  result: value,
});
const events = (...messages: JsonObject[]) =>
  new Response(messages.map((message) => `event: message\ndata: ${JSON.stringify(message)}\n\n`).join(""), {
    headers: { "Content-Type": "text/event-stream" },
  });

describe("answers", () => {
  test("as JSON, also on several lines, keep every byte that matters", async () => {
    const text = '{\n  "jsonrpc": "2.0",\r\n  "id": 1,\n  "result": { "n": 1.50, "text": "a\\nb" }\n}\n';
    const { proxy, written, lines } = connect(
      () => new Response(text, { headers: { "Content-Type": "application/json" } }),
    );
    say(proxy, call("x"));
    await proxy.finish();
    expect(written).toEqual([{ jsonrpc: "2.0", id: 1, result: { n: 1.5, text: "a\nb" } }]);
    expect(lines[0]).toContain('"n": 1.50');
  });

  test("as a stream: progress passes through before the answer, and nothing behind the answer", async () => {
    const progress = { jsonrpc: "2.0", method: "notifications/progress", params: { progress: 1 } };
    const { proxy, written } = connect((message) => events(progress, progress, result(message), progress));
    say(proxy, call("x"));
    await proxy.finish();
    expect(written.map(({ method, id }) => method ?? id)).toEqual([
      "notifications/progress",
      "notifications/progress",
      1,
    ]);
  });

  test("to many requests at once reach each by its id, a text and a number being different", async () => {
    const others = Promise.withResolvers<void>();
    const { proxy, written, until } = connect(async (message) => {
      if (message.id === 1) await others.promise;
      return Response.json(result(message));
    });
    for (const id of [1, "1", 2, 3]) say(proxy, call("x", id));
    await until(3);
    others.resolve();
    await proxy.finish();
    expect(new Set(written.slice(0, 3).map(({ id }) => id))).toEqual(new Set(["1", 2, 3]));
    expect(written.slice(3)).toMatchObject([{ id: 1 }]);
  });

  test("without an id become the answer to the request", async () => {
    const error = { code: -32_000, message: "The API key was revoked.", data: { code: 1401 } };
    const { proxy, written } = connect(() =>
      Response.json({ jsonrpc: "2.0", error, id: null }, { status: 401 }),
    );
    say(proxy, call("x", 7));
    await proxy.finish();
    expect(written).toEqual([{ jsonrpc: "2.0", id: 7, error }]);
  });

  test.each([
    [() => new Response("<html>", { status: 502 }), "HTTP status 502"],
    [() => new Response(null, { status: 404 }), "HTTP status 404"],
    [() => new Response(null, { status: 202 }), "HTTP status 202"],
    [() => Response.json({ success: false, code: 1404, message: "Route not found." }), "Route not found."],
    [() => Response.json(["x"]), "HTTP status 200"],
    [() => Response.json([{ jsonrpc: "2.0", id: 1, result: {} }]), "HTTP status 200"],
    [() => events({ jsonrpc: "1.0", id: 1, result: {} }), "It is not known"],
    [() => Response.redirect("http://127.0.0.1:9/mcp", 307), "redirects are not followed"],
  ])("that are no message become an error that says what to do: %#", async (answer, expected) => {
    const { proxy, written } = connect(answer);
    say(proxy, { id: 1, method: "tools/list" });
    await proxy.finish();
    expect(written).toMatchObject([{ jsonrpc: "2.0", id: 1, error: { code: -32_000 } }]);
    expect(JSON.stringify(written)).toContain(expected);
  });

  test("to a notification are not written", async () => {
    const { proxy, written, received } = connect(() => new Response(null, { status: 202 }));
    say(proxy, { method: "notifications/initialized" });
    await proxy.finish();
    expect([written, received.length]).toEqual([[], 1]);
  });

  test("of the client to a server that asked nothing are dropped", async () => {
    const { proxy, written, received } = connect(() => new Response(null, { status: 202 }));
    say(proxy, { id: 1, result: {} });
    await proxy.finish();
    expect([written, received]).toEqual([[], []]);
  });
});

test("messages behind initialize wait for its answer, and repeat what it said", async () => {
  const headers: (string | null)[][] = [];
  const { proxy, written } = connect(async (message, request) => {
    headers.push(["mcp-protocol-version", "mcp-session-id"].map((name) => request.headers.get(name)));
    if (message.method !== "initialize") return Response.json(result(message));
    await Bun.sleep(30);
    return Response.json(result(message, { protocolVersion: "2025-06-18" }), {
      headers: { "Mcp-Session-Id": "session" },
    });
  });
  say(proxy, { id: 0, method: "initialize", params: {} });
  say(proxy, call("x", 1));
  await proxy.finish();
  expect(written.map(({ id }) => id)).toEqual([0, 1]);
  expect(headers).toEqual([
    [null, null],
    ["2025-06-18", "session"],
  ]);
});

describe("cancellation", () => {
  test("closes the connection of the request, which gets no answer; others do", async () => {
    const aborted = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    const { proxy, written } = connect(async (message, request) => {
      if (message.id !== "slow") return Response.json(result(message));
      request.signal.addEventListener("abort", () => aborted.resolve());
      arrived.resolve();
      await aborted.promise;
      return Response.json(result(message));
    });
    say(proxy, call("x", "slow"));
    await arrived.promise;
    say(proxy, { method: "notifications/cancelled", params: { requestId: "slow" } });
    say(proxy, { method: "notifications/cancelled", params: { requestId: "unknown" } });
    say(proxy, call("x", "fast"));
    await aborted.promise;
    await proxy.finish();
    expect(written.map(({ id }) => id)).toEqual(["fast"]);
  });

  test("before the request was sent sends nothing", async () => {
    const { proxy, written, received } = connect(async (message) => {
      await Bun.sleep(30);
      return Response.json(result(message, { protocolVersion: "2025-11-25" }));
    });
    say(proxy, { id: 0, method: "initialize", params: {} });
    say(proxy, call("x", 1));
    say(proxy, { method: "notifications/cancelled", params: { requestId: 1 } });
    await proxy.finish();
    expect(written.map(({ id }) => id)).toEqual([0]);
    expect(received.map(({ method }) => method)).not.toContain("tools/call");
  });

  test("a subscription ends with the client", async () => {
    const arrived = Promise.withResolvers<void>();
    const { proxy, written } = connect((_, request) => {
      arrived.resolve();
      return new Promise((resolve) =>
        request.signal.addEventListener("abort", () => resolve(new Response())),
      );
    });
    say(proxy, { id: 1, method: "subscriptions/listen", params: {} });
    await arrived.promise;
    await proxy.finish();
    expect(written).toEqual([]);
  });
});

describe("a connection that ends before the answer", () => {
  const tools = {
    tools: [
      { name: "reads", annotations: { readOnlyHint: true } },
      { name: "sets", annotations: { readOnlyHint: false, idempotentHint: true } },
      { name: "adds", annotations: { readOnlyHint: false, idempotentHint: false } },
      { name: "silent" },
    ],
  };
  /** Ends the stream without an answer to the first `failures` requests that are no list of tools. */
  const failing = (failures: number): Client => {
    let count = 0;
    return connect((message) => {
      if (message.method === "tools/list") return Response.json(result(message, tools));
      return ++count <= failures ? events() : Response.json(result(message, { count }));
    });
  };

  test.each(["reads", "sets"])("a tool that %s is called again", async (name) => {
    const { proxy, written, until } = failing(2);
    say(proxy, { id: "list", method: "tools/list" });
    await until(1);
    say(proxy, call(name));
    await proxy.finish();
    expect(written.at(-1)).toMatchObject({ id: 1, result: { count: 3 } });
  });

  test.each(["adds", "silent", "unknown"])("a tool that %s is not, and the client is told", async (name) => {
    const { proxy, written, logged, received } = failing(1);
    say(proxy, call(name));
    await proxy.finish();
    expect(received.filter(({ method }) => method === "tools/call")).toHaveLength(1);
    expect(written).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(JSON.stringify(written)).toContain("It is not known whether the request was performed");
    expect(logged).toHaveLength(1);
  });

  test("a client that has not listed the tools is served as one that has, and sees no list", async () => {
    const { proxy, written, received } = failing(1);
    const meta = { "io.modelcontextprotocol/protocolVersion": "2026-07-28", progressToken: 5 };
    say(proxy, { id: 1, method: "tools/call", params: { name: "reads", _meta: meta } });
    await proxy.finish();
    expect(written).toMatchObject([{ id: 1, result: { count: 2 } }]);
    const { progressToken: _, ...kept } = meta;
    expect(received[1]).toMatchObject({ method: "tools/list", params: { _meta: kept } });
    expect(JSON.stringify(received[1])).not.toContain("progressToken");
  });

  /** Nothing is sent to the address that a redirect names: such a failure says that nothing was performed. */
  const refusal = () => Response.redirect("http://127.0.0.1:9/mcp", 307);

  test("what happened stays unknown if the tools cannot be listed", async () => {
    const { proxy, written } = connect(({ method }) => (method === "tools/call" ? events() : refusal()));
    say(proxy, call("adds"));
    await proxy.finish();
    expect(written).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(JSON.stringify(written)).toContain("It is not known whether the request was performed");
  });

  test.each([502, 504])("what happened is unknown if a proxy says so with status %d", async (status) => {
    const { proxy, written } = connect(() => new Response("<html>", { status }));
    say(proxy, call("adds"));
    await proxy.finish();
    expect(written).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(JSON.stringify(written)).toContain("It is not known whether the request was performed");
  });

  test("what happened stays unknown if the request cannot be sent again", async () => {
    let calls = 0;
    const { proxy, written } = connect((message) => {
      if (message.method === "tools/list") return Response.json(result(message, tools));
      calls += 1;
      return calls === 1 ? events() : refusal();
    });
    say(proxy, call("sets"));
    await proxy.finish();
    expect(calls).toBe(2);
    expect(written).toMatchObject([{ id: 1, result: { isError: true } }]);
    expect(JSON.stringify(written)).toContain("It is not known whether the request was performed");
  });

  test("other requests are sent again, three times in all", async () => {
    const twice = failing(2);
    say(twice.proxy, { id: 1, method: "resources/read", params: {} });
    await twice.proxy.finish();
    expect(twice.written).toMatchObject([{ id: 1, result: { count: 3 } }]);
    const always = failing(9);
    say(always.proxy, { id: 1, method: "resources/read", params: {} });
    await always.proxy.finish();
    expect(always.received).toHaveLength(3);
    expect(always.written).toMatchObject([{ id: 1, error: { code: -32_000 } }]);
  });
});

describe("a server elsewhere", () => {
  test("is called with the key", async () => {
    const app = await startTestApp();
    try {
      const { proxy, written } = open(app.url, app.apiKey);
      const params = { name: "memory_save", arguments: { content: "Far away.", type: "fact" } };
      say(proxy, { id: 1, method: "tools/call", params });
      await proxy.finish();
      expect(JSON.stringify(written)).toContain("created, id");
      const wrong = open(app.url, "ml_wrong");
      say(wrong.proxy, { id: 1, method: "tools/list" });
      await wrong.proxy.finish();
      expect(wrong.written).toMatchObject([{ id: 1, error: { data: { code: 1401 } } }]);
      expect(JSON.stringify(wrong)).not.toContain("ml_wrong");
    } finally {
      await app.stop();
    }
  });

  test("that cannot be reached is the answer to each request of a batch", async () => {
    const { proxy, written } = open("http://127.0.0.1:9", "ml_key");
    const batch = [{ id: 1, method: "ping" }, { method: "notifications/initialized" }, call("x", 2)];
    proxy.receive(JSON.stringify(batch.map((message) => ({ jsonrpc: "2.0", ...message }))));
    await proxy.finish();
    expect(written).toMatchObject([
      { id: 1, error: { code: -32_000 } },
      { id: 2, result: { isError: true } },
    ]);
  });

  test("that cannot be reached is named, and a tool fails with a result", async () => {
    const { proxy, written } = open("http://127.0.0.1:9", "ml_key");
    say(proxy, { id: 1, method: "tools/list" });
    say(proxy, call("x", 2));
    await proxy.finish();
    const [list, tool] = written.toSorted((a, b) => Number(a.id) - Number(b.id));
    expect(list).toMatchObject({ id: 1, error: { code: -32_000 } });
    expect(tool).toMatchObject({ id: 2, result: { isError: true } });
    for (const message of written)
      expect(JSON.stringify(message)).toContain("http://127.0.0.1:9 cannot be reached");
  });
});

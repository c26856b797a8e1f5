// Proves when the TypeScript client sends a call again, what it waits for, and what it reports: against a server whose answers the test
// decides. No test waits: the delays are those that the client asked for.

import { expect, test } from "bun:test";
import {
  ApiError,
  type ClientOptions,
  ConnectionFailedError,
  Memledger,
  RateLimitError,
  RequestTimeoutError,
  ServerError,
  UnavailableError,
} from "../../clients/typescript/src/index.ts";
import {
  refuses,
  type Scripted,
  type ScriptedServer,
  startScriptedServer,
  succeeds,
} from "./scripted-server.ts";

interface Setup extends AsyncDisposable {
  readonly server: ScriptedServer;
  readonly client: Memledger;
  /** Delays that the client asked for, in milliseconds. */
  readonly delays: readonly number[];
}

async function open(script: readonly Scripted[], options: ClientOptions = {}): Promise<Setup> {
  const server = await startScriptedServer(...script);
  const delays: number[] = [];
  const sleep = async (ms: number) => {
    delays.push(ms);
  };
  const client = new Memledger({
    apiKey: "ml_test",
    baseUrl: server.url,
    sleep,
    random: () => 0.5,
    ...options,
  });
  return { server, client, delays, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const fact = { content: "Releases go out on Tuesdays.", memory_type: "fact" } as const;
const marker = { action: "gateway.chat", http_status: 200 };
const unknownOutcome = refuses(503, 1503, { outcome: "unknown" }, "1");
const html = { status: 502, headers: { "Content-Type": "text/html" }, text: "<h1>Bad gateway</h1>" };

/** Calls the client makes of an operation that may be repeated, and of one that may not. */
const idempotent = (client: Memledger) => client.memories.create(fact);
const notIdempotent = (client: Memledger) => client.audit.append(marker);

test("a call above the rate is sent again after the time in Retry-After", async () => {
  await using opened = await open([refuses(429, 1429, {}, "2"), refuses(429, 1429, {}, "7"), succeeds({})]);
  const { client, server, delays } = opened;
  await notIdempotent(client);
  expect(server.received).toHaveLength(3);
  expect(delays).toEqual([2_250, 7_500]);
  const bodies = server.received.map(({ body }) => body);
  expect(bodies).toEqual(Array(3).fill(JSON.stringify(marker)));
});

test("Retry-After may be a date", async () => {
  const past = new Date(0).toUTCString();
  const next = new Date(Date.now() + 30_000).toUTCString();
  await using opened = await open([
    refuses(429, 1429, {}, past),
    refuses(429, 1429, {}, next),
    refuses(429, 1429, {}, "soon"),
    succeeds({}),
  ]);
  await notIdempotent(opened.client);
  const [first = 0, second = 0, third = 0] = opened.delays;
  expect(first).toBe(250);
  expect(second).toBeGreaterThan(1_000);
  expect(second).toBeLessThanOrEqual(30_500);
  expect(third).toBe(1_000);
});

test("the delay without Retry-After doubles up to a limit, and chance spreads it from zero on", async () => {
  const maxRetries = 7;
  for (const [random, expected] of [
    [0, [0, 0, 0, 0, 0, 0, 0]],
    [1, [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000]],
  ] as const) {
    await using opened = await open([refuses(429, 1429)], { random: () => random, maxRetries });
    expect(await failure(notIdempotent(opened.client))).toBeInstanceOf(RateLimitError);
    expect(opened.delays).toEqual([...expected]);
    expect(opened.server.received).toHaveLength(maxRetries + 1);
  }
});

test("a Retry-After of more than a minute is left to the caller", async () => {
  await using opened = await open([refuses(429, 1429, {}, "61")]);
  const error = await failure(idempotent(opened.client));
  expect(error).toMatchObject({ status: 429, code: 1429, retryAfterSeconds: 61 });
  expect(opened.server.received).toHaveLength(1);
});

test.each<[string, Scripted, boolean, boolean]>([
  ["1429", refuses(429, 1429, {}, "1"), true, true],
  ["1503, nothing was done", refuses(503, 1503, {}, "1"), true, true],
  ["1503, the outcome is unknown", unknownOutcome, true, false],
  ["503 of a proxy", { ...html, status: 503 }, true, false],
  ["502 of a proxy", html, true, false],
  ["504 of a proxy", { ...html, status: 504 }, true, false],
  ["a connection that breaks before the response", "close", true, false],
  ["a connection that breaks in the response", "cut", true, false],
  ["2103 with Retry-After", refuses(500, 2103, { status: 429 }, "1"), true, true],
  ["2103", refuses(500, 2103, { status: 401 }), false, false],
  ["1500", refuses(500, 1500, { incident: "1" }), false, false],
  ["1400", refuses(400, 1400, { field: "content" }), false, false],
  ["2104", refuses(409, 2104, { memory_id: "1" }), false, false],
  ["a success that is not one of memledger", { status: 200, text: '{"ok":true}' }, false, false],
  ["a redirect", { status: 307, headers: { Location: "/elsewhere" }, text: "" }, false, false],
])("%s", async (_, first, repeatsIdempotent, repeatsOther) => {
  for (const [call, repeats] of [
    [idempotent, repeatsIdempotent],
    [notIdempotent, repeatsOther],
  ] as const) {
    await using opened = await open([first, succeeds({ id: "1" })]);
    if (repeats) expect(await call(opened.client)).toMatchObject({ id: "1" });
    else expect(await failure(call(opened.client))).toBeInstanceOf(Error);
    expect(opened.server.received).toHaveLength(repeats ? 2 : 1);
  }
});

test("each failure has its class, and says what to do", async () => {
  const cases: readonly (readonly [Scripted, typeof ApiError | typeof ConnectionFailedError, RegExp])[] = [
    [refuses(429, 1429, {}, "1"), RateLimitError, /refused with 1429/],
    [unknownOutcome, UnavailableError, /refused with 1503/],
    [refuses(500, 1500), ServerError, /refused with 1500/],
    [html, ServerError, /status 502 is not one of memledger.*baseUrl/],
    [{ status: 418, text: "" }, ApiError, /status 418 is not one of memledger/],
    [
      { status: 301, headers: { Location: "https://example.com/" }, text: "" },
      ApiError,
      /baseUrl to the final/,
    ],
    ["close", ConnectionFailedError, /The connection to http:.* failed\. Check that the server runs/],
  ];
  for (const [scripted, kind, message] of cases) {
    await using opened = await open([scripted], { maxRetries: 0 });
    const error = await failure(notIdempotent(opened.client));
    expect(error).toBeInstanceOf(kind);
    expect(error.name).toBe(kind.name);
    expect(error.message).toMatch(message);
    expect(opened.server.received).toHaveLength(1);
  }
});

test("an unknown outcome can be told from a call that was not performed", async () => {
  for (const [scripted, isOutcomeUnknown] of [
    [unknownOutcome, true],
    [refuses(503, 1503), false],
    [{ ...html, status: 503 }, true],
  ] as const) {
    await using opened = await open([scripted], { maxRetries: 0 });
    const error = await failure(notIdempotent(opened.client));
    expect(error).toMatchObject({ status: 503, isOutcomeUnknown });
  }
});

test("a server that is not there is tried again, and then reported with the cause", async () => {
  const server = await startScriptedServer("hang");
  await server[Symbol.asyncDispose]();
  const delays: number[] = [];
  const sleep = async (ms: number) => {
    delays.push(ms);
  };
  const client = new Memledger({ apiKey: "ml_test", baseUrl: server.url, sleep });
  const error = await failure(client.memories.list());
  expect(error).toBeInstanceOf(ConnectionFailedError);
  expect(error.cause).toBeDefined();
  expect(error.message).not.toContain("ml_test");
  expect(delays).toHaveLength(3);
});

test("a server that hangs ends in a timeout, which is not repeated", async () => {
  await using opened = await open(["hang"], { timeoutMs: 50 });
  const error = await failure(opened.client.memories.list());
  expect(error).toBeInstanceOf(RequestTimeoutError);
  expect(error.message).toContain("within 50 ms");
  expect(opened.delays).toEqual([]);
});

test("a call can have a time limit and a number of retries of its own", async () => {
  await using opened = await open(["hang"]);
  const error = await failure(opened.client.memories.list({}, { timeoutMs: 20 }));
  expect(error.message).toContain("within 20 ms");
  await using other = await open([refuses(429, 1429)]);
  await failure(other.client.memories.list({}, { maxRetries: 1 }));
  expect(other.server.received).toHaveLength(2);
});

test("a call is cancelled while the server works on it", async () => {
  await using opened = await open(["hang"]);
  const { client, server } = opened;
  const controller = new AbortController();
  const call = failure(client.memories.list({}, { signal: controller.signal }));
  await server.until(1);
  controller.abort(new Error("no longer needed"));
  expect((await call).message).toBe("no longer needed");
  expect(server.received).toHaveLength(1);
});

test("a call is cancelled while it waits to be sent again, and before it is sent", async () => {
  await using server = await startScriptedServer(refuses(429, 1429, {}, "60"));
  const client = new Memledger({ apiKey: "ml_test", baseUrl: server.url });
  const controller = new AbortController();
  const call = failure(client.memories.list({}, { signal: controller.signal }));
  await server.until(1);
  controller.abort(new Error("no longer needed"));
  expect((await call).message).toBe("no longer needed");
  const late = await failure(client.memories.list({}, { signal: controller.signal }));
  expect(late.message).toBe("no longer needed");
  expect(server.received).toHaveLength(1);
});

test("the failure of an export ends the wait for it", async () => {
  const states = [{ status: "pending" }, { status: "processing" }, { status: "failed", error: "disk full" }];
  await using opened = await open(states.map((state) => succeeds(state)));
  const error = await failure(opened.client.audit.waitForExport("e1"));
  expect(error.message).toContain("e1 failed: disk full");
  expect(opened.delays).toEqual([200, 400]);
});

/** The error that a call is rejected with. */
async function failure(call: Promise<unknown>): Promise<Error> {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return error;
  }
  throw new Error("the call did not fail");
}

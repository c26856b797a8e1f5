// Whose credential an upstream gets, for all pairs of the headers in which clients send one, and that nothing of this service passes. What an
// upstream repeats of its credential reaches neither a client nor a record.

import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { startTestGateway, type TestGateway, upstreamKey } from "./exchanges.ts";
import { cut, eventStream, type FakeUpstream, startFakeUpstream } from "./fake-upstream.ts";
import { chatEvents, messageEvents, responseEvents } from "./upstream-shapes.ts";

let gateway: TestGateway;
/** Has no key of an operator. */
let open: FakeUpstream;
beforeAll(async () => {
  open = await startFakeUpstream();
  const table = (name: string, kind: string, baseUrl: string, model: string) =>
    `[[gateway.upstreams]]\nname = "${name}"\nkind = "${kind}"\nbase-url = "${baseUrl}"\nmodels = ["${model}"]\nmemory = false\n`;
  gateway = await startTestGateway(
    [
      table("open", "openai", `${open.origin}/v1`, "open"),
      table("subscription", "anthropic", open.origin, "open"),
    ].join("\n"),
  );
});
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await open.close();
});
afterEach(() => {
  gateway.openai.answerWith(null);
  gateway.anthropic.answerWith(null);
});

const login = "sk-ant-oat01-of-a-subscription";
const said = [{ role: "user", content: "Hello" }];
const paths = ["/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1/messages/count_tokens"];

function ask(path: string, model: string, headers: Record<string, string>, more: object = {}) {
  const body = JSON.stringify({ model, messages: said, input: "Hello", max_tokens: 9, ...more });
  return fetch(`${gateway.app.url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body,
  });
}

interface Pair {
  readonly authorization?: string;
  readonly "x-api-key"?: string;
}

const pairs: Readonly<Record<string, (own: string) => { readonly sent: Pair; readonly passed: Pair }>> = {
  "ours as x-api-key, a login as Authorization": (own) => ({
    sent: { "x-api-key": own, authorization: `Bearer ${login}` },
    passed: { authorization: `Bearer ${login}` },
  }),
  "ours as Authorization, a key as x-api-key": (own) => ({
    sent: { "x-api-key": login, authorization: `Bearer ${own}` },
    passed: { "x-api-key": login },
  }),
  "ours as Authorization alone": (own) => ({ sent: { authorization: `Bearer ${own}` }, passed: {} }),
  "ours as x-api-key alone": (own) => ({ sent: { "x-api-key": own }, passed: {} }),
  "ours in both": (own) => ({ sent: { "x-api-key": own, authorization: `Bearer ${own}` }, passed: {} }),
  "ours as x-api-key, one like ours as Authorization": (own) => ({
    sent: { "x-api-key": own, authorization: "Bearer ml_mistyped" },
    passed: {},
  }),
  "ours as x-api-key, one like an administration key as Authorization": (own) => ({
    sent: { "x-api-key": own, authorization: "Bearer mla_mistyped" },
    passed: {},
  }),
  "ours as x-api-key, another scheme as Authorization": (own) => ({
    sent: { "x-api-key": own, authorization: "Basic dXNlcjpwYXNz" },
    passed: { authorization: "Basic dXNlcjpwYXNz" },
  }),
};

const credentialsOf = (upstream: FakeUpstream): Pair => {
  const { authorization, "x-api-key": named } = upstream.received.at(-1)?.headers ?? {};
  return {
    ...(authorization === undefined ? {} : { authorization: String(authorization) }),
    ...(named === undefined ? {} : { "x-api-key": String(named) }),
  };
};

/** A key of the project, and a token that it has issued. */
async function ownSecrets(): Promise<readonly string[]> {
  const { data } = await gateway.app.call("POST", "/v1/keys", { body: { subject: "user:1" } });
  return [gateway.app.apiKey, String(data.token)];
}

describe.each(Object.entries(pairs))("%s", (_, pairOf) => {
  test("an upstream without a key gets what the client has for it", async () => {
    for (const own of await ownSecrets()) {
      const { sent, passed } = pairOf(own);
      for (const path of paths) {
        const response = await ask(path, "open", { ...sent });
        expect([path, response.status]).toEqual([path, 200]);
        await response.text();
        expect(credentialsOf(open)).toEqual(passed);
      }
    }
    const records = JSON.stringify(gateway.app.records(gateway.app.projectId));
    expect(records).not.toContain(login);
  });

  test("an upstream with a key of the operator gets that one alone", async () => {
    for (const own of await ownSecrets()) {
      const { sent } = pairOf(own);
      await (await ask("/v1/chat/completions", "fake", { ...sent })).text();
      expect(credentialsOf(gateway.openai)).toEqual({ authorization: `Bearer ${upstreamKey}` });
      await (await ask("/v1/messages", "claude", { ...sent })).text();
      expect(credentialsOf(gateway.anthropic)).toEqual({ "x-api-key": upstreamKey });
    }
  });

  test("Memledger-Upstream-Key replaces both", async () => {
    const { sent } = pairOf(gateway.app.apiKey);
    const named = { ...sent, "memledger-upstream-key": "sk-named-by-the-client" };
    await (await ask("/v1/messages", "open", named)).text();
    expect(credentialsOf(open)).toEqual({ "x-api-key": "sk-named-by-the-client" });
  });
});

test("without a key of ours, no credential opens the gateway", async () => {
  const before = open.received.length;
  for (const sent of [{ authorization: `Bearer ${login}` }, { "x-api-key": login }, {}]) {
    expect((await ask("/v1/messages", "open", sent)).status).toBe(401);
  }
  expect(open.received.length).toBe(before);
});

test("headers of this service, and headers with a key of it, reach no upstream", async () => {
  for (const own of await ownSecrets()) {
    const response = await ask("/v1/messages", "open", {
      "x-api-key": own,
      "x-audit-metadata": '{"ticket":"HR-7"}',
      "memledger-memory": "off",
      "api-key": own,
      "x-forwarded-authorization": `Bearer ${own}`,
      "x-administration": `mla_${"a".repeat(43)}`,
      "x-team": "ml_platform",
    });
    expect(response.status).toBe(200);
    await response.text();
    const headers = open.received.at(-1)?.headers ?? {};
    expect(JSON.stringify(headers)).not.toContain(own);
    expect(JSON.stringify(headers)).not.toContain("mla_");
    expect(JSON.stringify(headers)).not.toContain("HR-7");
    expect(Object.keys(headers).filter((name) => /memledger|audit/.test(name))).toEqual([]);
    expect(headers["x-team"]).toBe("ml_platform");
    expect(gateway.lastRecord().payload.metadata).toEqual({ ticket: "HR-7" });
  }
});

describe("a credential that an upstream repeats", () => {
  const told = `Incorrect API key provided: ${upstreamKey}.`;
  const event = (data: object, type?: string) =>
    `${type === undefined ? "" : `event: ${type}\n`}data: ${JSON.stringify(data)}\n\n`;
  const streams: readonly [path: string, model: string, events: readonly string[]][] = [
    [
      "/v1/chat/completions",
      "fake",
      [...chatEvents("fake", "Hello", false).slice(0, 2), event({ error: { message: told } })],
    ],
    [
      "/v1/responses",
      "fake",
      [...responseEvents("fake", "Hello").slice(0, 3), event({ type: "error", message: told }, "error")],
    ],
    [
      "/v1/messages",
      "claude",
      [
        ...messageEvents("claude", "Hello").slice(0, 3),
        event({ type: "error", error: { type: "api_error", message: told } }, "error"),
      ],
    ],
    ["/v1/chat/completions", "fake", chatEvents("fake", `Key ${upstreamKey}!`, false)],
  ];

  test.each(streams)("in a stream of %s (%s), cut at any byte", async (path, model, events) => {
    const text = events.join("");
    const upstream = model === "claude" ? gateway.anthropic : gateway.openai;
    for (const length of [1, 7, text.length]) {
      upstream.answerWith(() => ({
        headers: { ...eventStream, "x-debug": `Bearer ${upstreamKey}` },
        body: cut(text, length),
      }));
      const response = await ask(path, model, { "x-api-key": gateway.app.apiKey }, { stream: true });
      const received = await response.text();
      expect(received).toBe(text.replaceAll(upstreamKey, "[key]"));
      expect(response.headers.get("x-debug")).toBe("Bearer [key]");
      expect(JSON.stringify(gateway.lastRecord())).not.toContain(upstreamKey);
    }
  });

  test("in an answer, in an error, and in a list of models", async () => {
    const bodies: readonly [status: number, object][] = [
      [200, { choices: [{ index: 0, message: { content: told }, finish_reason: "stop" }] }],
      [401, { error: { message: told } }],
      [500, { error: { message: "failed", debug: { headers: [`Bearer ${upstreamKey}`] } } }],
    ];
    for (const [status, answer] of bodies) {
      const text = JSON.stringify(answer);
      gateway.openai.answerWith(() => ({ status, body: cut(text, 5) }));
      const response = await ask("/v1/chat/completions", "fake", { "x-api-key": gateway.app.apiKey });
      expect(await response.text()).toBe(text.replaceAll(upstreamKey, "[key]"));
      expect(JSON.stringify(gateway.lastRecord())).not.toContain(upstreamKey);
    }
    gateway.openai.answerWith(() => ({ body: JSON.stringify({ data: [{ id: "fake", owned_by: told }] }) }));
    const models = await fetch(`${gateway.app.url}/v1/models`, {
      headers: { "x-api-key": gateway.app.apiKey },
    });
    expect(await models.text()).toContain("[key]");
  });
});

test("a list of models takes no credential of the client to several upstreams", async () => {
  const headers = { "x-api-key": gateway.app.apiKey, authorization: `Bearer ${login}` };
  await (await fetch(`${gateway.app.url}/v1/models`, { headers })).text();
  for (const { received } of [open, gateway.openai]) {
    expect(JSON.stringify(received.at(-1)?.headers)).not.toContain(login);
  }
});

// Answers that are finished while the upstream keeps the connection open: the client gets their end, and the record is made.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { eventStream, type PreparedAnswer } from "./fake-upstream.ts";
import { type ServedGateway, startGateway } from "./served.ts";
import { chatStream, chatUsageEvent, event, messagesStream, responsesStream } from "./streams.ts";
import { chatAnswer, messageAnswer, responseAnswer } from "./upstream-shapes.ts";

let served: ServedGateway;
beforeAll(async () => {
  // The upstreams have 600 seconds, so a test that waits for them does not end.
  served = await startGateway("memory = false\nask-for-usage = false");
});
afterAll(() => served[Symbol.asyncDispose]());

interface Open {
  readonly path: string;
  readonly answer: Omit<PreparedAnswer, "body"> & { readonly body: string | readonly string[] };
  /** Of the record. */
  readonly expected: object;
}

const paths = { chat: "/chat/completions", responses: "/responses", messages: "/messages" } as const;
type Name = keyof typeof paths;
const isComplete = { answer: { end: "complete", has_end: true } };
const isFailed = { error_msg: "overloaded", answer: { end: "complete", has_end: false } };

const stream = (name: Name, events: readonly string[], expected: object = isComplete): Open => ({
  path: paths[name],
  answer: { headers: eventStream, body: events },
  expected,
});
const whole = (name: Name, body: string, more: object = {}, expected: object = isComplete): Open => ({
  path: paths[name],
  answer: { body, ...more },
  expected,
});

const [chat, responses, messages] = [chatStream, responsesStream, messagesStream];
const withoutDone = chat.slice(0, -1);
const failed = { message: "overloaded" };
const bodies: readonly (readonly [Name, string])[] = [
  ["chat", JSON.stringify(chatAnswer("m", "Hello"))],
  ["responses", JSON.stringify(responseAnswer("m", "Hello"))],
  ["messages", JSON.stringify(messageAnswer("m", "Hello"))],
];
// Without `close`, this upstream would have the next request wait for the end of this answer.
const withLength = (body: string) => ({
  headers: { "Content-Length": String(Buffer.byteLength(body)), Connection: "close" },
});

const cases: Readonly<Record<string, Open>> = {
  "a stream of Chat Completions": stream("chat", chat),
  "without [DONE]": stream("chat", withoutDone),
  "without [DONE] and usage": stream(
    "chat",
    withoutDone.filter((each) => each !== chatUsageEvent),
  ),
  "a stream of Responses": stream("responses", responses),
  "a stream of Responses with [DONE]": stream("responses", [...responses, event("[DONE]")]),
  "a stream of Messages": stream("messages", messages),
  "with CR LF": stream(
    "messages",
    messages.map((each) => each.replaceAll("\n", "\r\n")),
  ),
  "an error in Chat Completions": stream("chat", [...chat.slice(0, 5), event({ error: failed })], isFailed),
  "an error in Responses": stream(
    "responses",
    [...responses.slice(0, 3), event({ type: "error", ...failed }, "error")],
    isFailed,
  ),
  "an error in Messages": stream(
    "messages",
    [...messages.slice(0, 6), event({ type: "error", error: failed }, "error")],
    isFailed,
  ),
  "an error instead of an answer": whole(
    "chat",
    `${JSON.stringify({ error: failed })}\n`,
    { status: 503 },
    isFailed,
  ),
  ...Object.fromEntries(
    bodies.flatMap(([name, body]) => [
      [`an answer of ${name} that has its announced length`, whole(name, body, withLength(body))],
      [`an answer of ${name} without a length whose JSON is complete`, whole(name, body)],
    ]),
  ),
};

// One test: some of the answers end a moment after their last byte, and so do all of them together.
test("an answer that is finished ends, also while its connection stays open", async () => {
  const { app, upstream } = served;
  upstream.answerWith(({ body }) => {
    const answer = cases[JSON.parse(body.toString("utf8")).model]?.answer;
    return answer === undefined ? null : { ...answer, end: "hang" };
  });
  const ended = Object.entries(cases).map(async ([model, { path, answer }]) => {
    const said = [{ role: "user", content: "Hello" }];
    const response = await fetch(`${app.url}/v1${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${app.apiKey}`, "Content-Type": "application/json" },
      body: JSON.stringify({ model, messages: said, input: "Hello", max_tokens: 9, stream: true }),
    });
    const expected = typeof answer.body === "string" ? answer.body : answer.body.join("");
    expect([model, await response.text()]).toEqual([model, expected]);
    return response.headers.get("memledger-record");
  });
  const ids = await Promise.all(ended);
  const records = app.records(app.projectId);
  for (const [at, [name, { expected }]] of Object.entries(cases).entries()) {
    const record = records.find(({ entry }) => entry.id === ids[at]);
    expect({ name, ...record?.payload }).toMatchObject({ name, ...expected });
  }
});

test("its connection is closed, because nobody knows what else it would bring", async () => {
  const streams = Object.values(cases).filter(({ answer }) => answer.headers === eventStream).length;
  while (served.upstream.abandoned < streams) await Bun.sleep(1);
});

// Records the gateway: what clients send in each dialect, what reaches a fake upstream, what the client gets, and what the ledger gets.

import type { CallOptions } from "../fixture.ts";
import { prepareByModel } from "../gateway/prepared-answers.ts";
import { startGateway, upstreamKeys } from "../gateway/served.ts";
import { printReply, readReply, watchLedger } from "./observation.ts";
import { apiRoutes, exchangeOf, type Json, otherOperations, permissions } from "./product.ts";
import { createRecording, printBody, type Recording } from "./recording.ts";

const asked = "When do we release?";
const chat = (model: string, more: object = {}) => ({
  model,
  messages: [{ role: "user", content: asked }],
  ...more,
});
const response = (model: string, more: object = {}) => ({ model, input: asked, ...more });
const streamed = { stream: true };

/** The requests of each operation, by their title. */
const requests: Readonly<Record<string, readonly (readonly [title: string, path: string, body: unknown])[]>> =
  {
    "gateway.chat": [
      ["a whole answer", "/v1/chat/completions", chat("fake")],
      ["a stream", "/v1/chat/completions", chat("chat-chunks", streamed)],
      ["tools", "/v1/chat/completions", chat("tools")],
      ["a conversation", "/v1/chat/completions", chat("fake", { user: "ana" })],
      ["an error of the upstream", "/v1/chat/completions", chat("openai-400")],
      ["the limit of the upstream", "/v1/chat/completions", chat("openai-429")],
      ["an error within a stream", "/v1/chat/completions", chat("chat-error", streamed)],
      ["a stream that breaks off", "/v1/chat/completions", chat("chat-closed", streamed)],
    ],
    "gateway.responses": [
      ["a whole answer", "/v1/responses", response("responses-whole")],
      ["a stream", "/v1/responses", response("responses-bytes", streamed)],
      ["an error within a stream", "/v1/responses", response("responses-failed", streamed)],
    ],
    "gateway.messages": [
      ["a whole answer", "/v1/messages", chat("messages-whole", { max_tokens: 100 })],
      ["a stream", "/v1/messages", chat("messages-bytes", { max_tokens: 100, ...streamed })],
      ["an error of the upstream", "/v1/messages", chat("anthropic-529", { max_tokens: 100 })],
      ["an error within a stream", "/v1/messages", chat("messages-error", { max_tokens: 100, ...streamed })],
    ],
    "gateway.count_tokens": [["performed", "/v1/messages/count_tokens", chat("claude")]],
    "gateway.embeddings": [["performed", "/v1/embeddings", { model: "fake", input: asked }]],
    "gateway.models": [["performed", "/v1/models", undefined]],
    "gateway.forward": [
      ["a path that the upstream does not have", "/v1/files", undefined],
      ["a body", "/v1/moderations", { model: "fake", input: asked }],
    ],
  };

export async function recordGateway(): Promise<Recording> {
  await using gateway = await startGateway();
  const { app, upstream } = gateway;
  upstream.answerWith(prepareByModel);
  const recording = createRecording();
  recording.know(upstream.origin, "address of the upstream");
  recording.know(`127.0.0.1:${upstream.port}`, "host of the upstream");
  recording.know(app.projectId, "project");
  for (const [kind, key] of Object.entries(upstreamKeys)) recording.know(key, `key of ${kind}`);
  const ledger = watchLedger(app, [null, app.projectId]);
  const without = await app.createKey(
    app.projectId,
    permissions.filter((permission) => permission !== "gateway.use"),
  );

  const operations = [
    ...apiRoutes.map(({ operation }) => operation).filter((operation) => exchangeOf(operation) !== undefined),
    ...Object.values(otherOperations),
  ];
  for (const { name } of operations) {
    const [first, ...more] = requests[name] ?? [];
    if (first === undefined)
      throw new Error(`there is no request of ${name}; add one to test/behaviour/gateway.ts`);
    const send = async (
      title: string,
      path: string,
      body: unknown,
      { key = app.apiKey, headers = {} }: CallOptions,
    ) => {
      const [mark, received] = [ledger.mark(), upstream.received.length];
      const text = typeof body === "string" ? body : JSON.stringify(body);
      const reply = await readReply(
        await fetch(`${app.url}${path}`, {
          method: text === undefined ? "GET" : "POST",
          headers: {
            "User-Agent": "test/1",
            ...(key === null ? {} : { Authorization: `Bearer ${key}` }),
            ...(text === undefined ? {} : { "Content-Type": "application/json" }),
            ...headers,
          },
          ...(text === undefined ? {} : { body: text }),
        }),
      );
      // The record of a stream is committed when the stream has ended.
      while (!ledger.has(mark, name)) await Bun.sleep(5);
      const passedOn = upstream.received
        .slice(received)
        .flatMap(({ method, path, headers, body }) => [
          `>> ${method} ${path}`,
          ...Object.entries(headers).map(([name, value]) => `>> ${name}: ${value}`),
          printBody(body.toString()),
        ]);
      const request = `> ${path} ${printBody(text ?? "")}`;
      recording.observe(
        name,
        title,
        request,
        ...passedOn,
        ...printReply(reply),
        ...ledger.since(mark, reply.text),
      );
    };
    for (const [title, path, body] of [first, ...more]) await send(title, path, body, {});
    const [, path, body] = first;
    await send("no memory", path, body, { headers: { "Memledger-Memory": "off" } });
    await send("named by headers", path, body, {
      headers: {
        "Memledger-Subject": "user:42",
        "Memledger-Conversation": "chat-17",
        "X-Other": "passed on",
      },
    });
    await send("a header that is not valid", path, body, { headers: { "Memledger-Memory": "perhaps" } });
    app.passTime(1_000);
    await send("no key", path, body, { key: null });
    await send("a key without the permission", path, body, { key: without.key });
    if (body !== undefined) {
      await send("no JSON", path, "{", {});
      await send("no model", path, {} satisfies Json, {});
    }
  }
  return recording;
}

// Proves that keys for subjects get nothing through the gateway that an upstream has stored of others, and memory of their own subject only.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "./exchanges.ts";

let gateway: TestGateway;
/** A token, and a key that is bound to the same subject. */
let keys: readonly string[];
beforeAll(async () => {
  gateway = await startTestGateway();
  const { app } = gateway;
  await gateway.remember("Ana is allergic to nuts.", "rule", { subject: "user:1" });
  await gateway.remember("Bo is allergic to milk.", "rule", { subject: "user:2" });
  const { data } = await app.call("POST", "/v1/keys", { body: { subject: "user:1" } });
  const bound = await app.createKey(app.projectId, ["memory.read", "gateway.use"], { subject: "user:1" });
  keys = [String(data.token), bound.key];
});
afterAll(() => gateway[Symbol.asyncDispose]());

const as = (key: string) => ({ authorization: `Bearer ${key}` });

test("requests get the memories of the subject", async () => {
  for (const key of keys) {
    const said = { model: "fake", input: "What can I eat?" };
    const response = await gateway.post("/v1/responses", said, as(key));
    expect([response.status, (await response.text()) !== ""]).toEqual([200, true]);
    const sent = String(gateway.openai.received.at(-1)?.body);
    expect(sent).toContain("nuts");
    expect(sent).not.toContain("milk");
    const { entry } = gateway.lastRecord();
    expect(entry.subject).toMatch(/^[0-9a-f]{32}$/);
  }
});

test.each([
  ["/v1/responses", { model: "fake", input: "And?", previous_response_id: "resp_1" }],
  ["/v1/responses", { model: "fake", input: "And?", conversation: { id: "conv_1" } }],
  ["/v1/responses/resp_1/cancel", {}],
  ["/v1/files", { model: "fake" }],
])(
  "%s with %j is refused, because the upstream would answer from what others have sent",
  async (path, body) => {
    const before = gateway.openai.received.length;
    for (const key of keys) expect((await gateway.post(path, body, as(key))).status).toBe(403);
    expect(gateway.openai.received.length).toBe(before);
  },
);

test("a key of the project may continue a stored response", async () => {
  const body = { model: "fake", input: "And?", previous_response_id: "resp_1" };
  expect((await gateway.post("/v1/responses", body)).status).toBe(200);
});

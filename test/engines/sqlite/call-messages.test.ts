// Tests that a call arrives in the writer's thread as it was sent.

import { expect, test } from "bun:test";
import { encodePayload } from "../../../src/audit/parts/payload.ts";
import type { Call, Decision } from "../../../src/calls/contract/call.ts";
import { fromCallMessage, toCallMessage } from "../../../src/engines/sqlite/threads/call-messages.ts";

const id = "019a2b3c4d5e7f708192a3b4c5d6e7f8";
const base: Omit<Call, "decision"> = {
  operation: "memory.read",
  keyId: id,
  project: id,
  origin: {
    transport: "http",
    ip: "::1",
    userAgent: 'Zoë "\u2028" 😀',
    client: null,
    metadata: { a: [1, null] },
  },
  arrivedAt: 1_795_000_000_123.25,
  memoryId: id,
  parameters: { limit: 1e21 },
  bodyText: '{"query":"\\u0000"}',
  unreadableBody: null,
};

/** Through the same copy as a message between threads. */
const travel = (call: Call) => fromCallMessage(structuredClone(toCallMessage(call)));

test("a call whose outcome was precomputed arrives with its sealed payload, and without its answer", () => {
  const { salt, hash, compressed, parts } = encodePayload({ response_body: { content: "Grüße 😀" } });
  const payload = { salt: new Uint8Array(salt), hash, compressed: new Uint8Array(compressed), parts };
  const after = [{ effect: "touch_memories", project: id, memories: [id], at: 5 }] as const;
  const outcome = { memoryId: id, payload, after };
  const answer = { status: 200, code: 1000, message: "success", data: "{}" };
  const decision = { refused: null, erasures: "0 7", parameters: { memory_id: id }, prepared: 12 };
  const arrived = travel({ ...base, decision: { ...decision, precomputed: { ...outcome, answer } } });
  expect(arrived).toEqual({ ...base, decision: { ...decision, precomputed: { ...outcome, answer: null } } });
});

test.each<[string, Decision]>([
  ["is refused", { refused: { code: 2100, message: "There is none.", data: {} } }],
  [
    "brings a vector",
    {
      refused: null,
      parameters: {},
      prepared: { vector: Float32Array.of(0.1, -1), contentKey: new Uint8Array([1, 255]) },
    },
  ],
])("a call that %s arrives unchanged", (_, decision) => {
  expect(travel({ ...base, decision })).toEqual({ ...base, decision });
});

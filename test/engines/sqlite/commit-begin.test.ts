// Proves when the writer begins a group: a call waits for others of its project while texts of the project wait for the
// embedder, never for long, and only if it has embedded a text itself.

import { expect, test } from "bun:test";
import type { Call } from "../../../src/calls/contract/call.ts";
import { createCommitBegin } from "../../../src/engines/sqlite/threads/commit-begin.ts";
import { groupCallsEnough, groupWaitMaxMs } from "../../../src/engines/sqlite/threads/limits.ts";

const origin = { transport: "http", ip: null, userAgent: null, client: null, metadata: null } as const;
const common = {
  keyId: "key",
  origin,
  arrivedAt: 0,
  memoryId: null,
  parameters: null,
  bodyText: null,
  unreadableBody: null,
};
const accepted = { refused: null, parameters: {}, prepared: null };
const create = (project = "a"): Call => ({
  ...common,
  operation: "memory.create",
  project,
  decision: { ...accepted, models: ["sha256"] },
});
const payload = { salt: new Uint8Array(16), hash: "", compressed: new Uint8Array(1), parts: 1 };
const precomputed = { answer: null, memoryId: null, payload, after: [] };
const search: Call = {
  ...common,
  operation: "memory.search",
  project: "a",
  decision: { ...accepted, models: ["sha256"], precomputed },
};
const remove: Call = { ...common, operation: "memory.delete", project: "a", decision: accepted };
const refused: Call = {
  ...common,
  operation: "memory.create",
  project: "a",
  decision: { refused: { code: 1400, message: "", data: {} }, models: ["sha256"] },
};
const administration: Call = { ...common, keyId: null, operation: "project.create", decision: accepted };

/** A writer's group, and the wait that the test ends. */
function open() {
  const waits: { readonly maxMs: number; readonly end: () => void }[] = [];
  const begin = createCommitBegin({
    within(maxMs, work) {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      waits.push({ maxMs, end: () => resolve(undefined) });
      return Promise.race([work, promise]);
    },
  });
  const texts = (project: string, count: number) =>
    Array.from({ length: count }, () => begin.expect(project));
  const group = () => {
    const state = { hasBegun: false, begun: Promise.resolve() };
    state.begun = begin.isDue().then(() => {
      state.hasBegun = true;
    });
    return state;
  };
  return { begin, waits, texts, group };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("a call alone begins a group at once", async () => {
  const { begin, waits, group } = open();
  begin.add(create());
  await group().begun;
  expect(waits).toEqual([]);
});

test("a call waits while texts of its project wait for the embedder, until none does", async () => {
  const { begin, texts, group } = open();
  const [first, last] = texts("a", 2);
  begin.add(create());
  const waiting = group();
  await turn();
  expect(waiting.hasBegun).toBe(false);
  first?.[Symbol.dispose]();
  first?.[Symbol.dispose]();
  await turn();
  expect(waiting.hasBegun).toBe(false);
  last?.[Symbol.dispose]();
  await waiting.begun;
});

test("a call waits until there are enough others, and the next group is counted from nothing", async () => {
  const { begin, texts, group } = open();
  texts("a", 1);
  for (let call = 1; call < groupCallsEnough; call++) begin.add(create());
  const waiting = group();
  await turn();
  expect(waiting.hasBegun).toBe(false);
  begin.add(create());
  await waiting.begun;
  begin.add(create());
  const next = group();
  await turn();
  expect(next.hasBegun).toBe(false);
});

test("no call waits longer than the limit", async () => {
  const { begin, waits, texts, group } = open();
  texts("a", 100);
  begin.add(create());
  const waiting = group();
  await turn();
  expect(waits.map(({ maxMs }) => maxMs)).toEqual([groupWaitMaxMs]);
  expect(waiting.hasBegun).toBe(false);
  waits[0]?.end();
  await waiting.begun;
});

test.each([
  ["a search", search],
  ["a call that has embedded nothing", remove],
  ["a refused call", refused],
  ["administration", administration],
  ["a call of another project without such texts", create("b")],
])("%s waits for nobody, and begins the group of those that wait", async (_, call) => {
  const alone = open();
  alone.texts("a", 100);
  alone.begin.add(call);
  await alone.group().begun;
  expect(alone.waits).toEqual([]);

  const { begin, texts, group } = open();
  texts("a", 100);
  begin.add(create());
  const waiting = group();
  await turn();
  expect(waiting.hasBegun).toBe(false);
  begin.add(call);
  await waiting.begun;
});

// Tests operations that another one has performed for its caller, as a gateway injects memories before it forwards a prompt: each has a
// record and checks of its own, and the caller's request is counted once.

import { afterAll, describe, expect, test } from "bun:test";
import type { Static } from "@sinclair/typebox";
import { permissions } from "../../src/access/key.ts";
import type { Answer } from "../../src/calls/contract/answer.ts";
import type { Preparation, ProjectOperation } from "../../src/calls/contract/operation.ts";
import { extractMemories } from "../../src/calls/operations/extraction/extract.ts";
import { appendRecord } from "../../src/calls/operations/ledger/append.ts";
import { eraseRecords } from "../../src/calls/operations/ledger/erase-records.ts";
import { createMemory } from "../../src/calls/operations/memories/create.ts";
import { injectMemories } from "../../src/calls/operations/search/inject.ts";
import type { Reranker } from "../../src/memory/search/reranker.ts";
import { unavailable } from "../../src/platform/errors.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { checkChains } from "../audit/chain-check.ts";
import { newSecret, openCalls, openClient, recordsOf, type Send } from "./in-process.ts";
import { administrationOf, type Member, openSeam } from "./storage/seam.ts";

const seam = await openSeam();
const perform = openCalls(seam);
afterAll(() => seam.close());

/** An operation that does `work` first, then records itself as a gateway does. */
function gateway(work: (preparation: Preparation) => Promise<unknown>): ProjectOperation {
  return {
    ...appendRecord,
    async prepare(input, preparation) {
      await work(preparation);
      return appendRecord.prepare?.(input as Static<typeof appendRecord.input>, preparation);
    },
  };
}

const chat = { action: "gateway.chat", http_status: 200 };
const question = { query: "When do we release?", min_similarity: 0 };

async function openProject(
  plan = "custom",
  granted: readonly string[] = permissions,
): Promise<[Member, Send]> {
  const project = await seam.project({ plan });
  return [project, openClient(perform, await newSecret(seam, project, granted), "gateway")];
}

async function trailOf(project: Member): Promise<JsonObject[]> {
  const records = await recordsOf(seam, project);
  return records.map(({ entry: { action, status, key }, payload: { performed_for = null } }) => ({
    action: action ?? null,
    status: status ?? null,
    key: key ?? null,
    performed_for,
  }));
}

test("an injection for a gateway answers the gateway and leaves a record of its own before the gateway's", async () => {
  const [project, send] = await openProject();
  await send(createMemory, { content: "Releases go out on Tuesdays.", memory_type: "rule" });
  const answers: Answer[] = [];
  const outer = gateway(async ({ perform }) => {
    answers.push(await perform(injectMemories, question));
  });
  expect(await send(outer, chat, { ticket: "OPS-17" })).toMatchObject({ status: 201, code: 1000 });
  expect(JSON.parse(answers[0]?.data ?? "")).toMatchObject({ prompt: expect.stringContaining("Tuesdays") });
  const [{ key = null } = {}] = await trailOf(project);
  expect(key).toBeString();
  expect(await trailOf(project)).toEqual([
    { action: "memory.create", status: 201, key, performed_for: null },
    { action: "memory.inject", status: 200, key, performed_for: "audit.append" },
    { action: "gateway.chat", status: 200, key, performed_for: null },
  ]);
  const [, injection] = await recordsOf(seam, project);
  expect(injection?.payload).toMatchObject({
    transport: "gateway",
    client_name: "example/1.2",
    metadata: { ticket: "OPS-17" },
    request_body: question,
  });
  checkChains(seam.path);
});

test.each([
  ["the key lacks its permission", "custom", ["audit.write"], 1403],
  ["the plan does not include it", "free", permissions, 2106],
])(
  "it is refused and recorded when %s, and the gateway decides what follows",
  async (_, plan, granted, code) => {
    const [project, send] = await openProject(plan, granted);
    const answers: Answer[] = [];
    const outer = gateway(async ({ perform }) => {
      answers.push(await perform(injectMemories, question));
    });
    expect((await send(outer, chat)).code).toBe(1000);
    expect(answers.map((answer) => answer.code)).toEqual([code]);
    expect(await trailOf(project)).toMatchObject([
      { action: "memory.inject", status: 403, performed_for: "audit.append" },
      { action: "gateway.chat", status: 200, performed_for: null },
    ]);
  },
);

test("its input is validated like any other", async () => {
  const [, send] = await openProject();
  const answers: Answer[] = [];
  const outer = gateway(async ({ perform }) => {
    for (const fields of [{ query: "" }, { query: "x", colour: "red" }])
      answers.push(await perform(injectMemories, fields));
  });
  await send(outer, chat);
  expect(answers.map(({ code }) => code)).toEqual([1400, 1400]);
});

test("the rate limit counts the request once, however many operations are performed for it", async () => {
  const [, send] = await openProject("free");
  const answers: Answer[] = [];
  const outer = gateway(async ({ perform }) => {
    for (let call = 0; call < 3; call++) answers.push(await perform(injectMemories, question));
  });
  // All at once, because a slow machine would give each of seven calls in turn its permission.
  const replies = await Promise.all(Array.from({ length: 12 }, () => send(outer, chat)));
  const done = replies.filter(({ code }) => code === 1000).length;
  expect(done).toBeGreaterThanOrEqual(5);
  expect(replies.filter(({ code }) => code === 1429).length).toBe(12 - done);
  expect(done).toBeLessThan(12);
  // The plan free has no memory; what matters is that none of them is 1429.
  expect(answers.map(({ code }) => code)).toEqual(Array(3 * done).fill(2106));
});

test("what was done for a call stays when the call itself is refused afterwards", async () => {
  const [project, send] = await openProject();
  const outer = gateway(async ({ perform }) => {
    await perform(createMemory, { content: "It was learnt on the way.", memory_type: "fact" });
  });
  expect((await send(outer, { ...chat, action: "memory.create" })).code).toBe(1400);
  expect(await trailOf(project)).toMatchObject([
    { action: "memory.create", status: 201, performed_for: "audit.append" },
    { action: "audit.append", status: 400, performed_for: null },
  ]);
});

test("operations inside a turn do not wait for another turn of their project", async () => {
  const [project, send] = await openProject();
  const outer = gateway(({ inTurn, perform }) =>
    inTurn(() => perform(extractMemories, { text: "Ana: We moved to Porto.", dry_run: true })),
  );
  // More of them than turns: each would wait for a turn that one of the others holds.
  const answers = await Promise.all(Array.from({ length: 6 }, () => send(outer, chat)));
  expect(answers.map(({ code }) => code)).toEqual(Array(6).fill(1000));
  const trail = await trailOf(project);
  expect(trail.filter(({ performed_for }) => performed_for === "audit.append")).toHaveLength(6);
});

describe("an erasure that is committed while a gateway works", async () => {
  const [project, send] = await openProject();
  const created = await send(createMemory, { content: "Ada lives at 12 Example Lane.", memory_type: "rule" });
  const memory = String(Object(created.data).id);
  const erase = async () => {
    const input = { memory };
    const prepared = await eraseRecords.prepare?.(input, administrationOf(seam.store));
    await seam.administer("audit.redact", input, prepared);
  };

  test("leaves no record of what was done with the answer, because it may hold the erased text", async () => {
    for (const isRefused of [false, true]) {
      const outer = gateway(async ({ perform }) => {
        const { data } = await perform(injectMemories, question);
        expect(data).toContain("Example Lane");
        await erase();
        if (isRefused) throw unavailable("The model is busy.").withDetails({ output_content: data });
      });
      const { code, message } = await send(outer, chat);
      expect([code, message]).toEqual([1503, expect.stringContaining("Records were erased while")]);
      const records = await recordsOf(seam, project);
      expect(records.at(-1)).toMatchObject({ entry: { action: "audit.append", status: 503 } });
      expect(JSON.stringify(records)).not.toContain("Example Lane");
    }
  });

  test("does not concern a call that had nothing performed", async () => {
    expect((await send(gateway(erase), chat)).code).toBe(1000);
  });
});

test("it may have another operation performed in turn", async () => {
  const [project, send] = await openProject();
  const inner = gateway(async ({ perform }) => void (await perform(injectMemories, question)));
  const outer = gateway(async ({ perform }) => void (await perform(inner, { ...chat, action: "rag.find" })));
  expect((await send(outer, chat)).code).toBe(1000);
  expect((await trailOf(project)).map(({ action }) => action)).toEqual([
    "memory.inject",
    "rag.find",
    "gateway.chat",
  ]);
});

test("an injection for a gateway waits half as long for the reranker as the gateway waits for it, and else however long it takes", async () => {
  const deadlines: (number | null)[] = [];
  const scoreTexts: Reranker["scoreTexts"] = async (_query, texts, _waiter, deadlineMs) => {
    deadlines.push(deadlineMs);
    return Float64Array.from(texts, () => 0.5);
  };
  const project = await seam.project({ plan: "custom" });
  const secret = await newSecret(seam, project, permissions);
  for (const choice of ["auto", "on", "off"] as const) {
    const reranking = openCalls(seam, { reranker: { scoreTexts, choice, deadlineMs: 60 } });
    const send = openClient(reranking, secret, "gateway");
    for (const withinMs of [undefined, 50, 5_000]) {
      const outer = gateway(({ perform }) => perform(injectMemories, question, withinMs));
      expect(await send(outer, chat)).toMatchObject({ code: 1000 });
    }
    await send(injectMemories, { ...question, rerank: "on" });
  }
  expect(deadlines).toEqual([null, 25, 2_500, null, null, 25, 2_500, null, null]);
});

// Tests imports into a real server: counts, repetition, limits, a source that stalls, and a server that is busy, breaks off or refuses.

import { afterAll, describe, expect, test } from "bun:test";
import {
  createBatchCalls as createCalls,
  ImportStopped,
} from "../../../src/assistants/importing/batch-calls.ts";
import {
  type ImportCounts,
  type ImportOptions,
  importMemories,
  noCounts,
  type PlacedEntry,
} from "../../../src/assistants/importing/import-memories.ts";
import { batchesInFlight, batchItems } from "../../../src/assistants/importing/limits.ts";
import type { Channel } from "../../../src/assistants/local-access/channel.ts";
import { OutcomeUnknown, ServerUnreachable } from "../../../src/assistants/local-access/channel-failure.ts";
import { createRemoteChannel } from "../../../src/assistants/local-access/remote-channel.ts";
import { createRepeatedCall, giveUpAfterMs } from "../../../src/assistants/local-access/repeated-call.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

type RepeatOptions = Parameters<typeof createRepeatedCall>[0];
const createBatchCalls = ({ format, ...options }: RepeatOptions & { readonly format: string }) =>
  createCalls(createRepeatedCall(options), format);

const channelOf = (key = app.apiKey) => createRemoteChannel({ url: app.url, apiKey: key });

async function* entriesOf(memories: Iterable<object>): AsyncGenerator<PlacedEntry> {
  let line = 0;
  for (const memory of memories) {
    line += 1;
    yield { file: "f", line, memory: { content: undefined, ...memory } };
  }
}

interface Imported {
  readonly counts: ImportCounts;
  readonly messages: readonly string[];
}

async function run(
  entries: AsyncIterable<PlacedEntry>,
  options: Partial<ImportOptions> = {},
  counts = noCounts(),
): Promise<Imported> {
  const messages: string[] = [];
  const calls = createBatchCalls({ channel: channelOf(), format: "test" });
  await importMemories(
    {
      ...{ entries, calls, type: "fact", tags: [], subject: null, now: Date.now(), onProgress() {} },
      onMessage: ({ file, line }, kind, text) => void messages.push(`${file}:${line}: ${kind}: ${text}`),
      ...options,
    },
    counts,
  );
  return { counts, messages };
}

test("memories of any kind are stored, with the type and the tags of the import", async () => {
  const { key } = await app.createProject("pro");
  const { counts, messages } = await run(
    entriesOf([
      { content: "Ada likes tea." },
      { content: "Answer briefly.", memory_type: "rule", tags: ["style"], importance: 1 },
      { content: "Off.", is_active: false },
      { content: "Over.", expires_at: "2020-01-01T00:00:00Z" },
      { content: 7 },
      { content: "Ada likes tea." },
      { content: "Odd.", tags: "no list" },
    ]),
    {
      calls: createBatchCalls({ channel: channelOf(key), format: "test" }),
      type: "context",
      tags: ["imported"],
    },
  );
  expect(counts).toEqual({
    found: { rule: 1, fact: 0, context: 3 },
    created: 3,
    existing: 1,
    skipped: 1,
    refused: 2,
  });
  expect(messages).toEqual([
    "f:4: skipped: is a memory that has expired",
    'f:5: refused: Field "content" must be a string of 1 to 10000 characters.',
    'f:7: refused: Field "tags" must be an array of at most 16 items.',
  ]);
  const { data } = await app.call("GET", "/v1/memories?sort_dir=asc", { key });
  expect([data.memories].flat()).toMatchObject([
    { content: "Ada likes tea.", memory_type: "context", tags: ["imported"] },
    { content: "Answer briefly.", memory_type: "rule", importance: 1, tags: ["imported", "style"] },
    { content: "Off.", is_active: false },
  ]);
});

test("a dry run counts and stores nothing", async () => {
  const before = app.countRecords(app.projectId);
  const { counts } = await run(entriesOf([{ content: "A" }, { content: "" }]), { calls: null });
  expect(counts).toMatchObject({ found: { fact: 1 }, created: 0, refused: 1 });
  expect(app.countRecords(app.projectId)).toBe(before);
});

test("a repeated import stores nothing twice, and each batch has one record with the format", async () => {
  const { id, key } = await app.createProject("pro");
  const memories = Array.from({ length: batchItems + 20 }, (_, at) => ({
    content: `Item ${at}.`,
    source_id: `i${at}`,
  }));
  const calls = () => createBatchCalls({ channel: channelOf(key), format: "mem0" });
  expect((await run(entriesOf(memories), { calls: calls() })).counts).toMatchObject({
    created: memories.length,
    existing: 0,
  });
  expect((await run(entriesOf(memories), { calls: calls() })).counts).toMatchObject({
    created: 0,
    existing: memories.length,
  });
  const records = app.records(id);
  expect(records.map(({ action }) => action)).toEqual(Array.from({ length: 4 }, () => "memory.create_batch"));
  expect(records.map(({ payload }) => payload.metadata)).toEqual(
    Array.from({ length: 4 }, () => ({ import_format: "mem0" })),
  );
});

test("an import stops when the project is full, and says so", async () => {
  const { key } = await app.createProject("pro", { memory_limit: 3 });
  const counts = noCounts();
  const memories = Array.from({ length: 500 }, (_, at) => ({ content: `Thing ${at}.` }));
  const calls = createBatchCalls({ channel: channelOf(key), format: "test" });
  await expect(run(entriesOf(memories), { calls }, counts)).rejects.toThrow(/limit of 3 memories/);
  expect(counts.created).toBe(3);
  expect(counts.refused).toBeLessThan(500);
});

test("what a silent pipe has sent is stored while it is silent", async () => {
  const { promise: stored, resolve } = Promise.withResolvers<void>();
  const { promise: heard, resolve: hear } = Promise.withResolvers<void>();
  async function* stalling(): AsyncGenerator<PlacedEntry> {
    yield { file: "-", line: 1, memory: { content: "The pipe stalls." } };
    await heard;
    yield { file: "-", line: 2, memory: { content: "The pipe goes on." } };
  }
  const done = run(stalling(), { onProgress: ({ created }) => void (created === 1 && resolve()) });
  await stored;
  hear();
  expect((await done).counts.created).toBe(2);
});

test("an import that the server refuses does not wait for a silent pipe", async () => {
  async function* stalling(): AsyncGenerator<PlacedEntry> {
    yield { file: "-", line: 1, memory: { content: "The pipe stalls for ever." } };
    await new Promise(() => {});
  }
  const calls = {
    store: async () => {
      throw new ImportStopped("The key was revoked.");
    },
  };
  await expect(run(stalling(), { calls })).rejects.toThrow("The key was revoked.");
});

test("a source is read no faster than the server stores", async () => {
  let [given, running, most] = [0, 0, 0];
  const calls = {
    async store(items: readonly unknown[]) {
      running += 1;
      most = Math.max(most, running);
      expect(given).toBeLessThanOrEqual((batchesInFlight + 3) * batchItems + stored);
      await Bun.sleep(1);
      running -= 1;
      stored += items.length;
      return items.map(() => ({ status: "created" as const }));
    },
  };
  let stored = 0;
  function* many() {
    for (; given < 5_000; given++) yield { content: `Number ${given}.` };
  }
  expect((await run(entriesOf(many()), { calls })).counts.created).toBe(5_000);
  expect(most).toBe(batchesInFlight);
});

describe("a call is repeated", () => {
  /** Answers with these outcomes first, then like the server. */
  function failing(outcomes: (Response | Error | "lost")[], key = app.apiKey): Channel {
    const channel = channelOf(key);
    return {
      async fetch(path, request) {
        const outcome = outcomes.shift();
        if (outcome instanceof Error) throw outcome;
        if (outcome === "lost") {
          await (await channel.fetch(path, request)).text();
          throw new OutcomeUnknown("The connection ended.");
        }
        return outcome ?? channel.fetch(path, request);
      },
    };
  }
  const refusal = (code: number, status: number, headers: Record<string, string> = {}) =>
    new Response(JSON.stringify({ success: false, code, message: `refused ${code}`, data: {} }), {
      status,
      headers,
    });
  const results = (...all: object[]) =>
    Response.json({ success: true, code: 1000, message: "success", data: { results: all } });

  test("when the server is busy, cannot be reached, or its answer is lost; nothing is stored twice", async () => {
    const { key } = await app.createProject("pro");
    const waits: number[] = [];
    const reasons: string[] = [];
    const calls = createBatchCalls({
      channel: failing(
        [
          refusal(1429, 429, { "Retry-After": "3" }),
          refusal(1503, 503),
          new ServerUnreachable("gone"),
          "lost",
        ],
        key,
      ),
      format: "test",
      sleep: async (ms) => void waits.push(ms),
      onWait: (reason) => void reasons.push(reason),
    });
    const { counts } = await run(entriesOf([{ content: "One." }, { content: "Two." }]), { calls });
    expect(counts).toMatchObject({ created: 0, existing: 2 });
    expect(waits).toEqual([3_000, 1_000, 2_000, 4_000]);
    expect(reasons).toEqual(["refused 1429", "refused 1503", "gone", "The connection ended."]);
    expect((await app.call("GET", "/v1/memories", { key })).data.pagination).toMatchObject({ total: 2 });
  });

  test("when the answer ends too early", async () => {
    const broken = new Response(new ReadableStream({ start: (stream) => stream.error(new Error("reset")) }));
    const calls = createBatchCalls({ channel: failing([broken]), format: "test", sleep: async () => {} });
    expect((await run(entriesOf([{ content: "Early end." }]), { calls })).counts.created).toBe(1);
  });

  test("for items that were not stored because others changed meanwhile", async () => {
    const busy = { index: 1, status: "refused", code: 1503, message: "again" };
    const channel = failing([results({ index: 0, status: "created" }, busy)]);
    const calls = createBatchCalls({ channel, format: "test", sleep: async () => {} });
    const { counts } = await run(entriesOf([{ content: "Not sent." }, { content: "Sent again." }]), {
      calls,
    });
    expect(counts).toMatchObject({ created: 2, refused: 0 });
  });

  test("in parts, when the server refuses the whole batch", async () => {
    const { key } = await app.createProject("pro");
    const channel = channelOf(key);
    const calls = createBatchCalls({
      format: "test",
      channel: {
        fetch: (path, request) =>
          String(request.body).includes("poison")
            ? Promise.resolve(refusal(1500, 500))
            : channel.fetch(path, request),
      },
    });
    const memories = Array.from({ length: 9 }, (_, at) => ({ content: at === 5 ? "poison" : `Cup ${at}.` }));
    const { counts, messages } = await run(entriesOf(memories), { calls });
    expect(counts).toMatchObject({ created: 8, refused: 1 });
    expect(messages).toEqual(["f:6: refused: refused 1500"]);
  });

  test("not for ever, and not when the server refuses the caller", async () => {
    let now = 0;
    const reasons: string[] = [];
    const unreachable = { fetch: () => Promise.reject(new ServerUnreachable("gone")) };
    const calls = createBatchCalls({
      channel: unreachable,
      format: "test",
      now: () => now,
      onWait: (reason) => reasons.push(reason),
      async sleep(ms) {
        now += ms;
      },
    });
    await expect(run(entriesOf([{ content: "A" }]), { calls })).rejects.toThrow(new ImportStopped("gone"));
    expect(now).toBeGreaterThan(giveUpAfterMs);
    expect(reasons).toEqual(["gone"]);
    const nobody = createBatchCalls({ channel: channelOf("ml_nobody"), format: "test" });
    await expect(run(entriesOf([{ content: "A" }]), { calls: nobody })).rejects.toThrow(ImportStopped);
    const other = { fetch: async () => results({ status: "done" }) };
    const foreign = createBatchCalls({ channel: other, format: "test" });
    await expect(run(entriesOf([{ content: "A" }]), { calls: foreign })).rejects.toThrow(
      /is not that of a batch/,
    );
  });
});

test("a body is never too large, whatever the memories", async () => {
  const sizes: number[] = [];
  const calls = createBatchCalls({
    format: "test",
    channel: {
      async fetch(_path, { body = "" }) {
        sizes.push(Buffer.byteLength(body));
        const { memories } = JSON.parse(body);
        const results = [memories].flat().map((_, index) => ({ index, status: "created" }));
        return Response.json({ success: true, code: 1000, message: "success", data: { results } });
      },
    },
  });
  const contents = ["\u{1f600}", "\u6f22", "\u0001"].flatMap((character) =>
    Array.from({ length: 40 }, (_, at) => `${at} ${character.repeat(9_990)}`),
  );
  const { counts } = await run(entriesOf(contents.map((content) => ({ content }))), { calls });
  expect(counts).toMatchObject({ created: 120, refused: 0 });
  expect(Math.max(...sizes)).toBeLessThan(1024 * 1024);
});

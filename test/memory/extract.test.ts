// Tests what becomes of extracted items, with vectors whose similarities are known: thresholds, order, races, limits, credits.

import { afterAll, describe, expect, test } from "bun:test";
import { defaultPlans } from "../../src/access/plan.ts";
import { createPagePins } from "../../src/audit/parts/page-pins.ts";
import { createReservations } from "../../src/calls/operations/access/reservations.ts";
import { extractMemories } from "../../src/calls/operations/extraction/extract.ts";
import { bodiesHere } from "../../src/gateway/bodies.ts";
import type { ExtractedItem } from "../../src/memory/extraction/extractor.ts";
import { unknownOrigin } from "../../src/memory/origin.ts";
import { noReranker } from "../../src/memory/search/reranker.ts";
import type { JsonObject } from "../../src/platform/json/json.ts";
import { similarMemoriesMax } from "../../src/platform/limits.ts";
import { createClock } from "../../src/platform/time/clock.ts";
import { testTokens } from "../access/tokens.ts";
import { checkChains } from "../audit/chain-check.ts";
import { keepsSecrets } from "../calls/in-process.ts";
import { dimensions, type Member, neverAborted, type Outcome, openSeam } from "../calls/storage/seam.ts";
import { cannotForward, nobodyCounts, noGateway, nothingKept } from "../gateway/no-gateway.ts";

const seam = await openSeam();
afterAll(() => seam.close());

/** The vector in the plane of two axes at this cosine to the first one. */
function at(cosine: number, first = 0, second = 1): Float32Array {
  const vector = new Float32Array(dimensions);
  vector[first] = cosine;
  vector[second] = Math.sqrt(1 - cosine * cosine);
  return vector;
}

/**
 * The vector of a content that has this similarity to one with the vector `at(1)` and the same words. They differ in case and in marks at
 * the end, which do not count, so the words are 0.3 of the similarity.
 */
function similar(similarity: number, first = 0, second = 1): Float32Array {
  return at((similarity - 0.3) / 0.7, first, second);
}

interface Said {
  readonly content: string;
  readonly vector: Float32Array;
  readonly item?: Partial<ExtractedItem>;
}

/** The first half of an extraction that finds these items. */
async function prepare(member: Member, said: readonly Said[], input: JsonObject = {}) {
  const vectors = new Map(said.map(({ content, vector }) => [content, vector]));
  const items = said.map(({ content, item }) => ({
    content,
    type: "fact" as const,
    importance: 0.5,
    expiresAt: null,
    evidence: content,
    ...item,
  }));
  const { caller } = member;
  const fields = { text: said.map(({ content }) => content).join(" ") || "nothing", ...input };
  const prepared = await extractMemories.prepare?.(fields, {
    caller,
    plan: defaultPlans.custom,
    store: seam.store,
    now: seam.now(),
    exchange: null,
    gateway: noGateway,
    memoryOutcomes: nobodyCounts,
    bodies: bodiesHere,
    injectedSections: nothingKept,
    tokens: testTokens,
    forward: cannotForward,
    within: async (_ms, work) => work,
    prices: { extractionCredits: 3, chargeDryRuns: true, creditUsd: 0.5 },
    extractors: {
      builtIn: { name: "built-in", extract: async () => ({ items, model: null, usage: null }) },
      languageModel: { name: "llm", extract: async () => ({ items, model: "scripted", usage: null }) },
      passagesLastMs: null,
    },
    redactor: keepsSecrets,
    signal: new AbortController().signal,
    inTurn: (work) => work(),
    perform: () => Promise.reject(new Error("an extraction performs no other operation")),
    report() {},
    // What other calls have reserved is left out: the transaction decides alone.
    reserve: createReservations((project) => seam.store.access.findCredits(project))(caller.project).reserve,
    knownBackups: async () => null,
    pagePins: createPagePins(createClock()),
    placePrompt: () => Promise.reject(new Error("only an injection needs it")),
    embeddingModel: "of-the-test",
    reranker: noReranker,
    embed: async (text) => vectors.get(text) ?? at(1),
  });
  return { apply: (): Promise<Outcome> => member.call("memory.extract", fields, prepared), prepared };
}

async function extract(member: Member, said: readonly Said[], input: JsonObject = {}): Promise<Outcome> {
  return (await prepare(member, said, input)).apply();
}

function itemsOf({ data }: Outcome): JsonObject[] {
  return (data.extracted as JsonObject[]) ?? [];
}

const actionsOf = (outcome: Outcome) => itemsOf(outcome).map(({ action }) => action);

async function allOf(member: Member) {
  return (await member.list({ direction: "asc" })).memories;
}

async function contentsOf(member: Member): Promise<string[]> {
  return (await allOf(member)).map(({ content }) => content);
}

describe("an update loses nothing", () => {
  const closed = (day: string) =>
    `The office on the north quay of the harbour is closed every ${day} in winter.`;
  const known = { content: closed("Sunday"), vector: at(1) };
  const said = [{ content: closed("Monday"), vector: at(1) }];

  test("the previous text stays as a memory of its own, which names the updated one", async () => {
    const member = await seam.project();
    const { data } = await member.create({ ...known, tags: ["office"] });
    const [item] = itemsOf(await extract(member, said));
    expect(item).toMatchObject({ action: "updated", id: data.id ?? "", former: { content: known.content } });
    const [first, second] = await allOf(member);
    expect(first).toMatchObject({ id: data.id, content: closed("Monday") });
    expect(second).toMatchObject({
      content: known.content,
      previousOf: data.id,
      active: true,
      tags: ["office"],
    });
    expect(second?.origins[0]?.saidAt).toBeLessThanOrEqual(seam.now());
  });

  test("a previous text that somebody rewrites is no longer that of the updated one", async () => {
    const member = await seam.project();
    await member.create(known);
    await extract(member, said);
    const memory_id = (await allOf(member))[1]?.id ?? "";
    const { data } = await member.call("memory.update", { memory_id, content: closed("day") }, at(0.5));
    expect(data).not.toHaveProperty("former_of");
    expect((await allOf(member))[1]).toMatchObject({ content: closed("day"), previousOf: null });
  });

  test("a previous text is compared by its own embedding", async () => {
    const member = await seam.project();
    await member.create(known);
    await extract(member, [{ content: closed("Monday"), vector: at(0.99, 0, 7) }]);
    const again = await extract(member, [{ content: closed("Sunday").toUpperCase(), vector: at(1) }]);
    expect(actionsOf(again)).toEqual(["skipped"]);
    expect(await contentsOf(member)).toEqual([closed("Monday"), closed("Sunday")]);
  });

  test("a text whose words stand in the new one in a row is not kept", async () => {
    const member = await seam.project();
    await member.create({ ...known, content: known.content.toUpperCase() });
    const longer = { content: known.content.replace(".", ", too."), vector: at(1) };
    const [item] = itemsOf(await extract(member, [longer]));
    expect(item).toMatchObject({ action: "updated" });
    expect(item?.former).toBeUndefined();
    expect(await contentsOf(member)).toEqual([longer.content]);
  });

  test("what another person has said stays, also if the new text contains it", async () => {
    const member = await seam.project();
    const by = (name: string, content: string) => ({
      content,
      vector: at(1),
      item: { origin: { ...unknownOrigin, name } },
    });
    await extract(member, [by("Ann", known.content)]);
    const [item] = itemsOf(await extract(member, [by("Bo", known.content.replace(".", ", too."))]));
    expect(item).toMatchObject({ action: "updated", former: { content: known.content } });
    expect((await allOf(member)).map(({ origins }) => origins[0]?.name)).toEqual(["Bo", "Ann"]);
  });

  test("without room for it nothing is changed", async () => {
    const member = await seam.project({ memory_limit: 1 });
    await member.create(known);
    const outcome = await extract(member, said);
    expect(outcome.code).toBe(2101);
    expect(await contentsOf(member)).toEqual([known.content]);
  });

  test("what two people say in the same words is said by both", async () => {
    const member = await seam.project();
    const by = (name: string) => ({
      content: "I am vegetarian.",
      vector: at(1),
      item: { origin: { ...unknownOrigin, name } },
    });
    await extract(member, [by("Ann")]);
    expect(actionsOf(await extract(member, [by("Bo"), by("Bo")]))).toEqual(["skipped", "skipped"]);
    const [memory] = await allOf(member);
    expect(memory?.origins.map(({ name }) => name)).toEqual(["Ann", "Bo"]);
  });
});

describe("with tags", () => {
  const tagsOf = async (member: Member) =>
    (await allOf(member)).map(({ content, tags }) => [content, ...tags]);

  test("new memories have them, in canonical form", async () => {
    const member = await seam.project();
    const items = [
      { content: "one", vector: at(1) },
      { content: "two", vector: at(1, 2, 3) },
    ];
    const outcome = await extract(member, items, { tags: ["b", " a ", "b"] });
    expect(itemsOf(outcome).map(({ tags }) => tags)).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
    expect(await tagsOf(member)).toEqual([
      ["one", "a", "b"],
      ["two", "a", "b"],
    ]);
  });

  test("a memory that has all of them is updated and keeps its own", async () => {
    const member = await seam.project();
    await member.create({ content: "known", vector: at(1), tags: ["ana", "db"] });
    const outcome = await extract(member, [{ content: "Known!", vector: similar(0.95) }], { tags: ["ana"] });
    expect(itemsOf(outcome)).toMatchObject([{ action: "updated", tags: ["ana", "db"] }]);
    expect(await tagsOf(member)).toEqual([["Known!", "ana", "db"]]);
  });

  test.each([
    ["other tags", ["ben"]],
    ["some of them", ["db"]],
    ["no tags", []],
  ])("a similar memory with %s is not updated", async (_, tags) => {
    const member = await seam.project();
    await member.create({ content: "known", vector: at(1), tags });
    const said = { content: "Known!", vector: similar(0.95) };
    const outcome = await extract(member, [said], { tags: ["ana", "db"] });
    expect(itemsOf(outcome)).toMatchObject([{ action: "created", match: null }]);
    expect(await tagsOf(member)).toEqual([
      ["known", ...tags],
      ["Known!", "ana", "db"],
    ]);
    // The second time it has a memory of its own.
    const again = { content: "KNOWN", vector: at(0.8) };
    const second = await extract(member, [again], { tags: ["ana", "db"] });
    expect(actionsOf(second)).toEqual(["updated"]);
    expect(await contentsOf(member)).toEqual(["known", "KNOWN"]);
  });

  test("the most similar memory with all of them is updated, also if more others are nearer than are compared", async () => {
    const member = await seam.project();
    const own = await member.create({ content: "said!", vector: similar(0.92, 0, 200), tags: ["ana"] });
    for (let other = 0; other < similarMemoriesMax + 5; other++)
      await member.create({
        content: `said${"?".repeat(other + 1)}`,
        vector: similar(0.97, 0, 10 + other),
        tags: ["ben"],
      });
    const outcome = await extract(member, [{ content: "said", vector: at(1) }], { tags: ["ana"] });
    expect(itemsOf(outcome)).toMatchObject([{ action: "updated", id: own.data.id ?? "" }]);
  });

  test.each([
    ["above 0.98", "Known!", similar(0.99)],
    ["the same text", "known", at(0.1)],
  ])("a memory because of which an item is skipped gets them: %s", async (_, content, vector) => {
    const member = await seam.project();
    const { data } = await member.create({ content: "known", vector: at(1), tags: ["ben"] });
    seam.passTime(1_000);
    const outcome = await extract(member, [{ content, vector }], { tags: ["ana"] });
    expect(itemsOf(outcome)).toMatchObject([{ action: "skipped", tags: ["ana", "ben"], id: data.id ?? "" }]);
    expect(await tagsOf(member)).toEqual([["known", "ana", "ben"]]);
    const [memory] = await allOf(member);
    expect(memory?.updatedAt).toBeGreaterThan(memory?.createdAt ?? 0);
    const filter = { tags: ["ana"], match: "all" } as const;
    expect(await member.search({ vector: at(1), tags: filter })).toHaveLength(1);
    // It does not change again.
    await extract(member, [{ content, vector }], { tags: ["ana"] });
    expect((await allOf(member))[0]?.updatedAt).toBe(memory?.updatedAt ?? 0);
  });

  test("no memory gets more than 16, an inactive one none, and a rule of the whole project stays one", async () => {
    const member = await seam.project();
    const full = Array.from({ length: 15 }, (_, tag) => `tag ${tag + 10}`);
    await member.create({ content: "full", vector: at(1), tags: full });
    const { data } = await member.create({ content: "inactive", vector: at(1, 2, 3), tags: ["ben"] });
    await member.call("memory.update", { memory_id: String(data.id), is_active: false });
    await member.create({ content: "rule", vector: at(1, 4, 5), type: "rule" });
    await member.create({ content: "scoped rule", vector: at(1, 6, 7), type: "rule", tags: ["ben"] });
    const items = [
      { content: "full", vector: at(1) },
      { content: "inactive", vector: at(1, 2, 3) },
      { content: "rule", vector: at(1, 4, 5) },
      { content: "scoped rule", vector: at(1, 6, 7) },
    ];
    const outcome = await extract(member, items, { tags: ["ana", "db"] });
    expect(actionsOf(outcome)).toEqual(["skipped", "created", "skipped", "skipped"]);
    expect(itemsOf(outcome).map(({ tags }) => tags)).toEqual([
      full,
      ["ana", "db"],
      undefined,
      ["ana", "ben", "db"],
    ]);
    expect(await tagsOf(member)).toEqual([
      ["full", ...full],
      ["inactive", "ben"],
      ["rule"],
      ["scoped rule", "ana", "ben", "db"],
      ["inactive", "ana", "db"],
    ]);
    expect(itemsOf(await extract(member, items.slice(0, 1), { tags: ["ana"] }))[0]?.tags).toHaveLength(16);
  });

  test("a dry run says what they would be, and changes none", async () => {
    const member = await seam.project();
    await member.create({ content: "known", vector: at(1), tags: ["ben"] });
    const items = [
      { content: "known", vector: at(1) },
      { content: "new", vector: at(1, 2, 3) },
    ];
    const outcome = await extract(member, items, { tags: ["ana"], dry_run: true });
    expect(itemsOf(outcome).map(({ tags }) => tags)).toEqual([["ana", "ben"], ["ana"]]);
    expect(await tagsOf(member)).toEqual([["known", "ben"]]);
  });

  test("without them, memories with tags are compared as always, and the answer is that of the contract", async () => {
    const member = await seam.project();
    await member.create({ content: "tagged", vector: at(1), tags: ["ben"] });
    await member.create({ content: "plain", vector: at(1, 2, 3) });
    const items = [
      { content: "Tagged!", vector: similar(0.95) },
      { content: "Plain!", vector: similar(0.95, 2, 3) },
      { content: "new", vector: at(1, 4, 5) },
    ];
    const outcome = await extract(member, items);
    expect(actionsOf(outcome)).toEqual(["updated", "updated", "created"]);
    expect(itemsOf(outcome).map((item) => "tags" in item)).toEqual([true, false, false]);
    expect(await tagsOf(member)).toEqual([["Tagged!", "ben"], ["Plain!"], ["new"]]);
  });

  test("another call may give a memory its tags meanwhile", async () => {
    const member = await seam.project();
    const { data } = await member.create({ content: "known", vector: at(1), tags: ["ben"] });
    const { apply } = await prepare(member, [{ content: "Known!", vector: similar(0.95) }], {
      tags: ["ana"],
    });
    await member.call("memory.update", { memory_id: String(data.id), tags: ["ana"] });
    expect(actionsOf(await apply())).toEqual(["updated"]);
    expect(await tagsOf(member)).toEqual([["Known!", "ana"]]);
  });
});

describe("an item and the most similar memory", () => {
  test.each<[number, string]>([
    [0.9, "created"],
    [0.901, "updated"],
    [0.98, "updated"],
    [0.981, "skipped"],
    [1, "skipped"],
  ])("at a similarity of %d: %s", async (similarity, action) => {
    const member = await seam.project();
    const { data } = await member.create({ content: "known", vector: at(1), importance: 0.2, type: "rule" });
    // A float32 vector does not hit a threshold exactly, so thresholds are approached from below.
    const vector = similar(similarity === 0.9 || similarity === 0.98 ? similarity - 1e-6 : similarity);
    const item = { importance: 0.8, expiresAt: seam.now() + 60_000 };
    const outcome = await extract(member, [{ content: "Known!", vector, item }]);
    expect(actionsOf(outcome)).toEqual([action]);
    const [extracted] = itemsOf(outcome);
    if (action === "created") {
      expect(extracted).toMatchObject({ match: null, memory_type: "fact" });
      expect(await contentsOf(member)).toEqual(["known", "Known!"]);
      return;
    }
    const id = String(data.id);
    expect(extracted).toMatchObject({ id, match: { id, similarity: expect.closeTo(similarity, 5) } });
    expect(await contentsOf(member)).toEqual([action === "updated" ? "Known!" : "known"]);
    const [hit] = await member.search({ vector: at(1) });
    expect(hit?.memory).toMatchObject(
      action === "updated"
        ? { content: "Known!", importance: 0.2, type: "rule", expiresAt: item.expiresAt }
        : { content: "known", importance: 0.2, expiresAt: null },
    );
    // A search compares the embeddings alone.
    if (action === "updated") expect(hit?.similarity).toBeCloseTo((similarity - 0.3) / 0.7, 5);
  });

  test("the most similar one counts, not the most important one", async () => {
    const member = await seam.project();
    await member.create({ content: "Said.", vector: similar(0.93), importance: 1 });
    const near = await member.create({ content: "SAID", vector: at(1, 0, 2), importance: 0 });
    const [item] = itemsOf(await extract(member, [{ content: "said", vector: similar(0.97, 0, 3) }]));
    expect(item).toMatchObject({ action: "updated", id: near.data.id ?? "" });
    expect(await contentsOf(member)).toEqual(["Said.", "said"]);
  });

  test("of another project does not count", async () => {
    const [one, other] = [await seam.project(), await seam.project()];
    await one.create({ content: "known", vector: at(1) });
    expect(actionsOf(await extract(other, [{ content: "known", vector: at(1) }]))).toEqual(["created"]);
  });

  test("that has expired does not count, and gives its text to the successor", async () => {
    const member = await seam.project();
    await member.create({ content: "known", vector: at(1), expiresAt: seam.now() - 1_000 });
    expect(actionsOf(await extract(member, [{ content: "known", vector: at(1) }]))).toEqual(["created"]);
  });

  test.each([
    ["of the same text", "known", 1],
    ["of another text above 0.98", "Known.", 0.99],
    ["of a text above 0.90", "Known!", 0.95],
  ])(
    "that is inactive does not count for an item %s, which nothing active says",
    async (_, content, similarity) => {
      const member = await seam.project();
      const { data } = await member.create({ content: "known", vector: at(1) });
      const id = String(data.id);
      await member.call("memory.update", { memory_id: id, is_active: false });
      const [item] = itemsOf(await extract(member, [{ content, vector: similar(similarity) }]));
      expect(item).toMatchObject({ action: "created", content });
      expect(item?.id).not.toBe(id);
      const found = await member.search({ vector: at(1) });
      expect(found.map(({ memory }) => memory.id)).toEqual([String(item?.id)]);
      expect((await allOf(member)).find((memory) => memory.id === id)).toMatchObject({ active: false });
      expect(actionsOf(await extract(member, [{ content, vector: similar(similarity) }]))).toEqual([
        "skipped",
      ]);
    },
  );

  test("that is inactive cannot be activated while another one has its text", async () => {
    const member = await seam.project();
    const { data } = await member.create({ content: "known", vector: at(1) });
    const id = String(data.id);
    const switchTo = (memory_id: string, is_active: boolean) =>
      member.call("memory.update", { memory_id, is_active });
    await switchTo(id, false);
    const [item] = itemsOf(
      await extract(member, [{ content: "known", vector: at(1) }], { deduplicate: false }),
    );
    expect(item).toMatchObject({ action: "created" });
    const newer = String(item?.id);
    expect(await switchTo(id, true)).toMatchObject({ code: 2104, data: { memory_id: newer } });
    expect((await switchTo(newer, false)).code).toBe(1000);
    expect((await switchTo(id, true)).code).toBe(1000);
    expect((await switchTo(newer, true)).code).toBe(2104);
    const active = (await allOf(member)).filter((memory) => memory.active);
    expect(active.map((memory) => memory.id)).toEqual([id]);
  });

  test("keeps what was set unless the text says otherwise", async () => {
    const member = await seam.project();
    const [soon, later] = [seam.now() + 60_000, seam.now() + 120_000];
    const set = { importance: 0.9, type: "rule", expiresAt: soon } as const;
    await member.create({ content: "known", vector: at(1), ...set });
    const silent = { importance: 0.1, type: "fact", expiresAt: null } as const;
    const [first] = itemsOf(
      await extract(member, [{ content: "Known.", vector: similar(0.95), item: silent }]),
    );
    const shown = { memory_type: "rule", importance: 0.9, expires_at: new Date(soon).toISOString() };
    expect(first).toMatchObject({ action: "updated", content: "Known.", ...shown });
    expect(await allOf(member)).toMatchObject([{ content: "Known.", ...set }]);
    const telling = { ...silent, expiresAt: later };
    await extract(member, [{ content: "KNOWN!", vector: at(1), item: telling }]);
    expect(await allOf(member)).toMatchObject([{ content: "KNOWN!", ...set, expiresAt: later }]);
  });
});

describe("with the same embedding but another word, an item is new", () => {
  const one = { content: "Ana drinks tea at noon.", vector: at(1) };
  const other = { content: "Ben drinks tea at noon.", vector: at(1) };

  test("beside a memory, of which it updates the one that has the same words", async () => {
    const member = await seam.project();
    await member.create({ ...one, importance: 1 });
    expect(itemsOf(await extract(member, [other]))).toMatchObject([{ action: "created", match: null }]);
    const [item] = itemsOf(
      await extract(member, [{ content: "ben drinks tea at noon", vector: similar(0.95) }]),
    );
    expect(item).toMatchObject({ action: "updated", match: { similarity: expect.closeTo(0.95, 5) } });
    expect(await contentsOf(member)).toEqual([one.content, "ben drinks tea at noon"]);
  });

  test("beside another item of the call", async () => {
    const member = await seam.project();
    const outcome = await extract(member, [one, other, { content: "ANA DRINKS TEA AT NOON", vector: at(1) }]);
    expect(actionsOf(outcome)).toEqual(["created", "created", "skipped"]);
    expect(await contentsOf(member)).toEqual([one.content, other.content]);
  });

  test("beside a memory that came meanwhile, or has got another word", async () => {
    const member = await seam.project();
    const came = await prepare(member, [other]);
    const { data } = await member.create(one);
    expect(actionsOf(await came.apply())).toEqual(["created"]);
    const changes = await prepare(member, [{ content: "ana drinks tea at noon", vector: at(1) }]);
    const change = { memory_id: String(data.id), content: "Cleo drinks tea at noon." };
    await member.call("memory.update", change, at(1));
    expect(actionsOf(await changes.apply())).toEqual(["created"]);
    expect(await contentsOf(member)).toEqual([
      "Cleo drinks tea at noon.",
      other.content,
      "ana drinks tea at noon",
    ]);
  });
});

describe("items of one call", () => {
  test("are compared with each other", async () => {
    const member = await seam.project();
    const outcome = await extract(member, [
      { content: "first", vector: at(1) },
      { content: "First", vector: similar(0.99) },
      { content: "FIRST", vector: similar(0.95) },
      { content: "another", vector: at(0.5) },
    ]);
    expect(actionsOf(outcome)).toEqual(["created", "skipped", "updated", "created"]);
    expect(outcome.data).toMatchObject({ deduplicated: 1, updated: 1 });
    expect(await contentsOf(member)).toEqual(["FIRST", "another"]);
    const ids = itemsOf(outcome).map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual([ids[0], ids[0], ids[0]]);
    checkChains(seam.path);
  });

  test("are compared with what an item before them has become", async () => {
    const member = await seam.project();
    await member.create({ content: "known", vector: at(1) });
    // The second one is near the known vector, but the first one has moved the memory away from it.
    const outcome = await extract(member, [
      { content: "Known.", vector: similar(0.92) },
      { content: "KNOWN!", vector: similar(0.92, 0, 2) },
    ]);
    expect(actionsOf(outcome)).toEqual(["updated", "created"]);
    expect(await contentsOf(member)).toEqual(["Known.", "KNOWN!"]);
  });

  test("without deduplication only the same text is skipped", async () => {
    const member = await seam.project();
    const known = await member.create({ content: "known text", vector: at(1) });
    const outcome = await extract(
      member,
      [
        { content: "known  text ", vector: at(1) },
        { content: "said", vector: at(0.999) },
        { content: "said", vector: at(0.999) },
      ],
      { deduplicate: false },
    );
    expect(actionsOf(outcome)).toEqual(["skipped", "created", "skipped"]);
    expect(itemsOf(outcome)[0]?.match).toEqual({ id: String(known.data.id), similarity: 1 });
    expect(outcome.data).toMatchObject({ deduplicated: 2, updated: 0 });
  });

  test("none at all is an answer, too", async () => {
    const outcome = await extract(await seam.project(), []);
    expect(outcome).toMatchObject({ status: 200, data: { extracted: [], deduplicated: 0, updated: 0 } });
  });
});

describe("what happens between the two halves counts", () => {
  test("a memory that came meanwhile is found", async () => {
    const member = await seam.project();
    const { apply } = await prepare(member, [{ content: "Known!", vector: similar(0.99) }]);
    const meanwhile = await member.create({ content: "known", vector: at(1) });
    const [item] = itemsOf(await apply());
    expect(item).toMatchObject({ action: "skipped", id: meanwhile.data.id ?? "" });
  });

  test("a memory that went meanwhile is not brought back", async () => {
    const member = await seam.project();
    const { data } = await member.create({ content: "known", vector: at(1) });
    const [one, all] = [
      await prepare(member, [{ content: "Known.", vector: similar(0.95) }]),
      await prepare(member, [{ content: "KNOWN!", vector: similar(0.95) }]),
    ];
    await member.call("memory.delete", { memory_id: String(data.id) });
    expect(actionsOf(await one.apply())).toEqual(["created"]);
    await member.call("memory.delete_all", {});
    expect(actionsOf(await all.apply())).toEqual(["created"]);
    expect(await contentsOf(member)).toEqual(["KNOWN!"]);
  });

  test("a memory that means something else meanwhile is left alone", async () => {
    const member = await seam.project();
    const { data } = await member.create({ content: "known", vector: at(1) });
    const { apply } = await prepare(member, [{ content: "Known!", vector: similar(0.95) }]);
    const change = { memory_id: String(data.id), content: "something else" };
    await member.call("memory.update", change, at(0));
    expect(actionsOf(await apply())).toEqual(["created"]);
    expect(await contentsOf(member)).toEqual(["something else", "Known!"]);
  });

  test("two calls with the same text store it once", async () => {
    const member = await seam.project();
    const said = [{ content: "said", vector: at(1) }];
    const both = [await prepare(member, said), await prepare(member, said)];
    const outcomes = await Promise.all(both.map(({ apply }) => apply()));
    expect(outcomes.map(actionsOf)).toEqual([["created"], ["skipped"]]);
  });
});

describe("all or nothing", () => {
  const three = [0, 1, 2].map((axis) => ({ content: `item ${axis}`, vector: at(0, 9, axis) }));

  test("without room for all of them none is stored", async () => {
    const member = await seam.project({ memory_limit: 3 });
    await member.create({ content: "known", vector: at(0, 9, 7) });
    const outcome = await extract(member, three);
    expect(outcome).toMatchObject({ status: 400, code: 2101, data: { memory_limit: 3 } });
    // The model has read the text, and the record says so.
    const query = {
      from: null,
      to: null,
      action: "memory.extract",
      keyId: null,
      memoryId: null,
      statusClass: null,
      limit: 1,
      through: null,
      total: null,
      after: { skip: 0 },
    };
    const { records } = await seam.store.audit.list(member.caller.project, query, neverAborted);
    expect(JSON.parse(records[0]?.payload ?? "{}")).toMatchObject({
      model_id: "scripted",
      input_content: { text: expect.any(String) },
    });
    expect(await contentsOf(member)).toEqual(["known"]);
    expect((await extract(member, three.slice(0, 2))).code).toBe(1000);
    checkChains(seam.path);
  });

  test("a dry run answers and costs the same, and stores nothing", async () => {
    // Enough for both: the extractor of these tests is a language model.
    const member = await seam.project({ credits: 6 });
    await member.create({ content: "known", vector: at(1) });
    const said = [
      { content: "Known!", vector: similar(0.95) },
      { content: "new", vector: at(0.1) },
      { content: "New.", vector: at(0.1) },
    ];
    const dry = await extract(member, said, { dry_run: true });
    expect(await contentsOf(member)).toEqual(["known"]);
    expect(itemsOf(dry).map(({ id, match }) => [id === null, match])).toEqual([
      [false, { id: String(itemsOf(dry)[0]?.id), similarity: expect.closeTo(0.95, 5) }],
      [true, null],
      [true, { id: null, similarity: expect.closeTo(1, 5) }],
    ]);
    const real = await extract(member, said);
    const withoutIds = (outcome: Outcome) => itemsOf(outcome).map(({ id: _, match: __, ...rest }) => rest);
    expect(withoutIds(real)).toEqual(withoutIds(dry));
    expect(await contentsOf(member)).toEqual(["Known!", "new"]);
    checkChains(seam.path);
  });

  test("a dry run is refused where the real one would be", async () => {
    const member = await seam.project({ memory_limit: 2 });
    expect((await extract(member, three, { dry_run: true })).code).toBe(2101);
  });
});

describe("credits", () => {
  const creditsOf = async (member: Member) =>
    (await seam.administer("project.show", { project: member.id })).data.credits;
  const said = (content: string) => [{ content, vector: at(0, 9, content.length) }];

  test("are taken with the change, and the record says how many", async () => {
    const member = await seam.project({ credits: 7 });
    const late = await prepare(member, said("seven"));
    expect((await extract(member, said("one"))).code).toBe(1000);
    expect(await creditsOf(member)).toBe(4);
    expect((await extract(member, said("three"))).code).toBe(1000);
    expect(await creditsOf(member)).toBe(1);
    // Its first half saw 7: what counts is what is left inside the transaction.
    const refused = await late.apply();
    expect(refused).toMatchObject({ status: 402, code: 1402, data: { credits: 1, cost: 3 } });
    expect(await contentsOf(member)).toEqual(["one", "three"]);
    const query = {
      from: null,
      to: null,
      action: "memory.extract",
      keyId: null,
      memoryId: null,
      statusClass: null,
      limit: 10,
      through: null,
      total: null,
      after: { skip: 0 },
    };
    const page = await seam.store.audit.list(member.caller.project, query, neverAborted);
    const numbers = page.records.map(({ entry }) => JSON.parse(entry).numbers);
    expect(numbers.map(({ credits_consumed: credits, balance_consumed_usd: usd }) => [credits, usd])).toEqual(
      [
        [0, 0],
        [3, 1.5],
        [3, 1.5],
      ],
    );
  });

  test("that two calls both saw are spent once", async () => {
    const member = await seam.project({ credits: 3 });
    const both = [await prepare(member, said("a")), await prepare(member, said("bb"))];
    const outcomes = await Promise.all(both.map(({ apply }) => apply()));
    expect(outcomes.map(({ code }) => code)).toEqual([1000, 1402]);
    expect(await creditsOf(member)).toBe(0);
    expect(await contentsOf(member)).toEqual(["a"]);
  });

  test("stay when nothing is stored", async () => {
    const member = await seam.project({ credits: 5, memory_limit: 1 });
    const outcome = await extract(member, [...said("one"), ...said("three")]);
    expect(outcome.code).toBe(2101);
    expect(await creditsOf(member)).toBe(5);
  });
});

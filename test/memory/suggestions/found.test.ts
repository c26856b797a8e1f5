// Tests what an extraction suggests about memories that look like each other, that suggestions change nothing but the order of lines, and
// that their words go with erasures.

import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { eraseRecords } from "../../../src/calls/operations/ledger/erase-records.ts";
import { differenceOf } from "../../../src/memory/suggestions/difference.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { everythingStored, payloadsIn } from "../../everything-stored.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

let key = "";
let project = "";
beforeEach(async () => {
  ({ key, id: project } = await app.createProject("custom"));
});

const objectsIn = (value: unknown) => [value].flat().filter(isObject);
const call = (method: string, path: string, body?: JsonObject) =>
  app.call(method, path, { key, ...(body === undefined ? {} : { body }) });
const create = async (content: string, fields: JsonObject = {}) =>
  String((await call("POST", "/v1/memories", { content, memory_type: "fact", ...fields })).data.id);
async function extract(text: string, fields: JsonObject = {}) {
  const { status, data, text: answer } = await call("POST", "/v1/memories/extract", { text, ...fields });
  expect({ status, answer }).toMatchObject({ status: 200 });
  return objectsIn(data.extracted);
}
const suggestions = async (query = "") =>
  objectsIn((await call("GET", `/v1/suggestions${query}`)).data.suggestions);
const contents = (suggestion: JsonObject | undefined) =>
  objectsIn(suggestion?.memories).map(({ content }) => content);

describe("the difference of two texts", () => {
  test.each([
    [
      "The staging database listens on port 5433.",
      "The staging database listens on port 5434.",
      "changed_value",
    ],
    ["Die Releases gehen dienstags raus.", "Die Releases gehen donnerstags raus.", "changed_value"],
    ["リリースは火曜日です。", "リリースは木曜日です。", "changed_value"],
    ["The build server restarts at night.", "The build server never restarts at night.", "contradiction"],
    ["Ana lives in Oslo.", "Ana lives in Bergen.", "changed_value"],
    ["Ticket 881 is closed.", "Ticket 882 is closed.", null],
    ["Ana likes tea.", "Bo likes tea.", null],
    ["The office opens at nine.", "The office opens at nine!", null],
    ["Ana eats no nuts.", "Ana eats no nuts, and always carries an EpiPen with her.", null],
    ["", "", null],
    ["a", "b", null],
  ] as const)("%s %s", (one, other, kind) => {
    expect(differenceOf(one, other)).toBe(kind);
    expect(differenceOf(other, one)).toBe(kind);
  });
});

describe("an extraction", () => {
  test("suggests that a changed value replaces the previous one, and both stay", async () => {
    await create("We decided that the staging database listens on port 5433.");
    const text = "We decided that the staging database listens on port 5434.";
    const [item] = await extract(text);
    expect(item).toMatchObject({ content: text });
    const [suggestion, ...others] = await suggestions();
    expect(others).toEqual([]);
    expect(suggestion).toMatchObject({
      kind: "changed_value",
      proposed_by: "comparison",
      reason: null,
      quotes: [],
    });
    expect(contents(suggestion)).toEqual([text.replace("5434", "5433"), text]);
    const listed = await call("GET", "/v1/memories?is_active=true");
    expect(objectsIn(listed.data.memories)).toHaveLength(2);
    const record = app.records(project).find(({ action }) => action === "memory.extract");
    expect(suggestion?.audit_id).toBe(record?.entry.id as string);
    expect(record?.payload.suggestions).toEqual([suggestion?.id ?? null]);
  });

  test("suggests nothing in a dry run, without comparisons, and for what is not alike", async () => {
    await create("We decided that the staging database listens on port 5433.");
    const text = "We decided that the staging database listens on port 5434.";
    await extract(text, { dry_run: true });
    await extract("We decided that Bo leads the mobile team.");
    await extract(text, { deduplicate: false });
    await extract(text);
    expect(await suggestions()).toEqual([]);
  });

  test("takes what was said earlier for the older one, whenever it is stored", async () => {
    const said = (content: string, said_at: string) => ({
      messages: [{ role: "user", content, said_at }],
    });
    const [late, early] = [
      "We decided that releases go out on Tuesdays.",
      "We decided that releases go out on Thursdays.",
    ];
    await call("POST", "/v1/memories/extract", said(late ?? "", "2026-05-01T10:00:00Z"));
    await call("POST", "/v1/memories/extract", said(early ?? "", "2026-04-01T10:00:00Z"));
    const [suggestion] = await suggestions();
    expect(contents(suggestion)).toEqual([early, late]);
    const { data } = await call("POST", `/v1/suggestions/${suggestion?.id}/accept`, {});
    expect(objectsIn(data.changes)).toMatchObject([{ change: "changed", after: { is_active: false } }]);
    const { data: active } = await call("GET", "/v1/memories?is_active=true");
    expect(objectsIn(active.memories)).toMatchObject([{ content: late }]);
  });
});

/** The lines of an injection that have one of the texts, in their order. */
async function linesOf(query: string, among: readonly string[]): Promise<string[]> {
  const { data } = await call("POST", "/v1/memories/inject", { query });
  return String(data.prompt)
    .split("\n")
    .flatMap((line) => among.filter((text) => line.includes(JSON.stringify(text))));
}

describe("an injection", () => {
  const texts = [
    "We decided that the staging database listens on port 5433.",
    "We decided that the staging database is backed up on Sundays.",
    "We decided that the staging database listens on port 5434.",
  ] as const;
  const [older, other, newer] = texts;
  const query = "On which port does the staging database listen, and when is it backed up?";

  test("has memories that may contradict each other side by side, the newest first, and the same ones as before", async () => {
    await call("POST", "/v1/memories/extract", {
      messages: [{ role: "user", content: older, said_at: "2026-01-01T10:00:00Z" }],
    });
    await create(other, { importance: 0.6 });
    await call("POST", "/v1/memories/extract", {
      messages: [{ role: "user", content: newer, said_at: "2026-02-01T10:00:00Z" }],
    });
    const [suggestion] = await suggestions();
    expect(suggestion).toMatchObject({ kind: "changed_value" });
    const linked = await linesOf(query, texts);
    expect(linked.toSorted()).toEqual([...texts].toSorted());
    expect(linked.indexOf(older) - linked.indexOf(newer)).toBe(1);
    const prompt = async () => String((await call("POST", "/v1/memories/inject", { query })).data.prompt);
    expect(await prompt()).toContain("1 January 2026");
    const before = (await prompt()).split("\n").toSorted();
    await call("POST", `/v1/suggestions/${suggestion?.id}/refuse`);
    expect((await prompt()).split("\n").toSorted()).toEqual(before);
  });
});

describe("the words of a suggestion", () => {
  const secret = "xylocarp";
  const proposal = (subject?: string) => ({
    kind: "create",
    content: `The ${secret} grows in the garden of the office.`,
    memory_type: "fact",
    reason: `Somebody said ${secret} yesterday.`,
    quotes: [`the ${secret} grows`],
    ...(subject === undefined ? {} : { subject }),
  });
  const isStored = () =>
    (everythingStored(app.config.dataDir) + payloadsIn(app.config.dataDir)).includes(secret);

  test("go with the erasure of their subject", async () => {
    await call("POST", "/v1/suggestions", proposal("user:1"));
    expect(await suggestions("?subject=user:1")).toHaveLength(1);
    expect(isStored()).toBe(true);
    const exported = await call("GET", "/v1/subjects/user:1/export");
    expect(exported.data.suggestions).toMatchObject([{ kind: "create", subject: "user:1" }]);
    const erased = await call("POST", "/v1/subjects/user:1/erase", {});
    expect(erased.data.erased).toBe(true);
    expect(isStored()).toBe(false);
  });

  test("go with the erasure of their record", async () => {
    const { data } = await call("POST", "/v1/suggestions", proposal());
    const read = await call("GET", `/v1/suggestions/${data.id}`);
    const erased = await app.administer(eraseRecords, { record: read.data.audit_id ?? null });
    expect(erased).toMatchObject({ suggestions: 1 });
    expect(await suggestions()).toEqual([]);
    expect(isStored()).toBe(false);
  });

  test("go with the erasure of the memory that they are about, which stays or not", async () => {
    for (const delete_memory of [false, true]) {
      const memory = await create(`The ${secret} grows in the garden.`);
      const body = {
        kind: "replace",
        memory_id: memory,
        content: `The ${secret} grows no more in the garden.`,
      };
      await call("POST", "/v1/suggestions", body);
      await suggestions();
      await app.administer(eraseRecords, { memory, delete_memory });
      expect(await suggestions()).toEqual([]);
      await call("DELETE", `/v1/memories/${memory}`);
    }
  });
});

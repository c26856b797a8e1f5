// Checks which values become parts with the records of a real server: part 0 has no text that somebody chose, and what is about different
// subjects is in different parts.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { partPlaces, withSender } from "../../src/audit/parts/part-choice.ts";
import { cutPayload } from "../../src/audit/parts/parts.ts";
import { parseHeader } from "../../src/audit/verify/part-header.ts";
import {
  installationOperations,
  otherOperations,
  projectOperations,
  sessionOperations,
} from "../../src/calls/operations.ts";
import { isObject, type Json, type JsonObject } from "../../src/platform/json/json.ts";
import type { RecordRow } from "../fixture.ts";
import { startTestGateway, type TestGateway } from "../gateway/exchanges.ts";
import { callEverything, mark, markedUpstream, unreadable } from "./marked-calls.ts";

let gateway: TestGateway;
let all: readonly RecordRow[] = [];
beforeAll(async () => {
  gateway = await startTestGateway(markedUpstream);
  all = await callEverything(gateway);
});
afterAll(() => gateway[Symbol.asyncDispose]());

/** Their effects need another server, a second model or a time stamp authority. Their answers are checked by their schemas (part-choice.test.ts). */
const elsewhere = [
  "audit.restore",
  "audit.rotate_key",
  "audit.timestamp",
  "model.begin_change",
  "model.cancel_change",
  "model.change",
  "session.close",
  "session.open",
];

const partsOf = (payload: JsonObject) => {
  const moved = withSender(payload);
  return cutPayload(moved, [], partPlaces(moved));
};
const placesOf = (payload: JsonObject) =>
  partsOf(payload).flatMap(({ header }) => parseHeader(header)?.at ?? []);

/** The texts with the mark in a value, and the whole value. */
function textsIn(value: Json): string[] {
  if (typeof value === "string") return value.includes(mark) ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  const inside = Object.entries(value).flatMap(([name, item]) => [...textsIn(name), ...textsIn(item)]);
  return inside.length === 0 ? [] : [JSON.stringify(value), ...inside];
}

test("the calls were of every operation, most with the mark", () => {
  const names = [
    ...projectOperations,
    ...Object.values(otherOperations),
    ...installationOperations,
    ...sessionOperations,
  ].map(({ name }) => name);
  const called = new Set(all.map(({ action }) => action));
  expect(names.filter((name) => !called.has(name)).toSorted()).toEqual(elsewhere);
  const marked = all.filter(({ payload }) => JSON.stringify(payload).includes(mark));
  // Of the actions, because a call that waits for an export is repeated.
  expect(new Set(marked.map(({ action }) => action)).size).toBeGreaterThan(50);
});

test("no first part and no header has the mark, or SHA-256 of a text with it", () => {
  const texts = new Set(all.flatMap(({ payload }) => textsIn(payload)).concat(mark, unreadable));
  const digests = [...texts].flatMap((text) => {
    const digest = new Bun.CryptoHasher("sha256").update(text).digest();
    return [digest.toString("hex"), digest.toString("base64")];
  });
  for (const { action, payload } of all) {
    const parts = partsOf(payload);
    const shown = `${parts[0]?.text} ${parts.map(({ header }) => header).join(" ")}`;
    expect([action, shown]).toEqual([action, expect.not.stringContaining(mark)]);
    const found = shown.match(/[0-9a-f]{64}|[A-Za-z0-9+/]{43}=/g) ?? [];
    expect(found.filter((each) => digests.includes(each))).toEqual([]);
  }
});

const of = (action: string, isWanted: (payload: JsonObject) => boolean = () => true) => {
  const found = all.find(
    (record) => record.action === action && record.status < 300 && isWanted(record.payload),
  );
  if (found === undefined) throw new Error(`no record of ${action}`);
  return found.payload;
};
const lengthAt = (value: Json | undefined, ...names: string[]): number => {
  const found = names.reduce<Json | undefined>(
    (outer, name) => (isObject(outer) ? outer[name] : undefined),
    value,
  );
  return Array.isArray(found) ? found.length : 0;
};
const inItems = (places: readonly string[], array: string) =>
  places.filter((at) => at.startsWith(`${array}/`)).length;

test("a search of ten has a part for each result, a list of 100 for each memory, a batch of 1,000 for each item", () => {
  const search = placesOf(of("memory.search"));
  expect(inItems(search, "/response_body/data/results")).toBe(10);
  expect(search).toContain("/request_body");
  const list = placesOf(of("memory.list"));
  expect(inItems(list, "/response_body/data/memories")).toBe(100);
  const batch = of("memory.create_batch", ({ request_body }) => lengthAt(request_body, "memories") === 1000);
  expect(inItems(placesOf(batch), "/request_body/memories")).toBe(1000);
  // The answer has only ids.
  expect(inItems(placesOf(batch), "/response_body/data/results")).toBe(0);
  // Part 0, the sender, the metadata, the rest of the request, and the items.
  expect(partsOf(batch).length).toBe(1004);
});

test("an injection has a part for each memory and rule, and one for the prompt at both of its places", () => {
  const payload = of("memory.inject", ({ performed_for }) => performed_for === undefined);
  const places = placesOf(payload);
  for (const name of ["results", "rules", "missed"]) {
    const count = lengthAt(payload, "response_body", "data", name);
    expect(count).toBeGreaterThan(0);
    expect(inItems(places, `/response_body/data/${name}`)).toBe(count);
  }
  const prompts = partsOf(payload).filter(({ header }) => header.includes("/response_body/data/prompt"));
  expect(prompts.map(({ header }) => parseHeader(header)?.at)).toEqual([
    ["/output_content", "/response_body/data/prompt"],
  ]);
});

test("a request to the gateway has a part for each message and each memory, and others for what the model and the upstream chose", () => {
  const payload = of("gateway.chat", ({ memory_results }) => lengthAt(memory_results) > 0);
  const places = placesOf(payload);
  expect(inItems(places, "/request_body/messages")).toBe(3);
  expect(inItems(places, "/memory_results")).toBe(lengthAt(payload, "memory_results"));
  for (const at of [
    "/answer",
    "/output_content",
    "/model_id",
    "/gateway_id",
    "/memory_query",
    "/metadata",
    "/sender",
  ])
    expect(places).toContain(at);
});

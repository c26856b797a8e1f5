// In which order a request, its key, the upstream and the configuration decide.

import { expect, test } from "bun:test";
import { memoryFor, readRequestSettings, remembersFor } from "../../src/gateway/request-settings.ts";
import type { UpstreamMemory } from "../../src/gateway/upstream.ts";

const upstream: UpstreamMemory = {
  isOn: true,
  maxCharacters: 2_000,
  minSimilarity: null,
  tags: null,
  failure: "fail_open",
  deadlineMs: 50,
};

test("each setting is that of the request, else of the key, else of the upstream", () => {
  const key = { memory: { isOn: false, tags: ["key"], maxCharacters: 7 } };
  const { memory } = readRequestSettings(
    new Headers({
      "Memledger-Memory": "on",
      "Memledger-Memory-Budget": "0",
      "Memledger-Memory-Failure": "closed",
    }),
  );
  expect(memoryFor(memory, key, upstream)).toEqual({
    isOn: true,
    maxCharacters: 0,
    minSimilarity: null,
    tags: ["key"],
    failure: "fail_closed",
    deadlineMs: 50,
  });
  expect(memoryFor({}, null, upstream)).toEqual(upstream);
});

test("remembering is decided by the request, else by the key, else by the configuration", () => {
  expect(remembersFor({ remembers: false }, { memory: {}, remembers: true }, true)).toBe(false);
  expect(remembersFor({}, { memory: {}, remembers: true }, false)).toBe(true);
  expect(remembersFor({}, { memory: {} }, true)).toBe(true);
});

test("tags are labels in canonical form, also encoded ones", () => {
  const { memory } = readRequestSettings(new Headers({ "Memledger-Memory-Tags": "b, a,b, caf%C3%A9" }));
  expect(memory.tags).toEqual(["a", "b", "café"]);
});

test("without headers the request says nothing", () => {
  expect(readRequestSettings(new Headers())).toEqual({ memory: {}, upstreamKey: null });
});

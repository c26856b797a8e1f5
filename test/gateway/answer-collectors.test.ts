// Holds the memory for collected answers to its limits.

import { expect, test } from "bun:test";
import { createAnswerCollectors } from "../../src/calls/storage/answer-collectors.ts";

test("answers that are collected share their memory, and give it back", () => {
  const collect = createAnswerCollectors(10, 15);
  const [first, second] = [collect(), collect()];
  first.add(new Uint8Array(10));
  second.add(new Uint8Array(6));
  expect([first.whole()?.length, second.whole()]).toEqual([10, null]);
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  const third = collect();
  third.add(new Uint8Array(5));
  third.add(new Uint8Array(5));
  expect(third.whole()?.length).toBe(10);
  third.add(new Uint8Array(1));
  expect(third.whole()).toBeNull();
});

// Proves when a group of searches begins: without delay when it gains nothing, and never much later than it could.

import { expect, test } from "bun:test";
import { createGroupBegin } from "../../../../../src/engines/sqlite/search/groups/group-begin.ts";
import { groupVectorsMax } from "../../../../../src/engines/sqlite/search/limits.ts";

const project = "p";
const groupMs = 20;

function openBegin() {
  let nowMs = 0;
  const timers: { readonly atMs: number; readonly work: () => void }[] = [];
  const begun = { times: 0 };
  const clock = {
    elapsed: () => nowMs,
    after(ms: number, work: () => void) {
      timers.push({ atMs: nowMs + ms, work });
      return { cancel() {} };
    },
  };
  const groupBegin = createGroupBegin(clock, () => {
    begun.times += 1;
  });
  const passTime = (ms: number): void => {
    nowMs += ms;
    for (const timer of timers.splice(0)) {
      if (timer.atMs <= nowMs) timer.work();
      else timers.push(timer);
    }
  };
  return { ...groupBegin, begun, passTime };
}

test("a group begins when all searches that were announced have come or were given up", () => {
  const { expect: announce, isDue, took } = openBegin();
  took(project, groupMs);
  const now = 0;
  expect(isDue(project, 1, now)).toBe(true);
  const expected = [announce(project), announce(project), announce(project)];
  for (const [at, one] of expected.entries()) {
    expect(isDue(project, at + 1, now)).toBe(false);
    one[Symbol.dispose]();
  }
  expect(isDue(project, 1, now)).toBe(true);
});

test("a full group does not wait for more searches", () => {
  const { expect: announce, isDue, took } = openBegin();
  took(project, groupMs);
  for (let count = 0; count < groupVectorsMax * 4; count++) announce(project);
  expect(isDue(project, groupVectorsMax - 1, 0)).toBe(false);
  expect(isDue(project, groupVectorsMax, 0)).toBe(true);
});

test("a project whose groups take no time does not wait, nor one that was never searched, nor another project", () => {
  const { expect: announce, isDue, took } = openBegin();
  announce(project);
  announce(project);
  expect(isDue(project, 1, 0)).toBe(true);
  took(project, groupMs);
  expect(isDue(project, 1, 0)).toBe(false);
  expect(isDue("other", 1, 0)).toBe(true);
  took(project, 0.5);
  expect(isDue(project, 1, 0)).toBe(true);
});

test("a search that has waited as long as a group takes waits no longer", () => {
  const { expect: announce, isDue, took } = openBegin();
  took(project, groupMs);
  announce(project);
  announce(project);
  expect(isDue(project, 1, 1 - groupMs)).toBe(false);
  expect(isDue(project, 1, -groupMs)).toBe(true);
});

test("a group that was not due is tried again once when the wait is over, although nothing else happens", () => {
  const { begun, passTime, expect: announce, isDue, took } = openBegin();
  took(project, groupMs);
  announce(project);
  announce(project);
  expect(isDue(project, 1, 0)).toBe(false);
  passTime(groupMs / 2);
  expect(isDue(project, 1, 0)).toBe(false);
  expect(begun.times).toBe(0);
  passTime(groupMs / 2);
  expect(begun.times).toBe(1);
  expect(isDue(project, 1, 0)).toBe(true);
});

test("searches that are announced and given up let the others begin", async () => {
  const { begun, expect: announce, isDue, took } = openBegin();
  took(project, groupMs);
  const [first, second] = [announce(project), announce(project)];
  expect(isDue(project, 1, 0)).toBe(false);
  first[Symbol.dispose]();
  second[Symbol.dispose]();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun.times).toBe(1);
  expect(isDue(project, 1, 0)).toBe(true);
});

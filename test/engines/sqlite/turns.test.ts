// Proves how calls wait for the engine's threads: lists never behind searches, projects in turn, and no question is asked whose caller is
// gone.

import { expect, test } from "bun:test";
import { groupVectorsMax } from "../../../src/engines/sqlite/search/limits.ts";
import type { ToSearcher } from "../../../src/engines/sqlite/search/steps/group-steps.ts";
import { Refusal } from "../../../src/platform/errors.ts";
import {
  groupMaxCalls,
  groupMaxCharacters,
  readRequestsOfProjectAtOnce,
} from "../../../src/platform/limits.ts";
import { spawnWorker } from "../../../src/platform/threads/spawn.ts";
import { type Member, openSeam, type Seam, unitVector } from "../../calls/storage/seam.ts";
import { closeAfterEach } from "../../cleanup.ts";

const closeLater = closeAfterEach<Seam>();

interface Observed {
  readonly seam: Seam;
  /** Ids of the projects of the groups of searches that the thread was given, in that order. */
  readonly asked: string[];
  /** From now on the thread gets what it is asked. */
  release(): void;
}

/** An engine whose searching thread gets no message before the test says so. */
async function openHeld(): Promise<Observed> {
  const asked: string[] = [];
  const held: (() => void)[] = [];
  let isHeld = true;
  const seam = await openSeam({
    spawn: (name, init) => {
      const worker = spawnWorker(name, init);
      if (name !== "searcher") return worker;
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: { close: true } | { request: ToSearcher }) => {
        if ("close" in message || !("begin" in message.request)) return post(message);
        asked.push(message.request.project);
        if (isHeld) held.push(() => post(message));
        else post(message);
      };
      return worker;
    },
  });
  closeLater(seam);
  const release = () => {
    isHeld = false;
    for (const send of held.splice(0)) send();
  };
  return { seam, asked, release };
}

const search = (member: Member, signal?: AbortSignal) => member.search({ vector: unitVector(1) }, signal);
const codeOf = (error: unknown) => (error instanceof Refusal ? error.code : error);

test("lists and records are read while a search takes its time", async () => {
  const { seam, release } = await openHeld();
  const [busy, other] = [await seam.project(), await seam.project()];
  await other.create({ content: "kept", vector: unitVector(1) });
  const searches = Array.from({ length: 5 }, () => search(busy));
  for (const member of [busy, other]) {
    const page = await member.list();
    expect(page.total).toBe(member === other ? 1 : 0);
  }
  const place = await seam.store.audit.place("0".repeat(32));
  expect(place).toBeNull();
  release();
  expect(await Promise.all(searches)).toEqual(Array(5).fill([]));
});

test("searches of another project come after one of the project that sends many", async () => {
  const { seam, asked, release } = await openHeld();
  const [busy, other] = [await seam.project(), await seam.project()];
  const flood = Array.from({ length: 30 }, () => search(busy));
  const others = Array.from({ length: groupVectorsMax + 1 }, () => search(other));
  release();
  await Promise.all([...flood, ...others]);
  const turns = asked.flatMap((project, at) => (project === other.id ? [at] : []));
  expect(turns).toEqual([1, 3]);
});

test("a search whose caller leaves while it waits is never asked", async () => {
  const { seam, asked, release } = await openHeld();
  const member = await seam.project();
  const [leaver, early] = [new AbortController(), AbortSignal.abort()];
  const first = Array.from({ length: readRequestsOfProjectAtOnce }, () => search(member));
  while (asked.length < first.length) await Bun.sleep(1);
  const left = Array.from({ length: 10 }, () => search(member, leaver.signal).catch(codeOf));
  const last = search(member);
  leaver.abort();
  expect<unknown>(await Promise.all(left)).toEqual(Array(10).fill(1503));
  expect<unknown>(await search(member, early).catch(codeOf)).toBe(1503);
  release();
  await Promise.all([...first, last]);
  expect(asked).toHaveLength(readRequestsOfProjectAtOnce + 1);
});

interface Written {
  readonly seam: Seam;
  /** Ids of the keys of the calls that the writer was given together, in that order. */
  readonly groups: (readonly (string | null)[])[];
}

async function openWritten(): Promise<Written> {
  const groups: (readonly (string | null)[])[] = [];
  const seam = await openSeam({
    spawn: (name, init) => {
      const worker = spawnWorker(name, init);
      if (name !== "writer") return worker;
      const post = worker.postMessage.bind(worker);
      worker.postMessage = (message: { request?: { settle?: { keyId: string | null }[] } }) => {
        groups.push(message.request?.settle?.map(({ keyId }) => keyId) ?? []);
        post(message);
      };
      return worker;
    },
  });
  closeLater(seam);
  return { seam, groups };
}

const create = (member: Member, seed: number, content = `${seed}`) =>
  member.create({ content, vector: unitVector(seed) });

test("a call to be written is in the next group, however many another project sends", async () => {
  const { seam, groups } = await openWritten();
  const [busy, other] = [await seam.project(), await seam.project()];
  groups.length = 0;
  const flood = Array.from({ length: 4 * groupMaxCalls }, (_, seed) => create(busy, seed));
  const written = await Promise.all([...flood, create(other, 1), create(other, 2)]);
  expect(written.every(({ status }) => status === 201)).toBe(true);
  const { id } = other.caller.key;
  expect(groups.map((keys) => keys.filter((key) => key === id).length).slice(0, 3)).toEqual([2, 0, 0]);
});

test("a call to be written waits for one large call of another project, however many there are", async () => {
  const { seam, groups } = await openWritten();
  const [busy, other] = [await seam.project(), await seam.project()];
  groups.length = 0;
  const order: string[] = [];
  const large = (seed: number) => create(busy, seed, `${seed} ${"x".repeat(groupMaxCharacters)}`);
  const flood = Array.from({ length: 4 }, async (_, seed) => {
    await large(seed);
    order.push("large");
  });
  const small = [1, 2].map(async (seed) => {
    await create(other, seed);
    order.push("small");
  });
  await Promise.all([...flood, ...small]);
  const { id } = busy.caller.key;
  expect(groups.map((keys) => keys.map((key) => (key === id ? "large" : "small")))).toEqual([
    ["large"],
    ["small", "small"],
    ["large"],
    ["large"],
    ["large"],
  ]);
  expect(order).toEqual(["large", "small", "small", "large", "large", "large"]);
});

// Tests which reads ask the engine to store an access time: those whose memories have none of the last minute.

import { afterAll, expect, test } from "bun:test";
import { accessFlushMs, accessResolutionMs } from "../../src/platform/limits.ts";
import { startTestApp } from "../fixture.ts";

/** Ids of the memories in the effects of the calls, one list for each call. */
let touched: (readonly string[])[] = [];

const app = await startTestApp({}, undefined, (call, commit) => {
  const { decision } = call;
  const effects = decision.refused === null ? (decision.precomputed?.after ?? []) : [];
  touched.push(effects.flatMap((after) => (after.effect === "touch_memories" ? after.memories : [])));
  return commit(call);
});
afterAll(() => app.stop());

const create = async (content: string) => {
  const { data } = await app.call("POST", "/v1/memories", { body: { content, memory_type: "fact" } });
  return String(data.id);
};
const touchedBy = async (method: string, path: string, body?: unknown) => {
  touched = [];
  expect((await app.call(method, path, body === undefined ? {} : { body })).status).toBe(200);
  return touched.flat();
};
/** Access times are written within a second; the next call finds the writer past it. */
const letSecondPass = async () => {
  for (const ms of [accessFlushMs, 100]) {
    app.passTime(ms);
    await touchedBy("GET", "/v1/memories");
  }
};

test("a memory that was read within the last minute is not written again", async () => {
  const tea = await create("Tea at four");
  const query = { query: "Tea at four", min_similarity: 0 };
  const reads: (readonly [string, string, unknown?])[] = [
    ["GET", `/v1/memories/${tea}`],
    ["POST", "/v1/memories/search", query],
    ["POST", "/v1/memories/inject", query],
  ];
  // Times may be written between two reads, so a minute passes before each of them.
  const read = async (passedMs: number) => {
    const all = [];
    for (const each of reads) {
      app.passTime(passedMs);
      all.push((await touchedBy(...each)).toSorted());
    }
    return all;
  };
  expect(await read(accessResolutionMs)).toEqual([[tea], [tea], [tea]]);
  await letSecondPass();
  expect(await read(0)).toEqual([[], [], []]);
  const coffee = await create("Coffee at nine");
  expect(await touchedBy("POST", "/v1/memories/search", query)).toEqual([coffee]);
  expect(await read(accessResolutionMs)).toEqual([[tea], [tea, coffee], [tea, coffee]]);
  await letSecondPass();
  // The clock was set back: the stored time is in the future.
  app.setClock(-accessResolutionMs);
  expect(await touchedBy("GET", `/v1/memories/${tea}`)).toEqual([tea]);
});

// Proves over HTTP that a query that names a time finds the memories of that time first: by their own dates, by their creation, and also
// those that are not among the first candidates; and that other queries are left as they are.

import { afterAll, describe, expect, test } from "bun:test";
import { dayMs } from "../../../src/platform/dates/calendar.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";
import { loadDatedQuestions } from "../../memory/dated/dated-questions.ts";

const app = await startTestApp({ rerank: "on" });
afterAll(() => app.stop());

const resultsOf = ({ results }: JsonObject) => (Array.isArray(results) ? results.filter(isObject) : []);
const contentOf = ({ memory }: JsonObject) => (isObject(memory) ? String(memory.content) : "");
const periodOf = ({ score_details: details }: JsonObject) =>
  isObject(details) && isObject(details.rerank) ? details.rerank.period : undefined;

async function find(key: string, query: string, fields: JsonObject = {}): Promise<JsonObject[]> {
  const body = { query, mode: "hybrid", ...fields };
  return resultsOf((await app.call("POST", "/v1/memories/search", { key, body })).data);
}

async function store(key: string, contents: readonly string[]): Promise<void> {
  const memories = contents.map((content) => ({ content, memory_type: "fact" }));
  const { status } = await app.call("POST", "/v1/memories/batch", { key, body: { memories } });
  expect(status).toBe(200);
}

const topics =
  "login cache invoice search export banner upload widget chart report parser mailer backup router ledger wizard sidebar tooltip captcha webhook avatar locale discount coupon refund shipping tracking filter sorting paging autosave history undo printing scanner barcode voucher loyalty survey feedback rating comment mention thread channel emoji sticker video audio subtitle".split(
    " ",
  );

describe("memories without dates of their own", async () => {
  const { key } = await app.createProject("custom");
  for (const topic of topics) {
    await store(key, [`Kim works on the ${topic} task.`]);
    app.passTime(dayMs);
  }
  /** The one of so many days ago; the last one was stored yesterday. */
  const contentBefore = (days: number) => `Kim works on the ${topics.at(-days)} task.`;

  test.each([
    ["What did Kim work on yesterday?", 1],
    ["What did Kim work on the day before yesterday?", 2],
    ["What did Kim work on six days ago?", 6],
    ["Which task was Kim working on 9 days ago?", 9],
  ])("are of the time of their creation: %s", async (query, days) => {
    const [first = {}, ...others] = await find(key, query, { top_k: 3 });
    expect(contentOf(first)).toBe(contentBefore(days));
    expect([first, ...others].map(periodOf)).toEqual([1, 0, 0]);
  });

  test("are injected in the same order", async () => {
    const body = { query: "What did Kim work on six days ago?", min_similarity: 0, top_k: 1 };
    const { data } = await app.call("POST", "/v1/memories/inject", { key, body });
    expect(data.prompt).toContain(contentBefore(6));
  });

  test("are reranked though they are not among the first candidates", async () => {
    const query = "What did Kim work on nine days ago?";
    const plain = await find(key, query, { rerank: "off", top_k: 32 });
    const places = topics.map((_, at) => plain.map(contentOf).indexOf(contentBefore(at + 1)));
    const behind = places.flatMap((place, at) => (place < 0 && at < 9 ? [at + 1] : []));
    expect(behind).not.toEqual([]);
    for (const days of behind) {
      const [first = {}] = await find(key, `What did Kim work on ${days} days ago?`, { top_k: 1 });
      expect(contentOf(first)).toBe(contentBefore(days));
    }
  });

  test("have no period in a query that names none, and the same candidates", async () => {
    const query = "What does Kim work on?";
    const [judged, plain] = [
      await find(key, query, { top_k: 32 }),
      await find(key, query, { rerank: "off", top_k: 32 }),
    ];
    expect(judged.map(periodOf)).toEqual(judged.map(() => 0));
    expect(judged.map(contentOf).toSorted()).toEqual(plain.map(contentOf).toSorted());
  });
});

test("without a judgement in time, memories of the time move up by a smaller weight", async () => {
  const server = await startTestApp({ rerank: "auto", "rerank-deadline-ms": "1" });
  const memories = Array.from({ length: 60 }, (_, at) => ({
    content: `[${1 + (at % 28)} ${at < 28 ? "May" : "June"} 2025] Kim: I had dinner at place number ${at}.`,
    memory_type: "fact",
    importance: 0.5 + (at % 3) / 10,
  }));
  await server.call("POST", "/v1/memories/batch", { body: { memories } });
  const body = { query: "Where did Kim have dinner on 9 May 2025?", mode: "hybrid", top_k: 32 };
  const { data } = await server.call("POST", "/v1/memories/search", { body });
  expect(data.reranked).toBe(false);
  const hits = resultsOf(data);
  for (const { score_details: details, final_score: score } of hits) {
    if (!isObject(details)) throw new Error("a result has no details");
    const { relevance, importance, period } = details;
    const raised = Math.min(1, Number(relevance) + 0.1 * Number(period));
    expect(score).toBeCloseTo(raised * 0.7 + Number(importance) * 0.3, 12);
    expect(details.rerank).toBeUndefined();
  }
  const scores = hits.map(({ final_score: score }) => Number(score));
  expect(scores).toEqual(scores.toSorted((a, b) => b - a));
  expect(hits.filter(({ score_details: details }) => isObject(details) && details.period === 1)).toHaveLength(
    1,
  );
  const off = { ...body, rerank: "off" };
  const plain = (await server.call("POST", "/v1/memories/search", { body: off })).data;
  expect(
    resultsOf(plain).map(({ score_details: details }) => isObject(details) && "period" in details),
  ).toEqual(hits.map(() => false));
  await server.stop();
});

test("questions about a time find their memories first, more often than without reranking", async () => {
  const { key } = await app.createProject("custom");
  const body = { content: "Ann likes tea.", memory_type: "fact" };
  const { created_at: now } = (await app.call("POST", "/v1/memories", { key, body })).data;
  const { memories, questions } = loadDatedQuestions(Date.parse(String(now)));
  await store(
    key,
    memories.map(({ content }) => content),
  );
  const first = async (rerank: string) => {
    let right = 0;
    for (const { question, answer } of questions) {
      const [best = {}] = await find(key, question, { rerank, top_k: 1 });
      right += contentOf(best).includes(answer) ? 1 : 0;
    }
    return right / questions.length;
  };
  expect(await first("on")).toBeGreaterThan(0.95);
  expect(await first("off")).toBeLessThan(0.75);
});

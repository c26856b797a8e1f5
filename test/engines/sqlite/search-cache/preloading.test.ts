// Holds the start of a server to reading the cache files of the projects that were used last: before anybody searches, in their order, and only
// into memory that nobody uses.

import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { createPreloading } from "../../../../src/engines/sqlite/search-cache/preloading.ts";
import { startTestApp, type TestApp } from "../../../fixture.ts";
import { parseExposition, sampleValue } from "../../../server/metrics/exposition-text.ts";

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ "metrics-port": "0" });
});
afterAll(() => app.stop());

async function metricOf(metric: string): Promise<number> {
  const response = await fetch(String(app.metricsUrl));
  return Number(sampleValue(parseExposition(await response.text()), metric));
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  for (let waits = 0; !(await isDone()); waits++) {
    if (waits === 1_000) throw new Error("it has not happened in ten seconds");
    await Bun.sleep(10);
  }
}

const manifest = (project: string) => join(app.config.dataDir, "cache", "search", project, "index");

async function create(key: string, content: string): Promise<void> {
  const body = { content, memory_type: "fact", tags: ["a"] };
  expect((await app.call("POST", "/v1/memories", { key, body })).status).toBe(201);
}

async function search(key: string): Promise<unknown> {
  const { status, data } = await app.call("POST", "/v1/memories/search", {
    key,
    body: { query: "the river" },
  });
  expect(status).toBe(200);
  return JSON.parse(JSON.stringify(data, (name, value) => (name === "last_accessed_at" ? null : value)));
}

test("indexes are in memory before the first search, which finds what was changed since", async () => {
  const projects = [await app.createProject("custom"), await app.createProject("custom")];
  for (const { key } of projects) {
    await create(key, "The mill stands beside the river.");
    await create(key, "The harbour closes at nine.");
  }
  const before = await Promise.all(projects.map(({ key }) => search(key)));
  await app.restart();
  await until(async () => (await metricOf("memledger_search_indexes")) === 2);
  expect(await metricOf("memledger_search_index_bytes")).toBeGreaterThan(1_000);
  expect(await Promise.all(projects.map(({ key }) => search(key)))).toEqual(before);
  for (const { key } of projects) await create(key, "The river is frozen.");
  const after = await Promise.all(projects.map(({ key }) => search(key)));
  for (const found of after) expect(JSON.stringify(found)).toContain("frozen");
  await app.restart();
  expect(await Promise.all(projects.map(({ key }) => search(key)))).toEqual(after);
});

test("what a search needs is not counted when nobody has searched", async () => {
  const stage = "memledger_search_stage_duration_seconds_count";
  await app.restart();
  await until(async () => (await metricOf("memledger_search_indexes")) === 2);
  const response = await fetch(String(app.metricsUrl));
  const found = parseExposition(await response.text());
  for (const name of ["catch_up", "scan", "rescore", "read"])
    expect(Number(sampleValue(found, stage, { stage: name }))).toBe(0);
});

test("nothing is built for a project that has no files", async () => {
  await app.restart(() => rmSync(join(app.config.dataDir, "cache"), { recursive: true }));
  const project = await app.createProject("custom");
  await create(project.key, "The ferry takes bicycles.");
  await search(project.key);
  await app.restart();
  await until(async () => (await metricOf("memledger_search_indexes")) === 1);
});

test("a project that is searched, and neither read nor written, was used", async () => {
  const project = await app.createProject("custom");
  await create(project.key, "The dam was built in 1954.");
  await search(project.key);
  await app.restart();
  const longAgo = 1_000_000;
  utimesSync(manifest(project.id), longAgo, longAgo);
  await search(project.key);
  app.passTime(10_000);
  await until(() => statSync(manifest(project.id)).mtimeMs > longAgo * 1_000);
});

test("files are read one after the other, until there is no room or a thread has ended", async () => {
  const asked: string[] = [];
  let answer = Promise.withResolvers<"loaded" | "absent" | "full">();
  const preloading = createPreloading((project, bytes) => {
    asked.push(`${project} ${bytes}`);
    return answer.promise;
  });
  const settle = async (settled: () => void) => {
    const { promise } = answer;
    const next = Promise.withResolvers<"loaded" | "absent" | "full">();
    settled();
    answer = next;
    await promise.catch(() => undefined);
    await Bun.sleep(0);
  };
  for (const [at, project] of ["a", "b", "c", "d"].entries()) preloading.add(project, at);
  expect(asked).toEqual(["a 0"]);
  await settle(() => answer.resolve("loaded"));
  expect(asked).toEqual(["a 0", "b 1"]);
  await settle(() => answer.resolve("absent"));
  expect(asked).toEqual(["a 0", "b 1", "c 2"]);
  await settle(() => answer.resolve("full"));
  preloading.add("e", 4);
  await Bun.sleep(0);
  expect(asked).toEqual(["a 0", "b 1", "c 2"]);

  const ended = createPreloading(async (project) => {
    asked.push(project);
    throw new Error("the searcher has ended");
  });
  ended.add("f", 1);
  ended.add("g", 1);
  await Bun.sleep(0);
  expect(asked.slice(3)).toEqual(["f"]);
});

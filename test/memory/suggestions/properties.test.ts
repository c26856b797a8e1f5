// Properties of suggestions: whatever is proposed, listed and refused, searches, lists and injections stay as they were; and whatever is
// accepted can be undone with what the answer says.

import { afterAll, expect, test } from "bun:test";
import fc from "fast-check";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { startTestApp } from "../../fixture.ts";

const app = await startTestApp();
afterAll(() => app.stop());

const objectsIn = (value: unknown) => [value].flat().filter(isObject);
const contents = [
  "The staging database listens on port 5433.",
  "Releases go out on Tuesdays.",
  "Ana leads the mobile team.",
  "The office opens at nine.",
];

async function openProject() {
  const { key } = await app.createProject("custom");
  const call = (method: string, path: string, body?: JsonObject) =>
    app.call(method, path, { key, ...(body === undefined ? {} : { body }) });
  const ids: string[] = [];
  for (const [at, content] of contents.entries()) {
    const body = {
      content,
      memory_type: at === 1 ? "rule" : "fact",
      importance: 0.3 + at / 10,
      tags: [`t${at}`],
    };
    ids.push(String((await call("POST", "/v1/memories", body)).data.id));
  }
  return { call, ids };
}
type Project = Awaited<ReturnType<typeof openProject>>;

/** What searches, lists and injections answer, without the times of accesses. */
async function answers({ call }: Project): Promise<unknown> {
  const results: unknown[] = [];
  for (const query of ["staging database", "When do releases go out?", "mobile"]) {
    results.push((await call("POST", "/v1/memories/search", { query, mode: "hybrid", top_k: 10 })).data);
    results.push((await call("POST", "/v1/memories/inject", { query })).data);
  }
  results.push((await call("GET", "/v1/memories")).data, (await call("GET", "/v1/memories/statistics")).data);
  return JSON.parse(
    JSON.stringify(results).replace(/"last_accessed_at":("[^"]*"|null)/g, '"last_accessed_at":0'),
  );
}

const values = fc.record(
  {
    content: fc.constantFrom("Something else is true.", contents[0] ?? "", "The office opens at ten."),
    memory_type: fc.constantFrom("rule", "fact", "context"),
    importance: fc.constantFrom(0, 0.5, 1),
    tags: fc.constantFrom([], ["new"]),
    expires_at: fc.constantFrom(null, "2040-01-01T00:00:00Z"),
    metadata: fc.constantFrom(null, { a: 1 }),
  },
  { requiredKeys: [] },
);

/** A proposal that may be refused by the server, such as one without a text. */
const proposal = fc.record({
  kind: fc.constantFrom("create", "change", "replace", "delete"),
  memory: fc.nat(contents.length - 1),
  values,
  isActive: fc.constantFrom(undefined, true, false),
});

type Proposal = typeof proposal extends fc.Arbitrary<infer Value> ? Value : never;

async function propose({ call, ids }: Project, given: Proposal) {
  const { kind, memory, values, isActive } = given;
  const body = {
    kind,
    ...(kind === "create" ? {} : { memory_id: ids[memory] ?? "" }),
    ...(kind === "delete" ? {} : values),
    ...(kind === "change" && isActive !== undefined ? { is_active: isActive } : {}),
  };
  return (await call("POST", "/v1/suggestions", body as JsonObject)).data;
}

test("no sequence of proposals, reads and refusals changes what is found", async () => {
  const project = await openProject();
  const before = await answers(project);
  let proposed = 0;
  const step = fc.record({ proposal, next: fc.constantFrom("refuse", "refuse many", "read", "wait") });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const { proposal, next } of steps) {
        app.passTime(2_000);
        const { id } = await propose(project, proposal);
        if (id !== undefined) proposed += 1;
        const { data } = await project.call("GET", "/v1/suggestions?page_size=100");
        const waiting = objectsIn(data.suggestions).map((each) => String(each.id));
        if (next === "refuse" && id !== undefined) await project.call("POST", `/v1/suggestions/${id}/refuse`);
        if (next === "refuse many" && waiting.length > 0)
          await project.call("POST", "/v1/suggestions/refuse", { suggestion_ids: waiting });
        if (next === "read" && id !== undefined) await project.call("GET", `/v1/suggestions/${id}`);
      }
      expect(await answers(project)).toEqual(before);
    }),
    { numRuns: 10 },
  );
  expect(proposed).toBeGreaterThan(10);
}, 120_000);

/** What the answer of accepting says, back to front. */
async function undo({ call }: Project, data: JsonObject): Promise<void> {
  for (const { change, id, before, updated_at = null } of objectsIn(data.changes).toReversed()) {
    if (change === "created") await call("DELETE", `/v1/memories/${id}`);
    if (change !== "changed" || !isObject(before)) continue;
    const undone = await call("PUT", `/v1/memories/${id}`, { ...before, if_updated_at: updated_at });
    expect(undone).toMatchObject({ status: 200 });
  }
}

test("what was accepted or merged can be undone, unless it deletes", async () => {
  const project = await openProject();
  const { call } = project;
  const memories = async () =>
    objectsIn((await call("GET", "/v1/memories?page_size=100")).data.memories).map(
      ({ updated_at: _, last_accessed_at: __, ...memory }) => memory,
    );
  const before = await memories();
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(proposal, fc.boolean(), values, async (given, isMerged, edits) => {
      fc.pre(given.kind !== "delete");
      app.passTime(2_000);
      const { id } = await propose(project, given);
      fc.pre(id !== undefined);
      const { content } = edits;
      const merged = content === undefined ? {} : { content };
      const body = (isMerged ? merged : edits) as JsonObject;
      const answer = await call("POST", `/v1/suggestions/${id}/${isMerged ? "merge" : "accept"}`, body);
      if (answer.code === 1000) {
        accepted += 1;
        await undo(project, answer.data);
      } else {
        expect([1400, 2104]).toContain(answer.code ?? 0);
        await call("POST", `/v1/suggestions/${id}/refuse`);
      }
      expect(await memories()).toEqual(before);
    }),
    { numRuns: 60 },
  );
  expect(accepted).toBeGreaterThan(10);
}, 120_000);

// Takes the steps of CONTRIBUTING.md in a copy of the program, and uses what they have added: a field of a memory, and an operation. So the
// steps suffice, and the page names exactly the files that they change.

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { removeFoldersAfterEach } from "../cleanup.ts";
import type { startTestApp } from "../fixture.ts";
import { field, operation } from "./steps.ts";
import { stepsOf, takeSteps } from "./take-steps.ts";

const createFolder = removeFoldersAfterEach();

async function startCopy(copy: string) {
  const fixture: { startTestApp: typeof startTestApp } = await import(join(copy, "test/fixture.ts"));
  return fixture.startTestApp();
}

test("a field of a memory", async () => {
  const copy = createFolder();
  takeSteps(copy, field, stepsOf("A field of a memory"));
  const app = await startCopy(copy);
  const weights = async () => {
    const { data } = await app.call("GET", "/v1/memories?sort_dir=asc");
    const memories = data.memories as { readonly content: string; readonly weight?: number }[];
    return memories.map(({ content, weight = null }) => [content, weight]);
  };
  const fact = (content: string, weight: number) => ({ content, memory_type: "fact", weight });
  const one = await app.call("POST", "/v1/memories", { body: fact("One.", 1) });
  expect(one.data).toMatchObject({ content: "One.", weight: 1 });
  const memory_id = String(one.data.id);
  await app.call("POST", "/v1/memories/batch", { body: { memories: [fact("Two.", 2)] } });
  await app.call("PUT", "/v1/memories/by-source/three", { body: fact("Three.", 3) });
  const refused = await app.call("POST", "/v1/memories", { body: fact("Four.", -4) });
  expect({ code: refused.code, field: refused.data.field }).toEqual({ code: 1400, field: "weight" });
  expect(await weights()).toEqual([
    ["One.", 1],
    ["Two.", 2],
    ["Three.", 3],
  ]);

  const path = `/v1/memories/${memory_id}`;
  const changedOne = await app.call("PUT", path, { body: { weight: 10 } });
  expect(changedOne.data).toMatchObject({ content: "One.", weight: 10 });
  const update = (weight: number | null) =>
    app.call("PUT", "/v1/memories/batch", { body: { memories: [{ memory_id, weight }] } });
  expect((await update(null)).data.results).toMatchObject([{ status: "updated", former: { weight: 10 } }]);
  expect((await app.call("GET", path)).data).not.toHaveProperty("weight");
  expect((await update(11)).data.results).toMatchObject([{ status: "updated", former: { weight: null } }]);
  expect((await app.call("GET", path)).data).toMatchObject({ weight: 11 });

  // Whoever replaces a memory and does not name the field leaves it as it was.
  const body = { kind: "replace", memory_id, content: "One and more." };
  const { data } = await app.call("POST", "/v1/suggestions", { body });
  await app.call("POST", `/v1/suggestions/${data.id}/accept`, { body: {} });
  expect(await weights()).toContainEqual(["One and more.", 11]);
  await app.restart();
  const { data: exported } = await app.call("GET", path);
  expect(exported).toMatchObject({ content: "One.", weight: 11 });
  await app.stop();
  const { memledger } = await import(join(copy, "src/assistants/importing/formats/memledger.ts"));
  const line = Buffer.from(JSON.stringify(exported));
  const [entry] = await Array.fromAsync(memledger.read({ head: line.toString(), stream: [line] }));
  expect(entry).toMatchObject({ memory: { content: "One.", weight: 11 } });
  expect(readFileSync(join(copy, "clients/openapi.json"), "utf8")).toContain('"weight"');
});

test("an operation", async () => {
  const copy = createFolder();
  takeSteps(copy, operation, stepsOf("An operation"));
  const app = await startCopy(copy);
  await app.call("POST", "/v1/memories", { body: { content: "One.", memory_type: "fact" } });
  const { status, data } = await app.call("GET", "/v1/memories/days");
  expect({ status, data }).toEqual({
    status: 200,
    data: { days: [{ day: new Date().toISOString().slice(0, 10), count: 1 }] },
  });
  expect(app.records(app.projectId).at(-1)).toMatchObject({ action: "memory.count_by_day", status: 200 });
  await app.stop();
  expect(readFileSync(join(copy, "clients/openapi.json"), "utf8")).toContain('"/v1/memories/days"');
});

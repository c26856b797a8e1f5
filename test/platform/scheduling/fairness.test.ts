// Proves through the API that one project's flood neither refuses nor holds up another project, whatever they share. The order of
// answers is checked, never their time; times are measured by test/attack.

import { afterAll, expect, test } from "bun:test";
import type { ServerResponse } from "node:http";
import { extractionQueueLimits, extractionsPerProject } from "../../../src/platform/limits.ts";
import { startTestApp } from "../../fixture.ts";
import { type FakeRequest, items, startFakeLlm } from "../../models/extraction/fake-llm.ts";

const llm = await startFakeLlm();
const app = await startTestApp({ "llm-base-url": llm.url, "llm-model": "small" });
afterAll(async () => {
  await app.stop();
  await llm.stop();
});

test("a project that sends too many extractions is told so, and others are served", async () => {
  const [flooder, other] = [await app.createProject("custom"), await app.createProject("custom")];
  const held: (() => void)[] = [];
  llm.otherwise((request: FakeRequest, response: ServerResponse) => {
    if (request.text.includes("Other")) return items()(request, response);
    held.push(() => items()(request, response));
  });
  const extract = (key: string, text: string) =>
    app.call("POST", "/v1/memories/extract", { key, body: { text } });

  const accepted = extractionsPerProject + extractionQueueLimits.perProject;
  const flood = Array.from({ length: accepted + 5 }, (_, n) => extract(flooder.key, `Flood ${n}.`));
  const refused = await firstRefused(flood);
  expect(refused.code).toBe(1429);
  expect(refused.message).toMatch(
    /^This project has reached the maximum of 100 waiting extractions and batches/,
  );
  expect(refused.headers.get("retry-after")).toBe("10");

  expect(await extract(other.key, "Other project.")).toMatchObject({ status: 200 });
  const search = { key: other.key, body: { query: "Where?" } };
  expect(await app.call("POST", "/v1/memories/search", search)).toMatchObject({ status: 200 });
  expect(await app.call("POST", "/v1/memories/search", { ...search, key: flooder.key })).toMatchObject({
    status: 200,
  });

  llm.otherwise(items());
  for (const end of held) end();
  const codes = (await Promise.all(flood)).map(({ status }) => status);
  expect(codes.filter((status) => status === 200)).toHaveLength(accepted);
  expect(codes.filter((status) => status === 429)).toHaveLength(5);
});

/** The first answer with a refusal of those that hang. */
async function firstRefused(replies: readonly ReturnType<typeof app.call>[]) {
  return Promise.any(
    replies.map(async (reply) => {
      const answer = await reply;
      if (answer.status === 200) throw new Error("was answered with success");
      return answer;
    }),
  );
}

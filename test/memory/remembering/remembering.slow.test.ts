// Proves what becomes of answers that wait to be remembered: extracted once for the key of their call, or dropped with a reason.

import { afterAll, expect, test } from "bun:test";
import { revokeKey } from "../../../src/calls/operations/access/key-operations.ts";
import { deleteProject } from "../../../src/calls/operations/access/project-operations.ts";
import { eraseRecords } from "../../../src/calls/operations/ledger/erase-records.ts";
import {
  attemptsMax,
  partMaxCharacters,
  partsMax,
  retryMinMs,
} from "../../../src/memory/remembering/limits.ts";
import { startTestApp } from "../../fixture.ts";
import { hangs, items, itemsFrom, sends } from "../../models/extraction/fake-llm.ts";
import { startLlmApp } from "../../models/extraction/llm-app.ts";
import {
  appendExchange,
  chatPayload,
  contentsOf,
  extracted,
  extractionsOf,
  queueTasks,
  waitingIn,
} from "./answers.ts";

const { llm, app, stop } = await startLlmApp({});
afterAll(stop);

/** The line of the user, without the marks that say who speaks; "" without one. */
const userLine = (text: string) => /^USER .*\n(.*)$/m.exec(text)?.[1] ?? "";
/** The model finds what the user says. */
const findsWords = itemsFrom((text) => [{ content: userLine(text), evidence: userLine(text) }]);

/** What one answer leaves, with a server that was stopped before it remembered it. */
async function leave(
  said: readonly { user: string; answer: string; key?: string }[],
  options: Parameters<typeof queueTasks>[2] = {},
): Promise<string[]> {
  const records: string[] = [];
  for (const { key, ...each } of said) records.push(await appendExchange(app, chatPayload(each), key));
  await app.restart(() => queueTasks(app.config.dataDir, records, options));
  return records;
}
async function waiting(): Promise<string[]> {
  let found: string[] = [];
  await app.restart(() => {
    found = waitingIn(app.config.dataDir);
  });
  return found;
}

test("the words of an answer that a stopped server has left are extracted for the key of its call", async () => {
  const project = await app.createProject("custom");
  llm.otherwise(findsWords);
  const [record] = await leave([{ user: "I live in Lisbon.", answer: "Noted.", key: project.key }], {
    tags: ["user:dana"],
  });
  const [found, ...others] = await extracted(app, 1, project.id);
  expect(others).toEqual([]);
  expect(found).toMatchObject({
    action: "memory.extract",
    status: 200,
    payload: {
      transport: "gateway",
      performed_for: "gateway.chat",
      remembers: { record, part: 1, parts: 1, attempt: 1, attempts: attemptsMax, left_out_characters: 0 },
      request_body: {
        messages: [
          { role: "user", content: "I live in Lisbon.", said_at: expect.any(String) },
          { role: "assistant", content: "Noted.", said_at: expect.any(String) },
        ],
        detail: "essential",
        tags: ["user:dana"],
      },
    },
  });
  const { data } = await app.call("GET", "/v1/memories", { key: project.key });
  expect(data.memories).toMatchObject([{ content: "I live in Lisbon.", tags: ["user:dana"] }]);
  expect(await waiting()).toEqual([]);
  expect(extractionsOf(app, project.id)).toHaveLength(1);
});

test("projects take turns, and each has one extraction at a time", async () => {
  const [many, one] = [await app.createProject("custom"), await app.createProject("custom")];
  const begun: string[] = [];
  const held: (() => void)[] = [];
  llm.otherwise((request, response) => {
    begun.push(userLine(request.text));
    held.push(() => void items()(request, response));
  });
  const before = llm.requests.length;
  const said = [1, 2, 3].map((n) => ({ user: `Many ${n}.`, answer: "Yes.", key: many.key }));
  await leave([...said, { user: "One.", answer: "Yes.", key: one.key }]);
  await llm.arrived(before + 2);
  expect(begun.toSorted()).toEqual(["Many 1.", "One."]);
  llm.otherwise(items());
  for (const end of held) end();
  await extracted(app, 3, many.id);
  await extracted(app, 1, one.id);
});

test("a failure that may pass is tried again after a delay, another answer first, and the last attempt is said", async () => {
  const project = await app.createProject("custom");
  // A status that the client of the model does not repeat itself.
  llm.otherwise(sends(404));
  await leave([
    { user: "Dana lives in Lisbon.", answer: "Yes.", key: project.key },
    { user: "The printer is broken.", answer: "Yes.", key: project.key },
  ]);
  for (let attempt = 1; attempt < 4; attempt++) {
    await extracted(app, attempt, project.id);
    // Until the pause has begun, moving the clock would not end it.
    while (extractionsOf(app, project.id).length === attempt) {
      app.passTime(retryMinMs);
      await Bun.sleep(50);
    }
  }
  const tried = extractionsOf(app, project.id).map(({ status, payload: { remembers } }) => ({
    status,
    remembers,
  }));
  expect(tried.every(({ status }) => status === 500)).toBe(true);
  // The second attempt is the first one of the other answer.
  expect(tried.slice(0, 3)).toMatchObject([1, 1, 2].map((attempt) => ({ remembers: { attempt } })));
  llm.otherwise(findsWords);
  while ((await contentsOf(app, project.key)).length < 2) {
    app.passTime(retryMinMs);
    await Bun.sleep(50);
  }
  expect(await contentsOf(app, project.key)).toEqual(["Dana lives in Lisbon.", "The printer is broken."]);
  app.complaints.splice(0);

  llm.otherwise(sends(404));
  const third = await appendExchange(app, chatPayload({ user: "Third.", answer: "Yes." }), project.key);
  const count = extractionsOf(app, project.id).length;
  await app.restart(() => queueTasks(app.config.dataDir, [third], { attempts: attemptsMax - 1 }));
  const last = (await extracted(app, count + 1, project.id)).at(-1);
  expect(last?.payload).toMatchObject({
    remembers: { record: third, attempt: attemptsMax, attempts: attemptsMax },
  });
  expect(await waiting()).toEqual([]);
  expect(app.complaints.splice(0).join("\n")).toContain("an answer of the gateway is not remembered");
});

test("an answer whose extraction ended the server again and again is given up with a record", async () => {
  const project = await app.createProject("custom");
  llm.otherwise(findsWords);
  const before = llm.requests.length;
  await leave([{ user: "Poison.", answer: "Yes.", key: project.key }], { attempts: attemptsMax });
  const [found] = await extracted(app, 1, project.id);
  expect(found).toMatchObject({
    status: 503,
    payload: { error_msg: expect.stringContaining("does not try again") },
  });
  expect(await waiting()).toEqual([]);
  expect(llm.requests.length).toBe(before);
  app.complaints.splice(0);
});

test("what is erased while it is extracted leaves no memory and no record", async () => {
  const project = await app.createProject("custom");
  const before = llm.requests.length;
  const answering = Promise.withResolvers<void>();
  llm.otherwise(async (request, response) => {
    await answering.promise;
    await findsWords(request, response);
  });
  const [record = ""] = await leave([{ user: "My name is Dana.", answer: "Hello.", key: project.key }]);
  await llm.arrived(before + 1);
  await app.administer(eraseRecords, { record });
  answering.resolve();
  llm.otherwise(findsWords);
  await leave([{ user: "Something else.", answer: "Yes.", key: project.key }]);
  await extracted(app, 1, project.id);
  expect(await contentsOf(app, project.key)).toEqual(["Something else."]);
  expect(JSON.stringify(app.records(project.id))).not.toContain("Dana");
  expect(await waiting()).toEqual([]);
});

test("answers of a revoked key and of a deleted project are dropped", async () => {
  const project = await app.createProject("custom");
  const gone = await app.createProject("custom");
  const key = await app.createKey(project.id, ["audit.write", "memory.write"]);
  llm.otherwise(hangs);
  const records = [
    await appendExchange(app, chatPayload({ user: "Revoked.", answer: "Yes." }), key.key),
    await appendExchange(app, chatPayload({ user: "Deleted.", answer: "Yes." }), gone.key),
  ];
  await app.administer(revokeKey, { key: key.id });
  await app.restart(() => queueTasks(app.config.dataDir, records));
  await app.administer(deleteProject, { project: gone.id });
  llm.otherwise(findsWords);
  await leave([{ user: "Kept.", answer: "Yes.", key: project.key }]);
  await extracted(app, 1, project.id);
  expect(await waiting()).toEqual([]);
  expect(extractionsOf(app, project.id)).toHaveLength(1);
  expect(extractionsOf(app, gone.id)).toEqual([]);
});

test("a key without the permission to write has a record of the refusal, and is not tried again", async () => {
  const project = await app.createProject("custom");
  const key = await app.createKey(project.id, ["audit.write"]);
  await leave([{ user: "Refused.", answer: "Yes.", key: key.key }]);
  const [found] = await extracted(app, 1, project.id);
  expect(found).toMatchObject({ status: 403 });
  expect(await waiting()).toEqual([]);
  app.complaints.splice(0);
});

test("long words are extracted in parts, and what is left out is said", async () => {
  const project = await app.createProject("custom");
  llm.otherwise(items());
  const answer = "word ".repeat((partMaxCharacters * (partsMax + 1)) / 5);
  await leave([{ user: "Short.", answer, key: project.key }]);
  const found = await extracted(app, partsMax, project.id);
  expect(found.map(({ payload: { remembers } }) => remembers)).toMatchObject(
    found.map((_, index) => ({ part: index + 1, parts: partsMax, attempt: 1 })),
  );
  expect(found.at(-1)?.payload.remembers).toMatchObject({ left_out_characters: expect.any(Number) });
  expect(JSON.stringify(found.at(-1)?.payload.remembers)).not.toContain('"left_out_characters":0');
  expect(await waiting()).toEqual([]);
  expect(extractionsOf(app, project.id)).toHaveLength(partsMax);
});

test("the metric says how many answers wait", async () => {
  const own = await startTestApp({ "metrics-port": "0" });
  try {
    const text = await (await fetch(own.metricsUrl ?? "")).text();
    expect(text).toContain("\nmemledger_remember_tasks 0\n");
  } finally {
    await own.stop();
  }
});

// Proves that a memory has the record and the parts of the conversation of which it was made: in part 0 of the record that creates it, and
// in its row. Parts are compared with the stored lines of the source, which a real gateway or a real extraction has written.

import { afterAll, afterEach, expect, test } from "bun:test";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { eraseRecords } from "../../../src/calls/operations/ledger/erase-records.ts";
import { openWriting } from "../../../src/engines/sqlite/database-file/connection.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { openDatabase } from "../../../src/platform/native/sqlite.ts";
import { locate } from "../../../src/server/data-directory/data-directory.ts";
import { runtime } from "../../calls/storage/seam.ts";
import { findSecondVerdict, findVerdict } from "../../crash/verify.ts";
import { startGateway } from "../../gateway/served.ts";
import { items, startFakeLlm } from "../../models/extraction/fake-llm.ts";
import { extracted } from "./answers.ts";

const llm = await startFakeLlm();
const more = "memory-floor = 0\nmemory-deadline-ms = 20000\nask-for-usage = false";
const gateway = await startGateway(more, { "llm-base-url": llm.url, "llm-model": "small" });
const { app } = gateway;
afterAll(async () => {
  await gateway[Symbol.asyncDispose]();
  await llm.stop();
});

afterEach(() => gateway.upstream.answerWith(null));

function all<Row>(sql: string, ...values: readonly string[]): Row[] {
  const database = openDatabase(locate(app.config.dataDir).database, runtime, { readonly: true });
  try {
    return database.prepare<string[], Row>(sql).all(...values);
  } finally {
    database.close();
  }
}
/** The texts of the parts of a record. */
function partsOf(record: string): string[] {
  const sql = "SELECT p.text FROM audit_entry e JOIN audit_payload p ON p.entry = e.number WHERE e.id = ?";
  const [row] = all<{ text: Uint8Array }>(sql, record);
  const lines = Bun.zstdDecompressSync(row?.text ?? new Uint8Array())
    .toString()
    .split("\n");
  return lines.slice(0, -1).map((line) => line.slice(line.indexOf("\t") + 1));
}
interface Item {
  readonly memory: string;
  readonly record: string;
  readonly parts: readonly number[];
}
/** `made_of` of part 0 of a record. The row of each memory must have the same. */
function madeBy(record: string): Item[] {
  const { made_of = [] }: { made_of?: Item[] } = JSON.parse(partsOf(record)[0] ?? "{}");
  for (const item of made_of) {
    const [row] = all<{ made_of: string }>("SELECT made_of FROM memory WHERE id = ?", item.memory);
    expect(row?.made_of).toBe(`{"parts":[${item.parts}],"record":"${item.record}"}`);
  }
  return made_of;
}
const textsOf = ({ record, parts }: Item) => parts.map((index) => partsOf(record)[index] ?? "");
const said = (role: string, content: string) => ({ role, content });
const found = (...evidence: readonly string[]) =>
  items(...evidence.map((each) => ({ content: `It was said: ${each}`, evidence: each })));

let extractions = 0;
/** @returns the records of the answer and of its extraction */
async function remember(path: string, body: object): Promise<[answer: string, extraction: string]> {
  const response = await fetch(`${app.url}${path}`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${app.apiKey}`,
      "content-type": "application/json",
      "memledger-remember": "true",
    },
    body: JSON.stringify(body),
  });
  await response.text();
  const records = await extracted(app, ++extractions);
  return [response.headers.get("memledger-record") ?? "", String(records.at(-1)?.entry.id)];
}
async function extract(body: JsonObject): Promise<string> {
  const { status } = await app.call("POST", "/v1/memories/extract", { body });
  expect(status).toBe(200);
  return String(app.records(app.projectId).findLast(({ action }) => action === "memory.extract")?.entry.id);
}

const cat = "My cat is called Miso and loves fish.";
const answerWith = (content: string) =>
  gateway.upstream.answerWith(() => ({
    body: JSON.stringify({
      choices: [{ index: 0, finish_reason: "stop", message: said("assistant", content) }],
    }),
  }));

test("of an answer of the gateway: the message of the user, and the answer", async () => {
  const reply = "Your dentist is Doctor Alba in Porto.";
  answerWith(reply);
  llm.otherwise(found(cat, reply, `${cat}\n\n${reply}`));
  // The same message twice is one part, and the first one is not new.
  const messages = [said("user", "Hello there, my friend."), said("assistant", "Hello."), said("user", cat)];
  const [answer, extraction] = await remember("/v1/chat/completions", { model: "m", messages });
  const made = madeBy(extraction);
  expect(made.map(({ record }) => record)).toEqual([answer, answer, answer]);
  const [words, output] = [
    `{"content":"${cat}","role":"user"}`,
    `{"finish_reason":"stop","text":"${reply}"}`,
  ];
  // The indices ascend, and messages are inside of another part.
  expect(made.map(textsOf)).toEqual([[words], [output, words], [output]]);
});

test("the history of a memory names the record of the conversation", async () => {
  const words = "My neighbour Rosa keeps four bees on the roof.";
  llm.otherwise(found(words));
  const [answer, extraction] = await remember("/v1/chat/completions", {
    model: "m",
    messages: [said("user", words)],
  });
  const { data } = await app.call("GET", `/v1/memories/${madeBy(extraction)[0]?.memory}/history`);
  expect(data.events).toMatchObject([{ kind: "created", audit_id: extraction, source_record: answer }]);
});

test("an input that is a text is in the part around it", async () => {
  const words = "My brother Tim plays the violin in Lyon.";
  llm.otherwise(found(words));
  const [answer, extraction] = await remember("/v1/responses", { model: "m", input: words });
  const [made, ...others] = madeBy(extraction);
  expect([made?.record, others]).toEqual([answer, []]);
  // The upstream quotes what it was told.
  expect(made === undefined ? [] : textsOf(made)).toContain(`{"input":"${words}","model":"m"}`);
});

test("of a conversation that is sent to be extracted: the messages, in the record itself", async () => {
  const [one, two] = ["Ana moved to Oslo last spring.", "Bo has bought a red bicycle."];
  llm.otherwise(found(one, two, "This is a quotation of nothing."));
  const messages = [
    said("system", "Be brief."),
    said("user", one),
    said("assistant", "I see."),
    said("user", two),
  ];
  const record = await extract({ messages });
  const made = madeBy(record);
  expect(made.map((item) => item.record)).toEqual([record, record]);
  expect(made.map(textsOf)).toEqual([
    [`{"content":"${one}","role":"user"}`],
    [`{"content":"${two}","role":"user"}`],
  ]);
});

test("of a text: the text; only memories that were created have it, and a change keeps it", async () => {
  const text = "Eva works at the harbour of Genoa.";
  llm.otherwise(found(text));
  const record = await extract({ text });
  const [made] = madeBy(record);
  expect(made?.record).toBe(record);
  expect(made === undefined ? [] : textsOf(made)).toEqual([JSON.stringify({ text })]);
  expect(madeBy(await extract({ text, dry_run: true }))).toEqual([]);
  // The same again is skipped.
  expect(madeBy(await extract({ text }))).toEqual([]);
  const body = { content: "Eva works at the airport of Genoa." };
  expect((await app.call("PUT", `/v1/memories/${made?.memory}`, { body })).status).toBe(200);
  expect(madeBy(record)).toEqual([made ?? expect.anything()]);
});

test("the erasure of the answer still finds the memory, and both verifiers accept the database", async () => {
  const words = "My sister Nora collects old maps of Crete.";
  llm.otherwise(found(words));
  const [answer, extraction] = await remember("/v1/chat/completions", {
    model: "m",
    messages: [said("user", words)],
  });
  const [made] = madeBy(extraction);
  expect(made?.record).toBe(answer);
  const erased = await app.administer(eraseRecords, { record: answer, delete_memory: true });
  expect(isObject(erased)).toBe(true);
  expect((await app.call("GET", `/v1/memories/${made?.memory}`)).status).toBe(404);
  const { dataDir } = app.config;
  expect(await findVerdict(["bun", "src/main.ts"], dataDir)).toEqual([]);
  expect(await findSecondVerdict(dataDir)).toEqual([]);
});

test("a row that names another source is found by both verifiers", async () => {
  const record = "0".repeat(32);
  const folder = mkdtempSync(join(tmpdir(), "memledger-test-"));
  try {
    cpSync(app.config.dataDir, folder, { recursive: true, filter: (path) => !path.endsWith(".sock") });
    const database = openWriting({ path: locate(folder).database, runtime });
    const sql = "UPDATE memory SET made_of = ? WHERE made_of IS NOT NULL";
    expect(database.prepare(sql).run(JSON.stringify({ parts: [0], record })).changes).toBeGreaterThan(1);
    database.close();
    expect(await findVerdict(["bun", "src/main.ts"], folder)).toEqual([
      expect.stringContaining("the row of a memory names another source"),
    ]);
    expect(await findSecondVerdict(folder)).toEqual([
      expect.stringMatching(/"verdict": "broken".*"check": "owner"/),
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// Checks exports of chains with a Merkle tree (docs/engineer/AUDIT-FORMAT-2.md) with the second verifier, test/verify.py, and a checkpoint
// that was kept: of a new data directory, and of one of the previous format, whose records of both versions are in one file.

import { afterAll, afterEach, describe, expect, setDefaultTimeout } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordFieldNames } from "../../../src/audit/record-schema.ts";
import { isObject, type JsonObject } from "../../../src/platform/json/json.ts";
import { cleanUp, createFolder, type Running, run, serve } from "../../cli/command.ts";
import { program, testWith } from "../../needs.ts";
import { copyKept, keptFormats } from "../../upgrade/kept-formats.ts";
import { askPython } from "../ask-python.ts";
import { always, dataOf, exportAll, fatten, parseCsv, send, type Target } from "./exporting.ts";

setDefaultTimeout(120_000);
let server: Running | null = null;
afterEach(async () => {
  await server?.end("SIGTERM");
  server = null;
});
afterAll(cleanUp);

const secret = 'Ada lives at 21 "Example" Lane,\n\tnear =the\r\nriver \u2028 数据';

interface Place {
  readonly target: Target;
  readonly dataDir: string;
}

async function start(isKept: boolean): Promise<Place> {
  const dataDir = join(createFolder(), "data");
  const kept = keptFormats.find(({ format }) => format === 7);
  if (isKept && kept !== undefined) copyKept(kept, dataDir);
  server = await serve(dataDir, ["--rerank", "off"]);
  const key = String(isKept ? kept?.secret : server.ready.api_key);
  return { dataDir, target: { url: server.url, key } };
}

async function post(target: Target, path: string, body: JsonObject, status: number): Promise<JsonObject> {
  const headers = { "X-Audit-Metadata": '{"ticket":"OPS-1, \\"x\\""}' };
  const response = await send(target, "POST", path, { body, headers });
  expect([path, response.status]).toEqual([path, status]);
  return dataOf(response);
}

/** Calls of different forms, and an erasure of the records of one memory. */
async function callAndErase({ target, dataDir }: Place): Promise<void> {
  const { id } = await post(target, "/v1/memories", { content: secret, memory_type: "fact" }, 201);
  const memories = ["=1+1 größe", "tea\tat four", ""].map((content) => ({ content, memory_type: "context" }));
  await post(target, "/v1/memories/batch", { memories }, 200);
  await post(target, "/v1/memories/search", { query: "tea, when?" }, 200);
  await post(target, "/v1/memories/inject", { query: "tea" }, 200);
  await post(target, "/v1/memories", { content: "" }, 400);
  const appended = { action: "gateway.chat", http_status: 500, error_msg: '\ttab, "quoted"\r\nline' };
  await post(target, "/v1/audit/logs", { ...appended, user_agent: "=HYPERLINK(1)" }, 201);
  const words = ["--memory", String(id), "--delete-memory", "--yes", "--data-dir", dataDir];
  expect((await run(["audit", "redact", ...words])).exitCode).toBe(0);
  await post(target, "/v1/memories/search", { query: "where does Ada live?" }, 200);
}

interface Written {
  readonly path: string;
  readonly text: string;
  readonly manifest: JsonObject;
  readonly said: string;
}

async function write({ target, dataDir }: Place, body: JsonObject): Promise<Written> {
  const { id, text } = await exportAll(target, body);
  const note = await (await send(target, "GET", `/v1/audit/logs/export/${id}/manifest`)).text();
  const path = join(dataDir, `${id}.${body.format}`);
  writeFileSync(path, text);
  writeFileSync(`${path}.manifest`, note);
  const [said = "", members = ""] = note.split("\n");
  return { path, text, said, manifest: JSON.parse(members) };
}

/** @returns the path of a file with the newest checkpoint */
async function keepCheckpoint({ target, dataDir }: Place): Promise<string> {
  const path = join(dataDir, `kept-${crypto.randomUUID()}.json`);
  writeFileSync(path, await (await send(target, "GET", "/v1/audit/checkpoint")).text());
  return path;
}

function verify({ dataDir }: Place, path: string, checkpoint: string): JsonObject {
  return askPython(path, "--checkpoint", checkpoint, "--public-key", join(dataDir, "audit.pub")) ?? {};
}

const rowsOf = (format: string, text: string): readonly JsonObject[] => {
  if (format === "json") return JSON.parse(text);
  const [header = [], ...rows] = parseCsv(text);
  return rows.map((row) => Object.fromEntries(header.map((column, index) => [column, row[index] ?? ""])));
};

const intact = { verdict: "intact" };
const formats = ["json", "csv"] as const;

describe.each([
  ["a new data directory", false],
  ["one of format 7", true],
] as const)("of %s", (_, isKept) => {
  testWith(program("python3"))("are intact, and broken after a change of one byte", async () => {
    const place = await start(isKept);
    await callAndErase(place);
    const checkpoint = await keepCheckpoint(place);
    for (const format of formats) {
      const written = await write(place, { ...always, format });
      const { said, text, manifest, path } = written;
      expect(said).toBe("memledger-export/v2");
      expect(manifest).toMatchObject({ records: "all", filter: null, parts: "all", first_seq: 1 });
      expect([format, verify(place, path, checkpoint)]).toMatchObject([format, intact]);
      const rows = rowsOf(format, text);
      expect(Object.keys(rows[0] ?? {})).toEqual([
        ...recordFieldNames,
        "erased_parts",
        "entry",
        "salt",
        "payload",
      ]);
      const ofVersion = (version: number) =>
        rows.filter(({ entry }) => JSON.parse(String(entry)).v === version);
      expect([ofVersion(1).length > 0, ofVersion(2).length > 8]).toEqual([isKept, true]);
      const nothing = format === "json" ? null : "";
      const partsOf = ({ erased_parts: parts }: JsonObject) =>
        typeof parts === "string" && parts !== "" ? JSON.parse(parts) : parts;
      for (const row of rows)
        expect(Array.isArray(partsOf(row))).toBe(
          JSON.parse(String(row.entry)).v === 2 && row.payload !== nothing,
        );
      const erased = rows.filter((row) => [partsOf(row)].flat().some(Number.isInteger));
      expect(erased.map(({ action }) => action)).toContain("memory.create");
      expect(text).not.toContain("Ada lives at");
      expectBroken(place, written, checkpoint);
    }
  });
});

/** Changes one byte in the middle of the text of a payload, of a salt, and of a cell that copies the payload. */
function expectBroken(place: Place, { path, text }: Written, checkpoint: string): void {
  const manifest = readFileSync(`${path}.manifest`);
  const searched = text.lastIndexOf("where does Ada live?");
  const salt = [...text.matchAll(/[0-9a-f]{64,}/g)].find((found) => found[0].length > 64);
  const agent = text.indexOf("=HYPERLINK");
  const places = { payload: searched, salt: (salt?.index ?? 0) + 9, agent };
  for (const [name, at] of Object.entries(places)) {
    expect([name, at > 0]).toEqual([name, true]);
    const forged = join(place.dataDir, `forged-${name}`);
    const other = text[at] === "a" ? "b" : "a";
    writeFileSync(forged, text.slice(0, at) + other + text.slice(at + 1));
    writeFileSync(`${forged}.manifest`, manifest);
    const check = name === "agent" ? "columns" : "payload";
    expect([name, verify(place, forged, checkpoint)]).toMatchObject([name, { verdict: "broken", check }]);
  }
}

testWith(program("python3"))("that begin later are proved by the nodes before them", async () => {
  const place = await start(false);
  await callAndErase(place);
  // More records than a stored node stands for.
  await fatten(place.target, 300, 12);
  await post(place.target, "/v1/memories", { content: "first", memory_type: "fact" }, 201);
  await post(place.target, "/v1/memories", { content: "second", memory_type: "fact" }, 201);
  const checkpoint = await keepCheckpoint(place);
  const { text } = await write(place, { ...always, format: "json" });
  const [first] = rowsOf("json", text).filter(
    ({ memory_query }) => JSON.stringify(memory_query) === '["first"]',
  );
  for (const format of formats) {
    const later = await write(place, { ...always, start_time: first?.created_at ?? null, format });
    const firstSeq = Number(later.manifest.first_seq);
    expect(firstSeq).toBeGreaterThan(256);
    const ones = firstSeq.toString(2).replaceAll("0", "").length;
    expect([later.manifest.before].flat()).toHaveLength(ones);
    expect(verify(place, later.path, checkpoint)).toMatchObject(intact);
  }
});

testWith(program("python3"))(
  "without hashes, or without records, have a manifest of version 2, too",
  async () => {
    const place = await start(false);
    await callAndErase(place);
    const empty = { start_time: "2098-01-01", end_time: "2099-01-01", format: "csv" };
    const checkpoint = await keepCheckpoint(place);
    const nothing = await write(place, empty);
    expect(nothing.said).toBe("memledger-export/v2");
    expect(nothing.manifest).toMatchObject({ rows: 0, before: null, checkpoint: null, records: "all" });
    expect(isObject(JSON.parse(String(nothing.manifest.tree)))).toBe(true);
    const words = ["project", "update", "default", "--plan", "pro", "--yes", "--data-dir", place.dataDir];
    const update = await run(words);
    expect([update.exitCode, update.stderr]).toEqual([0, ""]);
    const plain = await write(place, {
      start_time: new Date(Date.now() - 3_600_000).toISOString(),
      end_time: always.end_time,
      format: "json",
    });
    expect(plain.manifest).toMatchObject({ verifiable: false });
    expect(Object.keys(rowsOf("json", plain.text)[0] ?? {})).toEqual([...recordFieldNames]);
    // A verifier has no hashes of its records to compare with the checkpoint.
    expect(verify(place, plain.path, checkpoint)).toMatchObject({ verdict: "unattested", check: null });
  },
);
